/* Sum: adds the numbers of an element. */
#include "X_Sum.h"

void X_Sum_init(X_Sum *d) { (void)d; }
void X_Sum_destroy(X_Sum *d) { (void)d; }

void X_Sum_push(X_Sum *d) {
    while (X_Sum_x_avail(d) > 0) {
        const uint32_t *x = X_Sum_x(d);
        uint32_t sum = 0;
        for (int i = 0; i < 16; i++)
            sum += x[i];
        *X_Sum_y(d, 1) = sum;
        X_Sum_x_release(d, 1);
        X_Sum_y_send(d, 1);
    }
}
