/* Add: computes the mean of two streams. */
#include "X_Add.h"

void X_Add_init(X_Add *d) { (void)d; }

void X_Add_push(X_Add *d) {
    const uint32_t n = d->config.n;
    while (X_Add_a_avail(d) > 0 && X_Add_b_avail(d) > 0) {
        const float *a = X_Add_a(d), *b = X_Add_b(d);
        float *y = X_Add_y(d, 1);
        for (uint32_t i = 0; i < n; i++)
            y[i] = (a[i] + b[i]) * 0.5f;
        X_Add_a_release(d, 1);
        X_Add_b_release(d, 1);
        X_Add_y_send(d, 1);
    }
}

void X_Add_destroy(X_Add *d) { (void)d; }
