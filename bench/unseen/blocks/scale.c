/* Scale: multiplies every sample by a, and adds b. */
#include <stdlib.h>
#include "X_Scale.h"

void X_Scale_init(X_Scale *d) { (void)d; }

void X_Scale_push(X_Scale *d) {
    const uint32_t n = d->config.n;
    const float a = d->config.a, b = d->config.b;
    while (X_Scale_x_avail(d) > 0) {
        const float *x = X_Scale_x(d);
        float *y = X_Scale_y(d, 1);
        for (uint32_t i = 0; i < n; i++)
            y[i] = a * x[i] + b;
        X_Scale_x_release(d, 1);
        X_Scale_y_send(d, 1);
    }
}

void X_Scale_destroy(X_Scale *d) { (void)d; }
