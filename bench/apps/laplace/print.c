/* Print: prints the temperature of each point as text. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "X_Print.h"

void X_Print_init(X_Print *d) {
    if (d->config.output[0] == 0)
        return;
    d->state = fopen(d->config.output, "w");
    if (!d->state)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}

void X_Print_push(X_Print *d) {
    for (; X_Print_x_avail(d) > 0; X_Print_x_release(d, 1)) {
        const uint64_t *x = X_Print_x(d);
        double degrees = x[1] > 0 ? 100.0 * (double)x[2] / (double)x[1] : 0;
        if (d->state && fprintf(d->state, "%u %u %.6f %llu\n", (uint32_t)x[0] % d->config.n + 1, (uint32_t)x[0] / d->config.n + 1, degrees, (unsigned long long)x[1]) < 0)
            X_fail("cannot write %s: %s", d->config.output, strerror(errno));
    }
}

void X_Print_destroy(X_Print *d) {
    if (d->state && fclose(d->state) != 0)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}
