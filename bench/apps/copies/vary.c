/* Vary: sends an element zero to three times, depending on the lowest bits of its last number. */
#include "X_Vary.h"
#include "delay.h"

void X_Vary_init(X_Vary *d) { (void)d; }
void X_Vary_destroy(X_Vary *d) { (void)d; }

void X_Vary_push(X_Vary *d) {
    while (X_Vary_x_avail(d) > 0) {
        const uint32_t *x = X_Vary_x(d);
        for (uint32_t n = x[7] >> 8 & 3; n > 0; n--) {
            uint32_t *y = X_Vary_y(d, 1);
            for (int i = 0; i < 8; i++)
                y[i] = x[i] + (i == 2 ? n : 0);
            X_Vary_y_send(d, 1);
        }
        delay(d->config.delay);
        X_Vary_x_release(d, 1);
    }
}
