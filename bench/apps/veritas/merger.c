/* Merger: collects the charges of an event from the pipes in turn. */
#include <stdlib.h>
#include <string.h>
#include "X_Merger.h"

enum { PIXELS = 499 };

typedef __typeof__(*X_Merger_event((X_Merger *)0, 1)) number; /* float, or int32_t in fixed.x */

struct state {
    size_t next;
    number charges[PIXELS];
};

void X_Merger_init(X_Merger *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("out of memory");
}

void X_Merger_destroy(X_Merger *d) { free(d->state); }

void X_Merger_push(X_Merger *d) {
    struct state *s = d->state;
    for (;;) {
        size_t pipe = s->next % d->charge_count;
        if (X_Merger_charge_avail(d, pipe) == 0)
            return;
        s->charges[s->next] = *X_Merger_charge(d, pipe);
        X_Merger_charge_release(d, pipe, 1);
        if (++s->next == PIXELS) {
            memcpy(X_Merger_event(d, 1), s->charges, sizeof s->charges);
            X_Merger_event_send(d, 1);
            s->next = 0;
        }
    }
}
