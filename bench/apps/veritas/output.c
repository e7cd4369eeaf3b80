/* Output: writes events to a file, or drops them if no file is named. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "X_Output.h"

void X_Output_init(X_Output *d) {
    if (d->config.output[0] == 0)
        return;
    d->state = fopen(d->config.output, "wb");
    if (!d->state)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}

void X_Output_push(X_Output *d) {
    for (size_t n; (n = X_Output_event_avail(d)) > 0; X_Output_event_release(d, n))
        if (d->state && fwrite(X_Output_event(d), 499 * sizeof(float), n, d->state) != n)
            X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}

void X_Output_destroy(X_Output *d) {
    if (d->state && fclose(d->state) != 0)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}
