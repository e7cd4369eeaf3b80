/* worker.h: the common part of Work and Join. It does the work, and chooses the outputs. */
#ifndef WORKER_H
#define WORKER_H

#include <stdlib.h>
#include "X.h"
#include "burn.h"
#include "draw.h"
#include "mix.h"

enum { WORKER_OUTS = 64 };

struct worker {
    struct burn burn;
    struct draw draw;
    double gain, owed, share[WORKER_OUTS], due[WORKER_OUTS];
    size_t outs;
    uint64_t digest;
};

static inline struct worker *worker_new(size_t outs, double gain, const char *shares) {
    struct worker *w = calloc(1, sizeof *w);
    if (!w)
        X_fail("out of memory");
    if (outs < 1 || outs > WORKER_OUTS)
        X_fail("the kernel has %zu outputs, expected 1 to %d", outs, WORKER_OUTS);
    if (!(gain >= 0))
        X_fail("the gain is negative");
    w->outs = outs;
    w->gain = gain;
    double sum = 0;
    char *at = (char *)shares;
    for (size_t i = 0; i < outs; i++) {
        w->share[i] = shares[0] ? strtod(at, &at) : 1;
        if (!(w->share[i] >= 0))
            X_fail("the share of output %zu is negative", i + 1);
        sum += w->share[i];
    }
    if (shares[0] && *at)
        X_fail("shares is \"%s\", expected %zu numbers", shares, outs);
    if (!(sum > 0))
        X_fail("the sum of the shares of all outputs is 0");
    for (size_t i = 0; i < outs; i++)
        w->share[i] /= sum;
    burn_open(&w->burn);
    return w;
}

/* worker_fire works, and returns the number of elements to send. */
static inline size_t worker_fire(struct worker *w) {
    burn_us(&w->burn, draw_next(&w->draw));
    w->owed += w->gain;
    size_t n = (size_t)(w->owed + 1e-9);
    w->owed -= (double)n;
    return n;
}

/* worker_choose returns the output that is furthest below its share. */
static inline size_t worker_choose(struct worker *w) {
    size_t best = 0;
    for (size_t i = 0; i < w->outs; i++) {
        w->due[i] += w->share[i];
        if (w->due[i] > w->due[best] + 1e-9)
            best = i;
    }
    w->due[best] -= 1;
    return best;
}

#endif
