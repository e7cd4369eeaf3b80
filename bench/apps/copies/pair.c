/* Pair: sends the sums of the numbers of two elements, and the key of the first element. */
#include "X_Pair.h"
#include "delay.h"

void X_Pair_init(X_Pair *d) { (void)d; }
void X_Pair_destroy(X_Pair *d) { (void)d; }

void X_Pair_push(X_Pair *d) {
    while (X_Pair_x_avail(d) > 1) {
        uint32_t *y = X_Pair_y(d, 1);
        const uint32_t *x = X_Pair_x(d);
        y[0] = x[0];
        for (int i = 1; i < 8; i++)
            y[i] = x[i] + x[8 + i];
        X_Pair_x_release(d, 2);
        delay(d->config.delay);
        X_Pair_y_send(d, 1);
    }
}
