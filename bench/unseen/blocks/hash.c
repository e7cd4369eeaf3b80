/* Hash: computes the 32-bit FNV-1a hash of every part of an element. */
#include "X_Hash.h"

void X_Hash_init(X_Hash *d) { (void)d; }

void X_Hash_push(X_Hash *d) {
    const uint32_t part = d->config.part, parts = d->config.n / part;
    while (X_Hash_x_avail(d) > 0) {
        const uint8_t *x = X_Hash_x(d);
        uint32_t *y = X_Hash_y(d, 1);
        for (uint32_t p = 0; p < parts; p++) {
            uint32_t h = 2166136261u;
            for (uint32_t i = p * part; i < (p + 1) * part; i++)
                h = (h ^ x[i]) * 16777619u;
            y[p] = h;
        }
        X_Hash_x_release(d, 1);
        X_Hash_y_send(d, 1);
    }
}

void X_Hash_destroy(X_Hash *d) { (void)d; }
