/* Chase: follows a linked list in memory for a number of hops, starting at the position that each number selects. */
#include <stdlib.h>
#include "X_Chase.h"

struct state {
    uint32_t *next;
};

void X_Chase_init(X_Chase *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    const uint32_t places = (uint32_t)1 << d->config.bits;
    s->next = calloc(places, sizeof *s->next);
    if (!s->next)
        X_fail("out of memory");
    for (uint32_t i = 0; i < places; i++)
        s->next[i] = i;
    for (uint32_t i = places - 1, r = d->config.seed; i > 0; i--) { /* one cycle through all places (Sattolo 1986) */
        r = r * 1664525u + 1013904223u;
        const uint32_t j = (uint32_t)((uint64_t)r * i >> 32), was = s->next[i];
        s->next[i] = s->next[j];
        s->next[j] = was;
    }
    d->state = s;
}

void X_Chase_push(X_Chase *d) {
    const struct state *s = d->state;
    const uint32_t n = d->config.n, hops = d->config.hops, mask = ((uint32_t)1 << d->config.bits) - 1;
    while (X_Chase_x_avail(d) > 0) {
        const uint32_t *x = X_Chase_x(d);
        uint32_t *y = X_Chase_y(d, 1);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = x[i] & mask;
            for (uint32_t h = 0; h < hops; h++)
                at = s->next[at];
            y[i] = at ^ x[i];
        }
        X_Chase_x_release(d, 1);
        X_Chase_y_send(d, 1);
    }
}

void X_Chase_destroy(X_Chase *d) {
    struct state *s = d->state;
    free(s->next);
    free(s);
}
