/* Numbers: a source of random numbers. */
#include <stdlib.h>
#include "X_Numbers.h"

struct state {
    uint32_t random;
    uint64_t sent;
};

void X_Numbers_init(X_Numbers *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->random = 2463534242u ^ d->config.seed * 2654435761u;
    d->state = s;
}

void X_Numbers_destroy(X_Numbers *d) { free(d->state); }

int X_Numbers_go(X_Numbers *d) {
    struct state *s = d->state;
    if (s->sent >= d->config.elements)
        return 1;
    uint32_t *y = X_Numbers_y(d, 1), r = s->random;
    for (uint32_t i = 0; i < d->config.n; i++) { /* xorshift32 */
        r ^= r << 13;
        r ^= r >> 17;
        r ^= r << 5;
        y[i] = r;
    }
    s->random = r;
    X_Numbers_y_send(d, 1);
    s->sent++;
    return 0;
}
