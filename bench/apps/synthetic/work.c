/* Work: processes each element. */
#include "X_Work.h"
#include "worker.h"

void X_Work_init(X_Work *d) {
    struct worker *w = d->state = worker_new(d->y_count, d->config.gain, d->config.shares);
    const char *wrong = draw_open(&w->draw, d->config.distribution, d->config.time, d->config.scv, d->config.correlation, d->config.seed);
    if (wrong)
        X_fail("%s", wrong);
}

void X_Work_push(X_Work *d) {
    struct worker *w = d->state;
    while (X_Work_x_avail(d) > 0) {
        w->digest = mix_read(w->digest, X_Work_x(d), d->config.words);
        size_t n = worker_fire(w);
        X_Work_x_release(d, 1);
        for (; n > 0; n--) {
            size_t port = worker_choose(w);
            w->digest = mix(w->digest, n);
            mix_write(w->digest, X_Work_y(d, port, 1), d->config.out);
            X_Work_y_send(d, port, 1);
        }
    }
}

void X_Work_destroy(X_Work *d) { free(d->state); }
