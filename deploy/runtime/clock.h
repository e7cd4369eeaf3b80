/* clock.h: the clock of all measurements. It is the processor's time stamp counter if the counter has a constant rate
 * in every state of the processor, and is equal on all cores. The generator defines XRT_TSC after a check of these
 * conditions. Otherwise it is CLOCK_MONOTONIC in ns. In a virtual run (virtual.c) it is the time of the simulated
 * machine, in ps. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>
#include "choices.h"

static inline uint64_t clock_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_real(void) {
#ifdef XRT_TSC
    return __builtin_ia32_rdtsc();
#else
    return clock_ns();
#endif
}

#ifdef XRT_VIRTUAL
uint64_t virtual_ticks(void);
static inline uint64_t clock_ticks(void) { return virtual_ticks(); }
#else
static inline uint64_t clock_ticks(void) { return clock_real(); }
#endif

/* Readings of both clocks at one time. */
struct clock_pair {
    uint64_t ticks, ns;
};

/* clock_pair reads both clocks as simultaneously as possible: it makes several tries and uses the fastest. */
static inline struct clock_pair clock_pair(void) {
    struct clock_pair best = {0, 0};
    uint64_t minimum = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = clock_real(), n = clock_ns(), took = clock_real() - before;
        if (took < minimum) {
            minimum = took;
            best = (struct clock_pair){before + took / 2, n};
        }
    }
    return best;
}

#endif
