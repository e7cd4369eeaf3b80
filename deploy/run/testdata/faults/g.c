#define _GNU_SOURCE
#include "X_G.h"
#include "fault.h"
static long left;
void X_G_init(X_G *d) { left = d->config.elements; fault("g:init"); }
int X_G_go(X_G *d) {
    if (left % 1000 == 0)
        fault("g:go");
    *X_G_y(d, 1) = (uint32_t)left;
    X_G_y_send(d, 1);
    return --left == 0;
}
void X_G_destroy(X_G *d) { (void)d; fault("g:destroy"); }
