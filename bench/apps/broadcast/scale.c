/* Scale: computes 3 x + 1 for each number x. */
#include "X_Scale.h"

void X_Scale_init(X_Scale *d) { (void)d; }
void X_Scale_destroy(X_Scale *d) { (void)d; }

void X_Scale_push(X_Scale *d) {
    while (X_Scale_x_avail(d) > 0) {
        uint32_t *y = X_Scale_y(d, 1);
        const uint32_t *x = X_Scale_x(d);
        for (int i = 0; i < 16; i++)
            y[i] = 3 * x[i] + 1;
        X_Scale_x_release(d, 1);
        X_Scale_y_send(d, 1);
    }
}
