/* Mix: adds two blocks, and limits the sum to 24 bits. */
#include "X_Mix.h"

enum { SAMPLES = 1024, MOST = (1 << 23) - 1 };

void X_Mix_init(X_Mix *d) { (void)d; }

void X_Mix_push(X_Mix *d) {
    while (X_Mix_x_avail(d) > 0 && X_Mix_back_avail(d) > 0) {
        int32_t *y = X_Mix_y(d, 1);
        const int32_t *x = X_Mix_x(d), *back = X_Mix_back(d);
        for (int i = 0; i < SAMPLES; i++) {
            int32_t sum = x[i] + back[i];
            y[i] = sum > MOST ? MOST : sum < -MOST ? -MOST : sum;
        }
        X_Mix_x_release(d, 1);
        X_Mix_back_release(d, 1);
        X_Mix_y_send(d, 1);
    }
}

void X_Mix_destroy(X_Mix *d) { (void)d; }
