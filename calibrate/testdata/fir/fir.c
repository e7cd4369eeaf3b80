/* Fir: a filter of 64 taps. */
#include <stdlib.h>
#include <string.h>
#include "X_Fir.h"

enum { N = 1024, TAPS = 64 };

struct state {
    float taps[TAPS], line[N + TAPS];
};

void X_Fir_init(X_Fir *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    for (int i = 0; i < TAPS; i++)
        s->taps[i] = 1.0f / (float)(1 + i);
    d->state = s;
}

void X_Fir_push(X_Fir *d) {
    struct state *s = d->state;
    while (X_Fir_x_avail(d) > 0) {
        const float *x = X_Fir_x(d);
        float *y = X_Fir_y(d, 1);
        memcpy(s->line + TAPS, x, N * sizeof *x);
        memset(y, 0, N * sizeof *y);
        for (int t = 0; t < TAPS; t++) {
            float c = s->taps[t];
            const float *line = s->line + TAPS - t;
            for (int i = 0; i < N; i++)
                y[i] += c * line[i];
        }
        memcpy(s->line, s->line + N, TAPS * sizeof *x);
        X_Fir_x_release(d, 1);
        X_Fir_y_send(d, 1);
    }
}

void X_Fir_destroy(X_Fir *d) { free(d->state); }
