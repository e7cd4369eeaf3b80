/* Select: forwards the elements whose energy is above a fraction of the mean so far. */
#include <stdlib.h>
#include <string.h>
#include "X_Select.h"

struct state {
    float mean;
};

void X_Select_init(X_Select *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("out of memory");
}

void X_Select_push(X_Select *d) {
    struct state *s = d->state;
    const uint32_t n = d->config.n;
    const float level = d->config.level;
    while (X_Select_x_avail(d) > 0) {
        const float *x = X_Select_x(d);
        float energy = 0;
        for (uint32_t i = 0; i < n; i++)
            energy += x[i] * x[i];
        if (energy >= level * s->mean) {
            memcpy(X_Select_y(d, 1), x, n * sizeof *x);
            X_Select_y_send(d, 1);
        }
        s->mean += (energy - s->mean) * 0.0625f;
        X_Select_x_release(d, 1);
    }
}

void X_Select_destroy(X_Select *d) { free(d->state); }
