/* burn.h: work for a given processor time. It executes instructions instead of waiting for a clock, so that it
 * takes longer if the kernel gets only a part of a core's time. */
#ifndef BURN_H
#define BURN_H

#include <stdint.h>
#include <time.h>

struct burn {
    double per_us; /* rounds per microsecond */
};

static inline uint64_t burn_rounds(uint64_t n) {
    uint64_t x = n | 1;
    for (; n > 0; n--) {
        x ^= x >> 27;
        x *= 0x2545f4914f6cdd1du;
        __asm__ volatile("" : "+r"(x)); /* prevents the compiler from removing rounds */
    }
    return x;
}

static inline double burn_cpu_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* burn_open measures the speed of this processor: the fastest of several tries, in processor time of the thread.
 * Processor time excludes other threads on the core. */
static inline void burn_open(struct burn *b) {
    enum { ROUNDS = 50000, TRIES = 7 };
    double best = 1e300;
    for (int i = 0; i < TRIES; i++) {
        double before = burn_cpu_us();
        burn_rounds(ROUNDS);
        double took = burn_cpu_us() - before;
        if (took > 0 && took < best)
            best = took;
    }
    b->per_us = ROUNDS / best;
}

static inline void burn_us(const struct burn *b, double us) { burn_rounds((uint64_t)(us * b->per_us + 0.5)); }

#endif
