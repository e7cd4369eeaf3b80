/* Join: processes one element of each input. */
#include "X_Join.h"
#include "worker.h"

void X_Join_init(X_Join *d) {
    struct worker *w = d->state = worker_new(d->y_count, d->config.gain, d->config.shares);
    const char *wrong = draw_open(&w->draw, d->config.distribution, d->config.time, d->config.scv, d->config.correlation, d->config.seed);
    if (wrong)
        X_fail("%s", wrong);
}

static int ready(X_Join *d) {
    for (size_t i = 0; i < d->x_count; i++)
        if (X_Join_x_avail(d, i) == 0)
            return 0;
    return 1;
}

void X_Join_push(X_Join *d) {
    struct worker *w = d->state;
    while (ready(d)) {
        for (size_t i = 0; i < d->x_count; i++)
            w->digest = mix_read(w->digest, X_Join_x(d, i), d->config.words);
        size_t n = worker_fire(w);
        for (size_t i = 0; i < d->x_count; i++)
            X_Join_x_release(d, i, 1);
        for (; n > 0; n--) {
            size_t port = worker_choose(w);
            w->digest = mix(w->digest, n);
            mix_write(w->digest, X_Join_y(d, port, 1), d->config.out);
            X_Join_y_send(d, port, 1);
        }
    }
}

void X_Join_destroy(X_Join *d) { free(d->state); }
