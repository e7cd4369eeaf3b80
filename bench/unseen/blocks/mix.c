/* Mix: mixes two streams of numbers bit by bit. */
#include "X_Mix.h"

void X_Mix_init(X_Mix *d) { (void)d; }

void X_Mix_push(X_Mix *d) {
    const uint32_t n = d->config.n;
    while (X_Mix_a_avail(d) > 0 && X_Mix_b_avail(d) > 0) {
        const uint32_t *a = X_Mix_a(d), *b = X_Mix_b(d);
        uint32_t *y = X_Mix_y(d, 1);
        for (uint32_t i = 0; i < n; i++)
            y[i] = a[i] ^ (b[i] << 7 | b[i] >> 25);
        X_Mix_a_release(d, 1);
        X_Mix_b_release(d, 1);
        X_Mix_y_send(d, 1);
    }
}

void X_Mix_destroy(X_Mix *d) { (void)d; }
