#include "X_G.h"
static long left = 400;
void X_G_init(X_G *d) { (void)d; }
void X_G_destroy(X_G *d) { (void)d; }
int X_G_go(X_G *d) {
    *X_G_y(d, 1) = left;
    X_G_y_send(d, 1);
    return --left == 0;
}
