/* Fir: applies a filter with finite impulse response. It stores the last samples before an element. */
#include <stdlib.h>
#include <string.h>
#include "X_Fir.h"

struct state {
    float *taps, *samples; /* samples: the last taps - 1 samples, and the element */
};

void X_Fir_init(X_Fir *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    const uint32_t n = d->config.n, taps = d->config.taps;
    s->taps = calloc(taps, sizeof *s->taps);
    s->samples = calloc(taps - 1 + n, sizeof *s->samples);
    if (!s->taps || !s->samples)
        X_fail("out of memory");
    for (uint32_t k = 0, r = d->config.seed; k < taps; k++) {
        r = r * 1664525u + 1013904223u;
        s->taps[k] = (float)((int32_t)(r >> 16) % 64 - 32) * 0x1p-7f;
    }
    d->state = s;
}

void X_Fir_push(X_Fir *d) {
    struct state *s = d->state;
    const uint32_t n = d->config.n, taps = d->config.taps;
    while (X_Fir_x_avail(d) > 0) {
        const float *x = X_Fir_x(d);
        float *y = X_Fir_y(d, 1);
        memcpy(s->samples + taps - 1, x, n * sizeof *x);
        memset(y, 0, n * sizeof *y);
        for (uint32_t k = 0; k < taps; k++) {
            const float c = s->taps[k], *from = s->samples + taps - 1 - k;
            for (uint32_t i = 0; i < n; i++)
                y[i] += c * from[i];
        }
        memmove(s->samples, s->samples + n, (taps - 1) * sizeof *x);
        X_Fir_x_release(d, 1);
        X_Fir_y_send(d, 1);
    }
}

void X_Fir_destroy(X_Fir *d) {
    struct state *s = d->state;
    free(s->taps);
    free(s->samples);
    free(s);
}
