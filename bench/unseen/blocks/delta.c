/* Delta: sends the difference of each byte from the byte before. */
#include <stdlib.h>
#include "X_Delta.h"

struct state {
    uint8_t last;
};

void X_Delta_init(X_Delta *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("out of memory");
}

void X_Delta_push(X_Delta *d) {
    struct state *s = d->state;
    for (size_t n; (n = X_Delta_x_avail(d)) > 0;) {
        const size_t room = X_Delta_y_room(d);
        if (n > room)
            n = room > 0 ? room : 1; /* waits for space */
        uint8_t *y = X_Delta_y(d, n);
        const uint8_t *x = X_Delta_x(d);
        const size_t bytes = n * d->config.n;
        y[0] = (uint8_t)(x[0] - s->last);
        for (size_t i = 1; i < bytes; i++)
            y[i] = (uint8_t)(x[i] - x[i - 1]);
        s->last = x[bytes - 1];
        X_Delta_x_release(d, n);
        X_Delta_y_send(d, n);
    }
}

void X_Delta_destroy(X_Delta *d) { free(d->state); }
