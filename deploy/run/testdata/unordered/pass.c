#include "X_Pass.h"
void X_Pass_init(X_Pass *d) { (void)d; }
void X_Pass_destroy(X_Pass *d) { (void)d; }
void X_Pass_push(X_Pass *d) {
    while (X_Pass_x_avail(d)) {
        for (volatile uint64_t i = 0; i < *X_Pass_x(d) * 7919 % 3000; i++) /* times vary */
            ;
        *X_Pass_y(d, 1) = *X_Pass_x(d);
        X_Pass_x_release(d, 1);
        X_Pass_y_send(d, 1);
    }
}
