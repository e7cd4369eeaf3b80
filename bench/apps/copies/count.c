/* Count: replaces the second number of an element by the number of elements with its key so far. The state of a
 * key depends only on its elements, so another replica may process the other keys. */
#include <stdlib.h>
#include "X_Count.h"
#include "delay.h"

enum { KEYS = 1 << 16 };

void X_Count_init(X_Count *d) {
    d->state = calloc(KEYS, sizeof(uint32_t));
    if (!d->state)
        X_fail("out of memory");
}

void X_Count_destroy(X_Count *d) { free(d->state); }

void X_Count_push(X_Count *d) {
    uint32_t *seen = d->state;
    while (X_Count_x_avail(d) > 0) {
        uint32_t *y = X_Count_y(d, 1);
        const uint32_t *x = X_Count_x(d);
        for (int i = 0; i < 8; i++)
            y[i] = x[i];
        if (x[0] >= KEYS)
            X_fail("key %u is too large, expected less than %d", x[0], KEYS);
        y[1] = ++seen[x[0]];
        delay(d->config.delay);
        X_Count_x_release(d, 1);
        X_Count_y_send(d, 1);
    }
}
