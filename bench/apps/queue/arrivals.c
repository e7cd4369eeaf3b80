/* Arrivals: forwards tokens. In every other phase, it forwards only one of `thin` tokens. */
#include <stdlib.h>
#include "X_Arrivals.h"

struct state {
    uint32_t token, kept; /* tokens of the phase; tokens since the last sent token */
    int thinned;
};

void X_Arrivals_init(X_Arrivals *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("out of memory");
}

void X_Arrivals_destroy(X_Arrivals *d) { free(d->state); }

static int sends(struct state *s, uint32_t phase, uint32_t thin) {
    if (phase == 0)
        return 1;
    int thinned = s->thinned;
    if (++s->token == phase) {
        s->token = 0;
        s->thinned = !thinned;
    }
    if (thinned && ++s->kept < thin)
        return 0;
    s->kept = 0;
    return 1;
}

void X_Arrivals_push(X_Arrivals *d) {
    while (X_Arrivals_x_avail(d) > 0) {
        uint64_t x = *X_Arrivals_x(d);
        if (sends(d->state, d->config.phase, d->config.thin)) {
            *X_Arrivals_y(d, 1) = x;
            X_Arrivals_y_send(d, 1);
        }
        X_Arrivals_x_release(d, 1);
    }
}
