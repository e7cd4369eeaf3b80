/* Work: works for its configured time on each element, and sends one element. */
#include <stdlib.h>
#include "X_Work.h"
#include "burn.h"
#include "mix.h"

enum { WORDS = 8 };

struct state {
    struct burn burn;
    uint64_t digest;
};

void X_Work_init(X_Work *d) {
    struct state *s = d->state = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    burn_open(&s->burn);
}

void X_Work_push(X_Work *d) {
    struct state *s = d->state;
    while (X_Work_x_avail(d) > 0) {
        s->digest = mix_read(s->digest, X_Work_x(d), WORDS);
        burn_us(&s->burn, d->config.time);
        X_Work_x_release(d, 1);
        s->digest = mix(s->digest, 1);
        mix_write(s->digest, X_Work_y(d, 1), WORDS);
        X_Work_y_send(d, 1);
    }
}

void X_Work_destroy(X_Work *d) { free(d->state); }
