#include "X_S.h"
void X_S_init(X_S *d) { (void)d; }
void X_S_destroy(X_S *d) { (void)d; }
void X_S_push(X_S *d) { /* fails on an element that somebody else has written to */
    while (X_S_x_avail(d)) {
        const float *x = X_S_x(d);
        for (int i = 1; i < 256; i++)
            if (x[i] != x[0])
                X_fail("got %g at %d", x[i], i);
        X_S_x_release(d, 1);
    }
}
