/* Peak: sends the greatest number of an element. */
#include "X_Peak.h"

void X_Peak_init(X_Peak *d) { (void)d; }
void X_Peak_destroy(X_Peak *d) { (void)d; }

void X_Peak_push(X_Peak *d) {
    while (X_Peak_x_avail(d) > 0) {
        const uint32_t *x = X_Peak_x(d);
        uint32_t peak = 0;
        for (int i = 0; i < 16; i++)
            peak = x[i] > peak ? x[i] : peak;
        *X_Peak_y(d, 1) = peak;
        X_Peak_x_release(d, 1);
        X_Peak_y_send(d, 1);
    }
}
