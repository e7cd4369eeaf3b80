#include "X_B.h"
void X_B_init(X_B *d) { (void)d; }
void X_B_destroy(X_B *d) { (void)d; }
void X_B_push(X_B *d) {
    while (X_B_x_avail(d) > 0 && X_B_back_avail(d) > 0) {
        const uint32_t *x = X_B_x(d), *back = X_B_back(d);
        uint32_t *y = X_B_y(d, 1), *z = X_B_z(d, 1);
        for (int i = 0; i < 16; i++)
            y[i] = z[i] = x[i] + back[i];
        X_B_x_release(d, 1);
        X_B_back_release(d, 1);
        X_B_y_send(d, 1);
        X_B_z_send(d, 1);
    }
}
