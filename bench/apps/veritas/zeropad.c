/* ZeroPad: adds room for the convolution, so that its ends do not overlap. */
#include "X_ZeroPad.h"

void X_ZeroPad_init(X_ZeroPad *d) { (void)d; }
void X_ZeroPad_destroy(X_ZeroPad *d) { (void)d; }

void X_ZeroPad_push(X_ZeroPad *d) {
    while (X_ZeroPad_x_avail(d) > 0) {
        const int16_t *x = X_ZeroPad_x(d);
        float *y = X_ZeroPad_y(d, 1);
        for (int i = 0; i < 96; i++)
            y[i] = i < 24 ? (float)x[i] : 0;
        X_ZeroPad_x_release(d, 1);
        X_ZeroPad_y_send(d, 1);
    }
}
