/* Source: sends numbered words as fast as possible. */
#include <stdlib.h>
#include "X_Source.h"

void X_Source_init(X_Source *d) {
    d->state = calloc(1, sizeof(uint64_t));
    if (!d->state)
        X_fail("out of memory");
}

void X_Source_destroy(X_Source *d) { free(d->state); }

int X_Source_go(X_Source *d) {
    uint64_t *sent = d->state, left = d->config.elements - *sent;
    if (left == 0)
        return 1;
    uint64_t n = left < d->config.batch ? left : d->config.batch;
    uint64_t *y = X_Source_y(d, n);
    for (uint64_t j = 0; j < n; j++, ++*sent)
        for (uint32_t i = 0; i < d->config.words; i++)
            *y++ = *sent ^ i;
    X_Source_y_send(d, n);
    return 0;
}
