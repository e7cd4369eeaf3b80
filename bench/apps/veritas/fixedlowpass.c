/* LowPass in fixed point: multiplies by the transform of a Gaussian with sigma 1.5 samples. The transform is real and
 * symmetric, with 16 fractional bits. */
#include "X_LowPass.h"

enum { N = 96 };

static const int32_t h[N / 2 + 1] = {
    65536, 65221, 64285, 62754, 60673, 58097, 55098, 51752, 48143, 44356, 40475, 36579, 32741, 29025,
    25484, 22160, 19085, 16279, 13752, 11506, 9535, 7825, 6361, 5121, 4083, 3224, 2522, 1953,
    1498, 1138, 857, 639, 471, 345, 249, 179, 127, 89, 62, 43, 29, 20,
    13, 9, 6, 4, 3, 2, 2};

void X_LowPass_init(X_LowPass *d) { (void)d; }
void X_LowPass_destroy(X_LowPass *d) { (void)d; }

static int32_t low24(int32_t x) { return (int32_t)((uint32_t)x << 8) >> 8; }

void X_LowPass_push(X_LowPass *d) {
    while (X_LowPass_x_avail(d) > 0) {
        const int32_t *x = X_LowPass_x(d);
        int32_t *y = X_LowPass_y(d, 1);
        for (int k = 0; k < N; k++)
            y[k] = (int32_t)(((int64_t)low24(x[k]) * h[k <= N / 2 ? k : N - k] + 32768) >> 16);
        X_LowPass_x_release(d, 1);
        X_LowPass_y_send(d, 1);
    }
}
