#include "X_S.h"
void X_S_init(X_S *d) { d->state = 0; }
void X_S_destroy(X_S *d) { (void)d; }
int X_S_go(X_S *d) {
    size_t n = (size_t)d->state;
    if (n == d->config.elements)
        return 1;
    uint32_t *y = X_S_y(d, 1);
    for (int i = 0; i < 16; i++)
        y[i] = (uint32_t)(n * 16 + (size_t)i) * 2654435761u;
    X_S_y_send(d, 1);
    d->state = (void *)(n + 1);
    return 0;
}
