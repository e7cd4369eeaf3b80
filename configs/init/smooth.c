/* Smooth: replaces each number by the mean of itself and the three before it. */
#include <stdlib.h>
#include "X_Smooth.h"

struct state {
    int32_t last[3];
};

void X_Smooth_init(X_Smooth *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("out of memory");
}

/* push consumes the elements that have arrived. */
void X_Smooth_push(X_Smooth *d) {
    struct state *s = d->state;
    while (X_Smooth_x_avail(d) > 0) {        /* number of available elements */
        const int32_t *x = X_Smooth_x(d);    /* oldest element */
        int32_t *y = X_Smooth_y(d, 1);       /* space for one element */
        for (int i = 0; i < 256; i++) {
            y[i] = (x[i] + s->last[0] + s->last[1] + s->last[2]) >> 2;
            s->last[2] = s->last[1];
            s->last[1] = s->last[0];
            s->last[0] = x[i];
        }
        X_Smooth_x_release(d, 1);            /* frees its space */
        X_Smooth_y_send(d, 1);
    }
}

void X_Smooth_destroy(X_Smooth *d) { free(d->state); }
