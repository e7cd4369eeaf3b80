/* filter.h: the Bloom filter of a query's words. Each of PROBES hashes has its own 2^PART_BITS bits, so that hardware
 * can test all hashes at once. */
#ifndef FILTER_H
#define FILTER_H

#include <stdint.h>

enum { PROBES = 4, PART_BITS = 18, PART_WORDS = 1 << (PART_BITS - 6), FILTER_WORDS = PROBES * PART_WORDS };

/* filter_bit returns the bit of a word's hash in its part. Two hashes provide any number of hashes (Kirsch and
 * Mitzenmacher). */
static inline uint32_t filter_bit(uint32_t word, uint32_t probe) {
    uint64_t z = word * 0x9e3779b97f4a7c15u;
    uint32_t first = (uint32_t)(z ^ z >> 32), step = (uint32_t)(z >> 32) | 1;
    return (first + probe * step) & ((1u << PART_BITS) - 1);
}

static inline void filter_add(uint64_t *filter, uint32_t word) {
    for (uint32_t p = 0; p < PROBES; p++) {
        uint32_t bit = filter_bit(word, p);
        filter[p * PART_WORDS + bit / 64] |= 1ull << bit % 64;
    }
}

static inline int filter_has(const uint64_t *filter, uint32_t word) {
    for (uint32_t p = 0; p < PROBES; p++) {
        uint32_t bit = filter_bit(word, p);
        if (!(filter[p * PART_WORDS + bit / 64] >> bit % 64 & 1))
            return 0;
    }
    return 1;
}

#endif
