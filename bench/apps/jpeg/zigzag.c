/* ZigZag: sends coefficients in order of rising frequency. */
#include "X_ZigZag.h"
#include "zigzag.h"

void X_ZigZag_init(X_ZigZag *d) { (void)d; }
void X_ZigZag_destroy(X_ZigZag *d) { (void)d; }

void X_ZigZag_push(X_ZigZag *d) {
    while (X_ZigZag_x_avail(d) > 0) {
        const int16_t *x = X_ZigZag_x(d);
        int16_t *y = X_ZigZag_y(d, 1);
        for (int i = 0; i < 64; i++)
            y[i] = x[zigzag[i]];
        X_ZigZag_x_release(d, 1);
        X_ZigZag_y_send(d, 1);
    }
}
