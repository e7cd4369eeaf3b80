/* Pack: combines several elements into one element. It drops an incomplete element at the end. */
#include <stdlib.h>
#include <string.h>
#include "X_Pack.h"

struct state {
    uint32_t filled;
    uint8_t *element;
};

void X_Pack_init(X_Pack *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s || !(s->element = calloc(d->config.times, d->config.n * sizeof *X_Pack_x(d))))
        X_fail("out of memory");
    d->state = s;
}

void X_Pack_push(X_Pack *d) {
    struct state *s = d->state;
    const size_t bytes = d->config.n * sizeof *X_Pack_x(d);
    for (; X_Pack_x_avail(d) > 0; X_Pack_x_release(d, 1)) {
        memcpy(s->element + s->filled * bytes, X_Pack_x(d), bytes);
        if (++s->filled == d->config.times) {
            memcpy(X_Pack_y(d, 1), s->element, d->config.times * bytes);
            X_Pack_y_send(d, 1);
            s->filled = 0;
        }
    }
}

void X_Pack_destroy(X_Pack *d) {
    struct state *s = d->state;
    free(s->element);
    free(s);
}
