/* Source: arrays of numbers, as fast as they are taken. */
#include "X_Source.h"

void X_Source_init(X_Source *d) { (void)d; }
void X_Source_destroy(X_Source *d) { (void)d; }

int X_Source_go(X_Source *d) {
    uint64_t sent = (uint64_t)(uintptr_t)d->state;
    if (sent >= d->config.elements)
        return 1;
    uint64_t *y = X_Source_y(d, 1);
    for (uint32_t i = 0; i < d->config.words; i++)
        y[i] = sent + i;
    X_Source_y_send(d, 1);
    d->state = (void *)(uintptr_t)(sent + 1);
    return 0;
}
