/* Sink: counts the elements of each input, and computes a digest of these elements in order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "X_Sink.h"
#include "mix.h"

struct input {
    uint64_t elements, digest;
};

void X_Sink_init(X_Sink *d) {
    d->state = calloc(d->x_count + 1, sizeof(struct input));
    if (!d->state)
        X_fail("out of memory");
}

void X_Sink_push(X_Sink *d) {
    struct input *inputs = d->state;
    for (size_t i = 0; i < d->x_count; i++)
        for (; X_Sink_x_avail(d, i) > 0; X_Sink_x_release(d, i, 1)) {
            inputs[i].digest = mix_read(inputs[i].digest, X_Sink_x(d, i), d->config.words);
            inputs[i].elements++;
        }
}

void X_Sink_destroy(X_Sink *d) {
    const struct input *inputs = d->state;
    if (d->config.output[0]) {
        FILE *f = fopen(d->config.output, "w");
        if (!f)
            X_fail("cannot write %s: %s", d->config.output, strerror(errno));
        for (size_t i = 0; i < d->x_count; i++)
            fprintf(f, "%llu %016llx\n", (unsigned long long)inputs[i].elements, (unsigned long long)inputs[i].digest);
        if (fclose(f) != 0)
            X_fail("cannot write %s: %s", d->config.output, strerror(errno));
    }
    free(d->state);
}
