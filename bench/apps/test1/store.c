/* STORE: writes arrays to a file, or drops them if no file is named. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "X_STORE.h"

void X_STORE_init(X_STORE *d) {
    if (d->config.output[0] == 0)
        return;
    d->state = fopen(d->config.output, "wb");
    if (!d->state)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}

void X_STORE_push(X_STORE *d) {
    while (X_STORE_x0_avail(d) > 0) {
        X_STORE_testpoint(d, X_STORE_SRC);
        if (d->state && fwrite(X_STORE_x0(d), 4000, 1, d->state) != 1)
            X_fail("cannot write %s: %s", d->config.output, strerror(errno));
        X_STORE_x0_release(d, 1);
        X_STORE_testpoint(d, X_STORE_SINK);
    }
}

void X_STORE_destroy(X_STORE *d) {
    if (d->state && fclose(d->state) != 0)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}
