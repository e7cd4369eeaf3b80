/* clock_native.c: the clock readings that a process on this machine publishes, so that the supervisor
 * can convert ticks to seconds. */
#include "internal.h"

#ifndef XRT_VIRTUAL

/* resolve measures the resolution of the clock: the median difference of consecutive readings. Shorter times cannot
 * be distinguished from 0. */
static void resolve(void) {
    enum { READINGS = 101, MOST = 4096 };
    uint64_t minimum[READINGS];
    for (size_t i = 0; i < READINGS; i++) {
        uint64_t before = clock_ticks(), took = clock_ticks() - before;
        size_t at = i;
        for (; at > 0 && minimum[at - 1] > took; at--)
            minimum[at] = minimum[at - 1];
        minimum[at] = took;
    }
    uint64_t median = minimum[READINGS / 2];
    atomic_store(&process_control(x_self)->resolution, (uint32_t)(median < MOST ? median : MOST));
}

void clock_begins(struct clock_pair first, struct clock_pair second) {
    clock_show(first, second);
    resolve();
}

void clock_ends(void) {
    struct x_process_control *c = process_control(x_self);
    struct clock_pair last = clock_pair();
    atomic_store(&c->tick2, last.ticks);
    atomic_store(&c->ns2, last.ns);
}

#endif
