/* Read: a source that sends the bytes of a file, and continues at its beginning after the last byte. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "X_Read.h"

enum { AT_ONCE = 4096 }; /* bytes, unless an element has more */

struct state {
    FILE *file;
    uint64_t sent;
};

void X_Read_init(X_Read *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    if (!(s->file = fopen(d->config.input, "rb")))
        X_fail("cannot read %s: %s", d->config.input, strerror(errno));
    d->state = s;
}

void X_Read_destroy(X_Read *d) {
    struct state *s = d->state;
    fclose(s->file); /* it was only read */
    free(s);
}

static void fill(X_Read *d, FILE *file, uint8_t *y, size_t bytes) {
    for (;;) {
        const size_t got = fread(y, 1, bytes, file);
        if (got == bytes)
            return;
        if (ferror(file))
            X_fail("cannot read %s: %s", d->config.input, strerror(errno));
        if (ftell(file) <= 0)
            X_fail("%s is empty", d->config.input);
        y += got;
        bytes -= got;
        rewind(file);
    }
}

int X_Read_go(X_Read *d) {
    struct state *s = d->state;
    const uint64_t left = d->config.elements > s->sent ? d->config.elements - s->sent : 0;
    if (left == 0)
        return 1;
    const size_t room = X_Read_y_room(d), part = AT_ONCE / d->config.n;
    size_t n = part > 1 ? part : 1;
    if (n > room)
        n = room > 0 ? room : 1; /* waits for space */
    if (n > left)
        n = (size_t)left;
    fill(d, s->file, X_Read_y(d, n), n * d->config.n);
    X_Read_y_send(d, n);
    s->sent += n;
    return 0;
}
