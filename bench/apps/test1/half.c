/* HALF: halves an array. */
#include "X_HALF.h"

void X_HALF_init(X_HALF *d) { (void)d; }
void X_HALF_destroy(X_HALF *d) { (void)d; }

void X_HALF_push(X_HALF *d) {
    while (X_HALF_x0_avail(d) > 0) {
        float *y = X_HALF_y0(d, 1);
        const float *x = X_HALF_x0(d);
        for (int i = 0; i < 1000; i++)
            y[i] = 0.5f * x[i];
        X_HALF_x0_release(d, 1);
        X_HALF_y0_send(d, 1);
    }
}
