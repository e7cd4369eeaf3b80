#include "X_Split.h"
void X_Split_init(X_Split *d) { (void)d; }
void X_Split_destroy(X_Split *d) { (void)d; }
void X_Split_push(X_Split *d) {
    while (X_Split_x_avail(d)) {
        *X_Split_a(d, 1) = *X_Split_b(d, 1) = *X_Split_x(d);
        X_Split_x_release(d, 1);
        X_Split_a_send(d, 1);
        X_Split_b_send(d, 1);
    }
}
