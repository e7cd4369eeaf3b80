/* Source: sends elements as fast as they are consumed, until it is stopped. */
#include <stdlib.h>
#include "X_Source.h"
#include "mix.h"

enum { WORDS = 8 };

struct state {
    uint64_t count, digest;
};

void X_Source_init(X_Source *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("out of memory");
}

int X_Source_go(X_Source *d) {
    struct state *s = d->state;
    s->digest = mix(s->digest, s->count++);
    mix_write(s->digest, X_Source_y(d, 1), WORDS);
    X_Source_y_send(d, 1);
    return 0;
}

void X_Source_destroy(X_Source *d) { free(d->state); }
