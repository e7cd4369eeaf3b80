/* Samples: converts bytes to samples from -1 to 1. */
#include "X_Samples.h"

void X_Samples_init(X_Samples *d) { (void)d; }

void X_Samples_push(X_Samples *d) {
    const uint32_t n = d->config.n;
    while (X_Samples_x_avail(d) > 0) {
        const uint8_t *x = X_Samples_x(d);
        float *y = X_Samples_y(d, 1);
        for (uint32_t i = 0; i < n; i++)
            y[i] = (float)((int32_t)x[i] - 128) * 0x1p-7f;
        X_Samples_x_release(d, 1);
        X_Samples_y_send(d, 1);
    }
}

void X_Samples_destroy(X_Samples *d) { (void)d; }
