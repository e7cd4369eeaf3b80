/* Mix: applies rounds of a linear congruential step to the numbers of an element. */
#include "X_Mix.h"
#include "delay.h"

void X_Mix_init(X_Mix *d) { (void)d; }
void X_Mix_destroy(X_Mix *d) { (void)d; }

void X_Mix_push(X_Mix *d) {
    while (X_Mix_x_avail(d) > 0) {
        uint32_t *y = X_Mix_y(d, 1);
        const uint32_t *x = X_Mix_x(d);
        for (int i = 0; i < 8; i++)
            y[i] = x[i];
        for (uint32_t r = 0; r < d->config.rounds; r++)
            for (int i = 1; i < 8; i++)
                y[i] = 1664525u * y[i] + 1013904223u + y[i - 1];
        delay(d->config.delay);
        X_Mix_x_release(d, 1);
        X_Mix_y_send(d, 1);
    }
}
