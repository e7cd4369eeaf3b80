/* Sink: reads every word that arrives. */
#include <stdlib.h>
#include "X_Sink.h"
#include "mix.h"

enum { WORDS = 8 };

void X_Sink_init(X_Sink *d) {
    d->state = calloc(1, sizeof(uint64_t));
    if (!d->state)
        X_fail("out of memory");
}

void X_Sink_push(X_Sink *d) {
    uint64_t *digest = d->state;
    for (; X_Sink_x_avail(d) > 0; X_Sink_x_release(d, 1))
        *digest = mix_read(*digest, X_Sink_x(d), WORDS);
}

void X_Sink_destroy(X_Sink *d) { free(d->state); }
