/* permute.h: bit n of the result is bit table[n] of x. FIPS 46-3 counts bits from 1, the highest first. bits is
 * the number of bits of x. */
#ifndef PERMUTE_H
#define PERMUTE_H

#include <stdint.h>

static inline uint64_t permute(uint64_t x, int bits, const uint8_t *table, int n) {
    uint64_t y = 0;
    for (int i = 0; i < n; i++)
        y = y << 1 | (x >> (bits - table[i]) & 1);
    return y;
}

#endif
