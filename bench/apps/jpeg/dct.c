/* DCT: computes the forward transform of 8 x 8 samples (T.81 A.3.3), rows and then columns,
 * in fixed point. Coefficients are multiplied by 8, so that only the
 * quantizer rounds them. */
#include "X_DCT.h"

void X_DCT_init(X_DCT *d) { (void)d; }
void X_DCT_destroy(X_DCT *d) { (void)d; }

enum { ROW_SHIFT = 8, COLUMN_SHIFT = 15 };

/* 8192 / 2 C(u) cos((2 x + 1) u pi / 16), rounded; C(0) = 1 / sqrt 2. */
static const int32_t basis[8][8] = {
    {2896, 2896, 2896, 2896, 2896, 2896, 2896, 2896},
    {4017, 3406, 2276, 799, -799, -2276, -3406, -4017},
    {3784, 1567, -1567, -3784, -3784, -1567, 1567, 3784},
    {3406, -799, -4017, -2276, 2276, 4017, 799, -3406},
    {2896, -2896, -2896, 2896, 2896, -2896, -2896, 2896},
    {2276, -4017, 799, 3406, -3406, -799, 4017, -2276},
    {1567, -3784, 3784, -1567, -1567, 3784, -3784, 1567},
    {799, -2276, 3406, -4017, 4017, -3406, 2276, -799}};

static int32_t rounded(int32_t v, int shift) { return (v + (1 << (shift - 1))) >> shift; }

static void transform(const uint8_t *x, int16_t *y) {
    int32_t rows[8][8];
    for (int i = 0; i < 8; i++)
        for (int u = 0; u < 8; u++) {
            int32_t sum = 0;
            for (int j = 0; j < 8; j++)
                sum += basis[u][j] * (x[8 * i + j] - 128);
            rows[i][u] = rounded(sum, ROW_SHIFT);
        }
    for (int v = 0; v < 8; v++)
        for (int u = 0; u < 8; u++) {
            int32_t sum = 0;
            for (int i = 0; i < 8; i++)
                sum += basis[v][i] * rows[i][u];
            y[8 * v + u] = (int16_t)rounded(sum, COLUMN_SHIFT);
        }
}

void X_DCT_push(X_DCT *d) {
    while (X_DCT_x_avail(d) > 0) {
        transform(X_DCT_x(d), X_DCT_y(d, 1));
        X_DCT_x_release(d, 1);
        X_DCT_y_send(d, 1);
    }
}
