#include "X_J.h"
void X_J_init(X_J *d) { (void)d; }
void X_J_destroy(X_J *d) { (void)d; }
void X_J_push(X_J *d) {
    while (X_J_x0_avail(d) > 0 && X_J_x1_avail(d) > 0 && X_J_x2_avail(d) > 0) {
        const uint32_t *x0 = X_J_x0(d), *x1 = X_J_x1(d), *x2 = X_J_x2(d);
        uint32_t *y = X_J_y(d, 1);
        for (int i = 0; i < 16; i++)
            y[i] = x0[i] + x1[i] + x2[i];
        X_J_x0_release(d, 1);
        X_J_x1_release(d, 1);
        X_J_x2_release(d, 1);
        X_J_y_send(d, 1);
    }
}
