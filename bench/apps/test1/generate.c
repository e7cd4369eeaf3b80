/* GENERATE: sends arrays of pseudo-random numbers from 0 to 1 (xorshift32). */
#include <stdlib.h>
#include "X_GENERATE.h"

struct state {
    uint32_t random;
    int64_t left;
};

void X_GENERATE_init(X_GENERATE *d) {
    struct state *s = malloc(sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->random = 2463534242u ^ (d->config.seed * 2654435761u);
    s->left = d->config.elements;
    d->state = s;
}

int X_GENERATE_go(X_GENERATE *d) {
    struct state *s = d->state;
    if (s->left <= 0)
        return 1;
    X_GENERATE_testpoint(d, X_GENERATE_SRC);
    float *y = X_GENERATE_y0(d, 1);
    for (int i = 0; i < 1000; i++) {
        s->random ^= s->random << 13;
        s->random ^= s->random >> 17;
        s->random ^= s->random << 5;
        y[i] = (float)(s->random >> 8) * 0x1p-24f;
    }
    X_GENERATE_y0_send(d, 1);
    return --s->left == 0;
}

void X_GENERATE_destroy(X_GENERATE *d) { free(d->state); }
