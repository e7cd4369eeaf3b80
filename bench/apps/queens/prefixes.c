/* Prefixes: sends the columns of the queens in the first two rows, one in each byte. */
#include "X_Prefixes.h"

void X_Prefixes_init(X_Prefixes *d) {
    if (d->config.n < 4 || d->config.n > 16)
        X_fail("n is %u, expected 4 to 16", (unsigned)d->config.n);
    d->state = (void *)(uintptr_t)0;
}

int X_Prefixes_go(X_Prefixes *d) {
    uint64_t i = (uint64_t)(uintptr_t)d->state, n = d->config.n;
    if (i == d->config.elements)
        return 1;
    *X_Prefixes_y(d, 1) = (uint32_t)(i % (n * n) / n | i % n << 8);
    X_Prefixes_y_send(d, 1);
    d->state = (void *)(uintptr_t)++i;
    return i == d->config.elements;
}

void X_Prefixes_destroy(X_Prefixes *d) { (void)d; }
