/* Report: a sink. It writes a line for each peak to the file that --sink names. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "X_Report.h"

void X_Report_init(X_Report *d) {
    if (d->config.output[0] == 0)
        return;
    d->state = fopen(d->config.output, "w");
    if (!d->state)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}

void X_Report_push(X_Report *d) {
    while (X_Report_x_avail(d) > 0) {
        const int32_t *x = X_Report_x(d);
        if (d->state && fprintf(d->state, "%d %d\n", x[0], x[1]) < 0)
            X_fail("cannot write %s: %s", d->config.output, strerror(errno));
        X_Report_x_release(d, 1);
    }
}

void X_Report_destroy(X_Report *d) {
    if (d->state && fclose(d->state) != 0)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}
