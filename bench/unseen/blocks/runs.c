/* Runs: a run-length coder. */
#include <stdlib.h>
#include "X_Runs.h"

struct state {
    uint8_t value;
    uint32_t length; /* 0 for no run */
};

void X_Runs_init(X_Runs *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("out of memory");
}

static void run(X_Runs *d, const struct state *s) {
    uint8_t *y = X_Runs_y(d, 1);
    y[0] = (uint8_t)s->length;
    y[1] = s->value;
    X_Runs_y_send(d, 1);
}

void X_Runs_push(X_Runs *d) {
    struct state *s = d->state;
    for (size_t n; (n = X_Runs_x_avail(d)) > 0; X_Runs_x_release(d, n)) {
        const uint8_t *x = X_Runs_x(d);
        const size_t bytes = n * d->config.n;
        for (size_t i = 0; i < bytes; i++) {
            if (s->length > 0 && x[i] == s->value && s->length < 255) {
                s->length++;
                continue;
            }
            if (s->length > 0)
                run(d, s);
            s->value = x[i];
            s->length = 1;
        }
    }
}

void X_Runs_drain(X_Runs *d) {
    const struct state *s = d->state;
    if (s->length > 0)
        run(d, s);
}

void X_Runs_destroy(X_Runs *d) { free(d->state); }
