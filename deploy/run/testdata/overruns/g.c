#include "X_G.h"
static long left;
void X_G_init(X_G *d) { left = d->config.elements; }
void X_G_destroy(X_G *d) { (void)d; }
int X_G_go(X_G *d) {
    float *y = X_G_y(d, 1);
    for (int i = 0; i < 256; i++)
        y[i] = left;
    X_G_y_send(d, 1);
    return --left == 0;
}
