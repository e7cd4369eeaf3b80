/* fft.h: the discrete Fourier transform of 96 numbers by recursive factors of 2 and 3. */
#ifndef FFT_H
#define FFT_H

#include <complex.h>
#include <math.h>

enum { FFT_N = 96 };

struct fft {
    float complex root[FFT_N]; /* exp(-2 pi i k / N); inverse: +2 */
};

static inline void fft_init(struct fft *f, int inverse) {
    for (int k = 0; k < FFT_N; k++) {
        double angle = (inverse ? 2 : -2) * M_PI * k / FFT_N;
        f->root[k] = (float)cos(angle) + (float)sin(angle) * I;
    }
}

/* fft_part transforms n numbers x[0], x[step], …. n is 1, or a half or a third of another valid n. */
static inline void fft_part(const struct fft *f, const float complex *x, float complex *y, int n, int step) {
    if (n == 1) {
        y[0] = x[0];
        return;
    }
    int factor = n % 2 == 0 ? 2 : 3, m = n / factor;
    for (int j = 0; j < factor; j++)
        fft_part(f, x + j * step, y + j * m, m, factor * step);
    for (int k = 0; k < m; k++) {
        float complex part[3];
        for (int j = 0; j < factor; j++)
            part[j] = y[j * m + k] * f->root[j * k * step % FFT_N];
        for (int q = 0; q < factor; q++) {
            float complex sum = part[0];
            for (int j = 1; j < factor; j++)
                sum += part[j] * f->root[j * q * (FFT_N / factor) % FFT_N];
            y[q * m + k] = sum;
        }
    }
}

#endif
