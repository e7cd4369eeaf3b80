/* Walk: makes random walks from each point of the grid in turn. Points have coordinates
 * from 1 to n; 0 and n + 1 are the edges. */
#include <stdlib.h>
#include "X_Walk.h"

struct state {
    uint32_t point, x, y;
};

static void begin(X_Walk *d, struct state *s) {
    s->x = s->point % d->config.n + 1;
    s->y = s->point / d->config.n + 1;
}

void X_Walk_init(X_Walk *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    if (d->config.n < 1 || d->config.n > 10000)
        X_fail("n is %u, expected 1 to 10000", d->config.n);
    begin(d, s);
    d->state = s;
}

void X_Walk_destroy(X_Walk *d) { free(d->state); }

static void end(X_Walk *d, struct state *s) {
    uint32_t *y = X_Walk_y(d, 1);
    y[0] = s->point;
    y[1] = s->x == 0;
    X_Walk_y_send(d, 1);
    s->point = (s->point + 1) % (d->config.n * d->config.n);
    begin(d, s);
}

void X_Walk_push(X_Walk *d) {
    struct state *s = d->state;
    while (X_Walk_x_avail(d) > 0) {
        const uint32_t *random = X_Walk_x(d);
        for (int i = 0; i < 64; i++) {
            switch (random[i] >> 30) {
            case 0: s->x--; break;
            case 1: s->x++; break;
            case 2: s->y--; break;
            default: s->y++; break;
            }
            if (s->x == 0 || s->x > d->config.n || s->y == 0 || s->y > d->config.n)
                end(d, s);
        }
        X_Walk_x_release(d, 1);
    }
}
