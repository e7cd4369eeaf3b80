/* Source: sends noise (xorshift32) in eight of every 32 blocks, and zeros in the other blocks. */
#include <stdlib.h>
#include "X_Source.h"

enum { SAMPLES = 1024, PERIOD = 32, BURST = 8 };

struct state {
    uint32_t random;
    uint64_t block;
};

void X_Source_init(X_Source *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->random = 2463534242u ^ (d->config.seed * 2654435761u);
    d->state = s;
}

int X_Source_go(X_Source *d) {
    struct state *s = d->state;
    if (s->block >= d->config.elements)
        return 1;
    int burst = s->block % PERIOD < BURST;
    int32_t *y = X_Source_y(d, 1);
    for (int i = 0; i < SAMPLES; i++) {
        s->random ^= s->random << 13;
        s->random ^= s->random >> 17;
        s->random ^= s->random << 5;
        y[i] = burst ? (int32_t)s->random >> 9 : 0;
    }
    X_Source_y_send(d, 1);
    return ++s->block >= d->config.elements;
}

void X_Source_destroy(X_Source *d) { free(d->state); }
