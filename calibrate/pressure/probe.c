/* Probe: the probe as a kernel, for measuring its slowdown by pressure. */
#include <stdlib.h>
#include "X_MemoryProbe.h"
#include "pace.h"
#include "touch.h"

void X_MemoryProbe_init(X_MemoryProbe *d) {
    struct touch *t = calloc(1, sizeof *t);
    if (!t || touch_open(t, BYTES) != 0)
        X_fail("out of memory");
    d->state = t;
}

int X_MemoryProbe_go(X_MemoryProbe *d) {
    struct touch *t = d->state;
    touch_chunk(t, t->lines / 2);
    *X_MemoryProbe_y(d, 1) = 0;
    X_MemoryProbe_y_send(d, 1);
    return 0;
}

void X_MemoryProbe_destroy(X_MemoryProbe *d) {
    touch_close(d->state);
    free(d->state);
}
