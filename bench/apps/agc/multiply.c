/* Multiply: multiplies a block by its gain, and limits the result to 16 bits. */
#include "X_Multiply.h"

enum { SAMPLES = 4096, MOST = 32767 };

void X_Multiply_init(X_Multiply *d) { (void)d; }

void X_Multiply_push(X_Multiply *d) {
    while (X_Multiply_x_avail(d) > 0 && X_Multiply_gain_avail(d) > 0) {
        int32_t *y = X_Multiply_y(d, 1);
        const int32_t *x = X_Multiply_x(d);
        int64_t gain = *X_Multiply_gain(d);
        for (int i = 0; i < SAMPLES; i++) {
            int64_t product = x[i] * gain >> 16;
            y[i] = (int32_t)(product > MOST ? MOST : product < -MOST ? -MOST : product);
        }
        X_Multiply_x_release(d, 1);
        X_Multiply_gain_release(d, 1);
        X_Multiply_y_send(d, 1);
    }
}

void X_Multiply_destroy(X_Multiply *d) { (void)d; }
