/* Fraction: converts the high bits of numbers to fractions from 0 to 1. */
#include "X_Fraction.h"

void X_Fraction_init(X_Fraction *d) { (void)d; }

void X_Fraction_push(X_Fraction *d) {
    const uint32_t n = d->config.n;
    while (X_Fraction_x_avail(d) > 0) {
        const uint32_t *x = X_Fraction_x(d);
        float *y = X_Fraction_y(d, 1);
        for (uint32_t i = 0; i < n; i++)
            y[i] = (float)(x[i] >> 8) * 0x1p-24f;
        X_Fraction_x_release(d, 1);
        X_Fraction_y_send(d, 1);
    }
}

void X_Fraction_destroy(X_Fraction *d) { (void)d; }
