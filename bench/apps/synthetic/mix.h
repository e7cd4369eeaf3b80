/* mix.h: the numbers in elements. Each number depends on all earlier numbers, so that a lost or exchanged element
 * changes the sinks' digests. */
#ifndef MIX_H
#define MIX_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t mix(uint64_t state, uint64_t x) {
    x = (state ^ x) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static inline uint64_t mix_read(uint64_t state, const uint64_t *x, size_t words) {
    for (size_t i = 0; i < words; i++)
        state = mix(state, x[i]);
    return state;
}

static inline void mix_write(uint64_t state, uint64_t *y, size_t words) {
    for (size_t i = 0; i < words; i++)
        y[i] = state + i;
}

#endif
