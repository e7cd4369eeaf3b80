/* Report: prints the results as text. */
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
    for (; X_Report_x_avail(d) > 0; X_Report_x_release(d, 1)) {
        const uint64_t *x = X_Report_x(d);
        if (d->state && fprintf(d->state, "%llu %u %u\n", (unsigned long long)x[0], (uint32_t)x[1], (uint32_t)(x[1] >> 32)) < 0)
            X_fail("cannot write %s: %s", d->config.output, strerror(errno));
    }
}

void X_Report_destroy(X_Report *d) {
    if (d->state && fclose(d->state) != 0)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}
