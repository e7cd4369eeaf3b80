/* clock.h: the clock of everything that is measured. It is the processor's time
 * stamp counter where that counts at one rate in every state of the processor, and
 * alike on all cores (X_TSC, which the generator defines after looking); otherwise
 * CLOCK_MONOTONIC in ns. In a virtual run (virtual.c) time is that of the machine that
 * is simulated, in ps. */
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
#ifdef X_TSC
    return __builtin_ia32_rdtsc();
#else
    return clock_ns();
#endif
}

#ifdef X_VIRTUAL
uint64_t virtual_ticks(void);
static inline uint64_t clock_ticks(void) { return virtual_ticks(); }
#else
static inline uint64_t clock_ticks(void) { return clock_real(); }
#endif

/* clock_pair reads both clocks at one moment, as well as that can be done: of a
 * few tries the one that took least. */
static inline void clock_pair(uint64_t *ticks, uint64_t *ns) {
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = clock_real(), n = clock_ns(), after = clock_real();
        if (after - before < best) {
            best = after - before;
            *ticks = before + best / 2;
            *ns = n;
        }
    }
}

#endif
