/* node.h: the common part of the tasks of a synthetic task graph. Each task consumes an element of every input,
 * works for a random time, and sends an element to every output. The bytes depend on all consumed elements, so that
 * the sink's digest shows a lost element. */
#ifndef NODE_H
#define NODE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "X.h"
#include "burn.h"
#include "draw.h"
#include "mix.h"

struct node {
    struct burn burn;
    struct draw draw;
    uint64_t digest, elements;
    double next; /* time of a source's next element in us; 0 before the first */
};

/* node_new returns a node. speed is the work of this processor in a microsecond, 0 to measure it. */
static inline struct node *node_new(double time, const char *distribution, double speed, uint32_t seed) {
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        X_fail("out of memory");
    const char *wrong = draw_open(&n->draw, distribution, time, 1, 0, seed);
    if (wrong)
        X_fail("%s", wrong);
    n->digest = seed;
    n->burn.per_us = speed;
    if (speed <= 0)
        burn_open(&n->burn);
    return n;
}

static inline void node_work(struct node *n) {
    burn_us(&n->burn, draw_next(&n->draw));
    n->elements++;
}

static inline void node_read(struct node *n, const uint8_t *x, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        n->digest = mix(n->digest, x[i]);
}

static inline void node_write(struct node *n, uint8_t *y, size_t bytes) {
    n->digest = mix(n->digest, bytes);
    for (size_t i = 0; i < bytes; i++)
        y[i] = (uint8_t)(n->digest >> 8 * (i % 8));
}

/* node_due reports whether the next element of a source is due. Arrivals follow the clock: a late element
 * does not delay the next element. */
static inline int node_due(struct node *n) {
    if (n->draw.mean <= 0)
        return 1;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
    if (n->next == 0)
        n->next = now + draw_next(&n->draw);
    if (now < n->next)
        return 0;
    n->next += draw_next(&n->draw);
    return 1;
}

/* node_report writes the counts of a sink, and frees it. */
static inline void node_report(struct node *n, const char *output) {
    if (output[0]) {
        FILE *f = fopen(output, "w");
        if (!f)
            X_fail("cannot write %s: %s", output, strerror(errno));
        fprintf(f, "%llu %016llx\n", (unsigned long long)n->elements, (unsigned long long)n->digest);
        if (fclose(f) != 0)
            X_fail("cannot write %s: %s", output, strerror(errno));
    }
    free(n);
}

#endif
