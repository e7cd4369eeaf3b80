/* Source: sends pseudo-random numbers (xorshift32). The first number of an element is below keys. */
#include <stdlib.h>
#include "X_Source.h"

struct state {
    uint32_t random;
    uint64_t left;
};

void X_Source_init(X_Source *d) {
    struct state *s = malloc(sizeof *s);
    if (!s)
        X_fail("out of memory");
    *s = (struct state){2463534242u, d->config.elements};
    d->state = s;
}

void X_Source_destroy(X_Source *d) { free(d->state); }

int X_Source_go(X_Source *d) {
    struct state *s = d->state;
    if (s->left == 0)
        return 1;
    uint32_t *y = X_Source_y(d, 1);
    for (int i = 0; i < 8; i++) {
        s->random ^= s->random << 13;
        s->random ^= s->random >> 17;
        s->random ^= s->random << 5;
        y[i] = s->random;
    }
    y[0] %= d->config.keys;
    X_Source_y_send(d, 1);
    return --s->left == 0;
}
