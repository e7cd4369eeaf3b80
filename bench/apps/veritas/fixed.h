/* fixed.h: cosines and sines of 2 pi i / 96, times scale, rounded. */
#ifndef FIXED_H
#define FIXED_H

#include <math.h>
#include <stdint.h>

enum { FIXED_N = 96 };

struct roots {
    int32_t cosine[FIXED_N], sine[FIXED_N];
};

static inline void roots_init(struct roots *r, double scale) {
    for (int i = 0; i < FIXED_N; i++) {
        r->cosine[i] = (int32_t)lround(scale * cos(2 * M_PI * i / FIXED_N));
        r->sine[i] = (int32_t)lround(scale * sin(2 * M_PI * i / FIXED_N));
    }
}

#endif
