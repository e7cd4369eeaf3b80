/* work.h: the work of the kernels of the chain (bench/apps/chain) for the rivals. The statements and the compiler
 * flags are the same as in the chain. A message is an array of words. */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* work_fill writes numbers from sent on, like Source. */
static inline void work_fill(uint64_t *y, uint32_t words, uint64_t sent) {
    for (uint32_t i = 0; i < words; i++)
        y[i] = sent + i;
}

static inline uint64_t work_steps(uint64_t x, uint64_t steps) {
    for (uint64_t i = 0; i < steps; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

/* work_pass copies a message and executes steps, like Pass. */
static inline void work_pass(uint64_t *y, const uint64_t *x, uint32_t words, uint64_t steps,
                             volatile uint64_t *result) {
    memcpy(y, x, 8 * (size_t)words);
    if (steps > 0)
        *result = work_steps(*result | 1, steps);
}

static inline double work_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* work_stamp writes the time into every n-th message, like Source. If every is 0, it writes no time. */
static inline void work_stamp(uint64_t *message, uint32_t words, uint64_t every) {
    if (every > 0 && words > 1 && message[0] % every == 0) {
        const double now = work_seconds();
        memcpy(message + 1, &now, sizeof now);
    }
}

/* work_arrived writes the latency of every n-th message to the standard output, like Sink. */
static inline void work_arrived(const uint64_t *message, uint32_t words, uint64_t every) {
    if (every > 0 && words > 1 && message[0] % every == 0) {
        double sent;
        memcpy(&sent, message + 1, sizeof sent);
        printf("%.9f\n", work_seconds() - sent);
    }
}

#endif
