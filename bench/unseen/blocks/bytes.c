/* Bytes: sends the four bytes of each number, the lowest first. */
#include "X_Bytes.h"

void X_Bytes_init(X_Bytes *d) { (void)d; }

void X_Bytes_push(X_Bytes *d) {
    const uint32_t n = d->config.n;
    while (X_Bytes_x_avail(d) > 0) {
        const uint32_t *x = X_Bytes_x(d);
        uint8_t *y = X_Bytes_y(d, 1);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t b = 0; b < 4; b++)
                y[4 * i + b] = (uint8_t)(x[i] >> 8 * b);
        X_Bytes_x_release(d, 1);
        X_Bytes_y_send(d, 1);
    }
}

void X_Bytes_destroy(X_Bytes *d) { (void)d; }
