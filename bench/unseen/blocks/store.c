/* Store: a sink that writes its input to a file, and continues at its beginning when the file is full. The file has
 * no name, so that nothing remains. At the end the sink writes the number of elements and the digest of the file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "X_Store.h"

struct state {
    FILE *file;
    uint64_t elements, capacity; /* consumed elements; capacity of the file in elements */
};

void X_Store_init(X_Store *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    if (!(s->file = tmpfile()))
        X_fail("cannot create a file: %s", strerror(errno));
    const size_t bytes = d->config.n * sizeof *X_Store_x(d);
    s->capacity = d->config.limit > bytes ? d->config.limit / bytes : 1;
    d->state = s;
}

void X_Store_push(X_Store *d) {
    struct state *s = d->state;
    const size_t bytes = d->config.n * sizeof *X_Store_x(d);
    for (size_t n; (n = X_Store_x_avail(d)) > 0; X_Store_x_release(d, n)) {
        const uint64_t left = s->capacity - s->elements % s->capacity;
        if (n > left)
            n = (size_t)left;
        if (fwrite(X_Store_x(d), bytes, n, s->file) != n)
            X_fail("cannot write a file: %s", strerror(errno));
        s->elements += n;
        if (n == left && fseek(s->file, 0, SEEK_SET) != 0)
            X_fail("cannot write a file: %s", strerror(errno));
    }
}

static uint64_t digest(FILE *file) {
    uint64_t h = 14695981039346656037u, word = 0;
    rewind(file);
    for (; fread(&word, 1, sizeof word, file) > 0; word = 0) /* FNV-1a, eight bytes at a time */
        h = (h ^ word) * 1099511628211u;
    if (ferror(file))
        X_fail("cannot read a file: %s", strerror(errno));
    return h;
}

void X_Store_destroy(X_Store *d) {
    struct state *s = d->state;
    if (d->config.output[0] != 0) {
        FILE *f = fopen(d->config.output, "w");
        if (!f || fprintf(f, "%" PRIu64 " %016" PRIx64 "\n", s->elements, digest(s->file)) < 0 || fclose(f) != 0)
            X_fail("cannot write %s: %s", d->config.output, strerror(errno));
    }
    fclose(s->file);
    free(s);
}
