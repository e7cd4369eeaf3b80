/* Spectrum: computes the power of n/2 complex numbers in the frequency domain (Cooley and Tukey 1965). */
#include <math.h>
#include <stdlib.h>
#include "X_Spectrum.h"

struct state {
    float *turns, *work; /* cos and sin; real and imaginary parts */
    uint32_t *order;
};

static const double pi = 3.14159265358979323846;

static void transform(const struct state *s, uint32_t m) {
    float *z = s->work;
    for (uint32_t half = 1, step = m / 2; half < m; half *= 2, step /= 2)
        for (uint32_t at = 0; at < m; at += 2 * half)
            for (uint32_t k = 0; k < half; k++) {
                const float c = s->turns[2 * k * step], t = s->turns[2 * k * step + 1];
                float *a = z + 2 * (at + k), *b = a + 2 * half;
                const float re = b[0] * c - b[1] * t, im = b[0] * t + b[1] * c;
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
            }
}

void X_Spectrum_init(X_Spectrum *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    const uint32_t m = d->config.n / 2;
    s->turns = calloc(m, sizeof *s->turns);
    s->work = calloc(2 * m, sizeof *s->work);
    s->order = calloc(m, sizeof *s->order);
    if (!s->turns || !s->work || !s->order)
        X_fail("out of memory");
    for (uint32_t k = 0; k < m / 2; k++) {
        s->turns[2 * k] = (float)cos(-2 * pi * k / m);
        s->turns[2 * k + 1] = (float)sin(-2 * pi * k / m);
    }
    for (uint32_t i = 1, bits = 0; i < m; i++) { /* counts with reversed bits */
        for (bits = m / 2; s->order[i - 1] & bits && bits > 1; bits /= 2)
            ;
        s->order[i] = (s->order[i - 1] & (bits - 1)) | bits;
    }
    d->state = s;
}

void X_Spectrum_push(X_Spectrum *d) {
    struct state *s = d->state;
    const uint32_t m = d->config.n / 2;
    const float part = 1.0f / (float)m;
    while (X_Spectrum_x_avail(d) > 0) {
        const float *x = X_Spectrum_x(d);
        float *y = X_Spectrum_y(d, 1);
        for (uint32_t i = 0; i < m; i++) {
            s->work[2 * i] = x[2 * s->order[i]];
            s->work[2 * i + 1] = x[2 * s->order[i] + 1];
        }
        transform(s, m);
        for (uint32_t i = 0; i < m; i++)
            y[i] = (s->work[2 * i] * s->work[2 * i] + s->work[2 * i + 1] * s->work[2 * i + 1]) * part;
        X_Spectrum_x_release(d, 1);
        X_Spectrum_y_send(d, 1);
    }
}

void X_Spectrum_destroy(X_Spectrum *d) {
    struct state *s = d->state;
    free(s->turns);
    free(s->work);
    free(s->order);
    free(s);
}
