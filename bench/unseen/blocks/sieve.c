/* Sieve: sends each record to one of two outputs, depending on the hash of its bytes. */
#include <string.h>
#include "X_Sieve.h"

void X_Sieve_init(X_Sieve *d) { (void)d; }

void X_Sieve_push(X_Sieve *d) {
    const uint32_t n = d->config.n;
    for (; X_Sieve_x_avail(d) > 0; X_Sieve_x_release(d, 1)) {
        const uint8_t *x = X_Sieve_x(d);
        uint32_t h = 2166136261u;
        for (uint32_t i = 0; i < n; i++) /* FNV-1a */
            h = (h ^ x[i]) * 16777619u;
        const size_t way = h >> 24 < d->config.level ? 0 : 1;
        memcpy(X_Sieve_y(d, way, 1), x, n);
        X_Sieve_y_send(d, way, 1);
    }
}

void X_Sieve_destroy(X_Sieve *d) { (void)d; }
