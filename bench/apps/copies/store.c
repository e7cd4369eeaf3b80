/* Store: writes its input to a file, element by element, or drops it if no file is named. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "X_Store.h"

void X_Store_init(X_Store *d) {
    if (d->config.output[0] == 0)
        return;
    d->state = fopen(d->config.output, "wb");
    if (!d->state)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}

void X_Store_push(X_Store *d) {
    while (X_Store_x_avail(d) > 0) {
        if (d->state && fwrite(X_Store_x(d), 32, 1, d->state) != 1)
            X_fail("cannot write %s: %s", d->config.output, strerror(errno));
        X_Store_x_release(d, 1);
    }
}

void X_Store_destroy(X_Store *d) {
    if (d->state && fclose(d->state) != 0)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}
