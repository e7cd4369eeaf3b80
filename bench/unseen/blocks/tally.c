/* Tally: a sink. At the end it writes the number of elements and their digest. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "X_Tally.h"

struct state {
    uint64_t elements, digest;
};

void X_Tally_init(X_Tally *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->digest = 14695981039346656037u;
    d->state = s;
}

void X_Tally_push(X_Tally *d) {
    struct state *s = d->state;
    const size_t bytes = d->config.n * sizeof *X_Tally_x(d);
    for (; X_Tally_x_avail(d) > 0; X_Tally_x_release(d, 1)) {
        const uint8_t *x = (const uint8_t *)X_Tally_x(d);
        for (size_t i = 0; i < bytes; i += 8) { /* FNV-1a, eight bytes at a time */
            uint64_t word = 0;
            memcpy(&word, x + i, bytes - i < 8 ? bytes - i : 8);
            s->digest = (s->digest ^ word) * 1099511628211u;
        }
        s->elements++;
    }
}

void X_Tally_destroy(X_Tally *d) {
    struct state *s = d->state;
    if (d->config.report[0] != 0) {
        FILE *f = fopen(d->config.report, "w");
        if (!f || fprintf(f, "%" PRIu64 " %016" PRIx64 "\n", s->elements, s->digest) < 0 || fclose(f) != 0)
            X_fail("cannot write %s: %s", d->config.report, strerror(errno));
    }
    free(s);
}
