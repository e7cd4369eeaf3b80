/* mt19937.h: the Mersenne twister (Matsumoto and Nishimura 1998). */
#ifndef MT19937_H
#define MT19937_H

#include <stdint.h>

enum { MT_N = 624, MT_M = 397 };

struct mt {
    uint32_t state[MT_N];
    int next;
};

static inline void mt_seed(struct mt *m, uint32_t seed) {
    m->state[0] = seed;
    for (uint32_t i = 1; i < MT_N; i++)
        m->state[i] = 1812433253u * (m->state[i - 1] ^ m->state[i - 1] >> 30) + i;
    m->next = MT_N;
}

static inline void mt_refill(struct mt *m) {
    for (int i = 0; i < MT_N; i++) {
        uint32_t y = (m->state[i] & 0x80000000u) | (m->state[(i + 1) % MT_N] & 0x7fffffffu);
        m->state[i] = m->state[(i + MT_M) % MT_N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    m->next = 0;
}

static inline uint32_t mt_number(struct mt *m) {
    if (m->next == MT_N)
        mt_refill(m);
    uint32_t y = m->state[m->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

#endif
