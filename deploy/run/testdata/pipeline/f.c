#include "X_F.h"
void X_F_init(X_F *d) { (void)d; }
void X_F_destroy(X_F *d) { (void)d; }
void X_F_push(X_F *d) {
    while (X_F_x_avail(d)) {
        *X_F_y(d, 1) = *X_F_x(d);
        X_F_x_release(d, 1);
        X_F_y_send(d, 1);
    }
}
