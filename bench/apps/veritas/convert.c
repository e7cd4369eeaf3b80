/* Convert: sends samples as signed numbers, without the pedestal, which is the mean of the
 * first four samples. */
#include "X_Convert.h"

void X_Convert_init(X_Convert *d) { (void)d; }
void X_Convert_destroy(X_Convert *d) { (void)d; }

void X_Convert_push(X_Convert *d) {
    while (X_Convert_x_avail(d) > 0) {
        const uint8_t *x = X_Convert_x(d);
        int16_t *y = X_Convert_y(d, 1);
        int pedestal = (x[0] + x[1] + x[2] + x[3] + 2) / 4;
        for (int i = 0; i < 24; i++)
            y[i] = (int16_t)(x[i] - pedestal);
        X_Convert_x_release(d, 1);
        X_Convert_y_send(d, 1);
    }
}
