/* Deal: distributes elements to several outputs in turn, starting with the first. */
#include <stdlib.h>
#include <string.h>
#include "X_Deal.h"

struct state {
    size_t next;
};

void X_Deal_init(X_Deal *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("out of memory");
}

void X_Deal_push(X_Deal *d) {
    struct state *s = d->state;
    for (; X_Deal_x_avail(d) > 0; X_Deal_x_release(d, 1)) {
        memcpy(X_Deal_y(d, s->next, 1), X_Deal_x(d), d->config.n * sizeof *X_Deal_x(d));
        X_Deal_y_send(d, s->next, 1);
        s->next = (s->next + 1) % d->y_count;
    }
}

void X_Deal_destroy(X_Deal *d) { free(d->state); }
