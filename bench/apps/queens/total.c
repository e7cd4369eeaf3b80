/* Total: computes the sum of all ways. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "X_Total.h"

void X_Total_init(X_Total *d) {
    if (!(d->state = calloc(1, sizeof(uint64_t))))
        X_fail("out of memory");
}

void X_Total_push(X_Total *d) {
    uint64_t *sum = d->state;
    for (size_t i = 0; i < d->x_count; i++)
        for (; X_Total_x_avail(d, i) > 0; X_Total_x_release(d, i, 1))
            *sum += *X_Total_x(d, i);
}

void X_Total_drain(X_Total *d) {
    if (d->config.output[0] == 0)
        return;
    FILE *f = fopen(d->config.output, "w");
    if (!f || fprintf(f, "%" PRIu64 "\n", *(uint64_t *)d->state) < 0 || fclose(f) != 0)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}

void X_Total_destroy(X_Total *d) { free(d->state); }
