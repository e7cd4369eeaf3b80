/* Grind: combines each element with its hash after many rounds, as in the derivation of keys from passwords. */
#include "X_Grind.h"

void X_Grind_init(X_Grind *d) { (void)d; }

void X_Grind_push(X_Grind *d) {
    const size_t bytes = d->config.n * sizeof *X_Grind_x(d);
    for (; X_Grind_x_avail(d) > 0; X_Grind_x_release(d, 1)) {
        uint8_t *y = (uint8_t *)X_Grind_y(d, 1);
        const uint8_t *x = (const uint8_t *)X_Grind_x(d);
        uint32_t h = 2166136261u;
        for (uint32_t r = 0; r < d->config.rounds; r++)
            for (size_t i = 0; i < bytes; i++) /* FNV-1a */
                h = (h ^ x[i]) * 16777619u;
        for (size_t i = 0; i < bytes; i++)
            y[i] = x[i] ^ (uint8_t)(h >> 8 * (i % 4));
        X_Grind_y_send(d, 1);
    }
}

void X_Grind_destroy(X_Grind *d) { (void)d; }
