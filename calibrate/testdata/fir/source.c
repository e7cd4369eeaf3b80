/* Source: pseudo-random samples from 0 to 1 (xorshift32). */
#include <stdlib.h>
#include "X_Source.h"

struct state {
    uint32_t random;
    int64_t left;
};

void X_Source_init(X_Source *d) {
    struct state *s = malloc(sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->random = 1;
    s->left = d->config.elements;
    d->state = s;
}

int X_Source_go(X_Source *d) {
    struct state *s = d->state;
    if (s->left <= 0)
        return 1;
    float *y = X_Source_y(d, 1);
    for (int i = 0; i < 1024; i++) {
        s->random ^= s->random << 13;
        s->random ^= s->random >> 17;
        s->random ^= s->random << 5;
        y[i] = (float)(s->random >> 8) * 0x1p-24f;
    }
    X_Source_y_send(d, 1);
    return --s->left == 0;
}

void X_Source_destroy(X_Source *d) { free(d->state); }
