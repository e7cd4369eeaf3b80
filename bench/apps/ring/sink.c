/* Sink: reads every word. A wrong word ends the run. Elements are numbered from 0. The numbers may restart, because
 * calibrate repeats the recorded input of a kernel. */
#include <stdlib.h>
#include "X_Sink.h"

struct state {
    uint64_t taken; /* since the sequence started */
};

void X_Sink_init(X_Sink *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("out of memory");
}

void X_Sink_destroy(X_Sink *d) { free(d->state); }

void X_Sink_push(X_Sink *d) {
    struct state *s = d->state;
    for (size_t n; (n = X_Sink_x_avail(d)) > 0;) {
        const uint64_t *x = X_Sink_x(d);
        uint64_t wrong = 0, taken = s->taken;
        for (size_t j = 0; j < n; j++, taken++) {
            if (*x == 0) /* the first word of an element is its number */
                taken = 0;
            for (uint32_t i = 0; i < d->config.words; i++)
                wrong |= *x++ ^ taken ^ i;
        }
        s->taken = taken;
        if (wrong)
            X_fail("an element before %llu differs from the sent element", (unsigned long long)taken);
        X_Sink_x_release(d, n);
    }
}
