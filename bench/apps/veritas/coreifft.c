/* CoreIFFT: transforms from frequency back to time. */
#include <stdlib.h>
#include "X_CoreIFFT.h"
#include "fft.h"

void X_CoreIFFT_init(X_CoreIFFT *d) {
    d->state = malloc(sizeof(struct fft));
    if (!d->state)
        X_fail("out of memory");
    fft_init(d->state, 1);
}

void X_CoreIFFT_destroy(X_CoreIFFT *d) { free(d->state); }

void X_CoreIFFT_push(X_CoreIFFT *d) {
    while (X_CoreIFFT_re_avail(d) > 0 && X_CoreIFFT_im_avail(d) > 0) {
        const float *re = X_CoreIFFT_re(d), *im = X_CoreIFFT_im(d);
        float complex in[FFT_N], out[FFT_N];
        for (int i = 0; i < FFT_N; i++)
            in[i] = re[i] + im[i] * I;
        fft_part(d->state, in, out, FFT_N, 1);
        float *y = X_CoreIFFT_y(d, 1);
        for (int i = 0; i < FFT_N; i++)
            y[i] = crealf(out[i]) / FFT_N;
        X_CoreIFFT_re_release(d, 1);
        X_CoreIFFT_im_release(d, 1);
        X_CoreIFFT_y_send(d, 1);
    }
}
