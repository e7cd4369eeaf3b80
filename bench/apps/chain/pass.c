/* Pass: forwards its input after some work. The work is a sequence of dependent steps of a generator, which uses
 * processor time rather than waiting. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "X_Pass.h"

struct state {
    uint64_t steps;
    volatile uint64_t result; /* so that no step is optimized away */
};

static uint64_t work(uint64_t x, uint64_t steps) {
    for (uint64_t i = 0; i < steps; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

/* steps_for returns the number of steps in a time. It uses the fastest of several tries, which was disturbed least. */
static uint64_t steps_for(struct state *s, double us) {
    const uint64_t steps = 1 << 18;
    double best = 1e9;
    for (int i = 0; i < 9; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        s->result = work(1 + (uint64_t)i, steps);
        clock_gettime(CLOCK_MONOTONIC, &to);
        double took = 1e6 * (double)(to.tv_sec - from.tv_sec) + 1e-3 * (double)(to.tv_nsec - from.tv_nsec);
        if (took < best)
            best = took;
    }
    return (uint64_t)(us * (double)steps / best);
}

void X_Pass_init(X_Pass *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->steps = d->config.steps;
    if (d->config.work > 0)
        s->steps = steps_for(s, d->config.work);
    d->state = s;
}

void X_Pass_push(X_Pass *d) {
    struct state *s = d->state;
    const size_t words = d->config.words;
    for (size_t n; (n = X_Pass_x_avail(d)) > 0;) {
        const size_t room = X_Pass_y_room(d);
        if (d->config.most > 0 && n > d->config.most)
            n = d->config.most;
        if (n > room)
            n = room > 0 ? room : 1; /* waits for space */
        uint64_t *y = X_Pass_y(d, n);
        const uint64_t *x = X_Pass_x(d);
        for (size_t i = 0; i < n; i++) {
            memcpy(y + i * words, x + i * words, 8 * words);
            if (s->steps > 0)
                s->result = work(s->result | 1, s->steps);
        }
        X_Pass_x_release(d, n);
        X_Pass_y_send(d, n);
    }
}

void X_Pass_destroy(X_Pass *d) { free(d->state); }
