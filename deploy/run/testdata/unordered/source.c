#include "X_Source.h"
static uint64_t n;
void X_Source_init(X_Source *d) { (void)d; }
void X_Source_destroy(X_Source *d) { (void)d; }
int X_Source_go(X_Source *d) {
    *X_Source_y(d, 1) = n++;
    X_Source_y_send(d, 1);
    return n == d->config.elements;
}
