/* Feed: sends tokens as fast as possible. */
#include "X_Feed.h"

void X_Feed_init(X_Feed *d) { d->state = (void *)(size_t)d->config.elements; }

void X_Feed_destroy(X_Feed *d) { (void)d; }

int X_Feed_go(X_Feed *d) {
    size_t left = (size_t)d->state;
    if (left == 0)
        return 1;
    *X_Feed_y(d, 1) = left;
    X_Feed_y_send(d, 1);
    d->state = (void *)(left - 1);
    return left == 1;
}
