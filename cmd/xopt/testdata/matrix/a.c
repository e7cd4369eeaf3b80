#include "X_A.h"
void X_A_init(X_A *d) { (void)d; }
void X_A_destroy(X_A *d) { (void)d; }
void X_A_push(X_A *d) {
    for (; X_A_x_avail(d) > 0; X_A_x_release(d, 1)) {
        const uint32_t *x = X_A_x(d);
        uint32_t *y = X_A_y(d, 1);
        for (int i = 0; i < 16; i++)
            y[i] = x[i] ^ x[i] >> 7;
        X_A_y_send(d, 1);
    }
}
