/* MT: sends random numbers. */
#include <stdlib.h>
#include "X_MT.h"
#include "mt19937.h"

struct state {
    struct mt mt;
    uint64_t left;
};

void X_MT_init(X_MT *d) {
    struct state *s = malloc(sizeof *s);
    if (!s)
        X_fail("out of memory");
    mt_seed(&s->mt, d->config.seed);
    s->left = d->config.elements;
    d->state = s;
}

void X_MT_destroy(X_MT *d) { free(d->state); }

int X_MT_go(X_MT *d) {
    struct state *s = d->state;
    if (s->left == 0)
        return 1;
    uint32_t *y = X_MT_y(d, 1);
    for (int i = 0; i < 64; i++)
        y[i] = mt_number(&s->mt);
    X_MT_y_send(d, 1);
    return --s->left == 0;
}
