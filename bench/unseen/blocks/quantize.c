/* Quantize: converts samples to bytes, with 128 for 0. */
#include "X_Quantize.h"

void X_Quantize_init(X_Quantize *d) { (void)d; }

void X_Quantize_push(X_Quantize *d) {
    const uint32_t n = d->config.n;
    const float scale = d->config.scale;
    while (X_Quantize_x_avail(d) > 0) {
        const float *x = X_Quantize_x(d);
        uint8_t *y = X_Quantize_y(d, 1);
        for (uint32_t i = 0; i < n; i++) {
            const float v = x[i] * scale;
            y[i] = (uint8_t)(128 + (int32_t)(v < -128 ? -128 : v > 127 ? 127 : v));
        }
        X_Quantize_x_release(d, 1);
        X_Quantize_y_send(d, 1);
    }
}

void X_Quantize_destroy(X_Quantize *d) { (void)d; }
