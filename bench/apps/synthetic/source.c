/* Source: sends elements at the times of an arrival process, or as fast as possible. Arrivals follow the clock: a
 * late element does not delay the next element. */
#include <stdlib.h>
#include <time.h>
#include "X_Source.h"
#include "draw.h"
#include "mix.h"

struct state {
    struct draw draw;
    uint64_t left, digest;
    double next; /* us; 0 before the first */
};

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

void X_Source_init(X_Source *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    d->state = s;
    s->left = d->config.elements;
    const char *wrong = draw_open(&s->draw, d->config.distribution, d->config.time, d->config.scv, d->config.correlation, d->config.seed);
    if (wrong)
        X_fail("%s", wrong);
}

int X_Source_go(X_Source *d) {
    struct state *s = d->state;
    if (s->left == 0)
        return 1;
    if (d->config.time > 0) {
        double now = now_us();
        if (s->next == 0)
            s->next = now + draw_next(&s->draw);
        if (now < s->next)
            return 0; /* lets other kernels run */
        s->next += draw_next(&s->draw);
    }
    s->digest = mix(s->digest, s->left);
    mix_write(s->digest, X_Source_y(d, 1), d->config.words);
    X_Source_y_send(d, 1);
    return --s->left == 0;
}

void X_Source_destroy(X_Source *d) { free(d->state); }
