/* quant.h: the quantization tables of T.81 Annex K, scaled by quality as libjpeg
 * does. In row order. */
#ifndef QUANT_H
#define QUANT_H

#include <stdint.h>

static const uint8_t quant_base[2][64] = {
    {16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
     18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99},
    {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
     99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99}};

static inline int quant_step(int chroma, int i, uint32_t quality) {
    uint32_t q = quality < 1 ? 1 : quality > 100 ? 100 : quality;
    uint32_t scale = q < 50 ? 5000 / q : 200 - 2 * q, step = (quant_base[chroma][i] * scale + 50) / 100;
    return step < 1 ? 1 : step > 255 ? 255 : (int)step;
}

#endif
