#include <stdio.h>
#include "X_D.h"
void X_D_init(X_D *d) { d->state = d->config.output[0] ? fopen(d->config.output, "wb") : 0; }
void X_D_destroy(X_D *d) {
    if (d->state)
        fclose(d->state);
}
void X_D_push(X_D *d) {
    for (; X_D_x_avail(d) > 0; X_D_x_release(d, 1))
        if (d->state && fwrite(X_D_x(d), 64, 1, d->state) != 1)
            X_fail("cannot write");
}
