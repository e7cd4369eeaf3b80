/* Burner: works, counts, and repeats, like the processes of Beard 2013 §5.1. */
#include <stdlib.h>
#include "X_Burner.h"
#include "burn.h"

struct state {
    struct burn burn;
    uint64_t count;
};

void X_Burner_init(X_Burner *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->burn.per_us = d->config.speed;
    if (d->config.speed <= 0)
        burn_open(&s->burn);
    d->state = s;
}

int X_Burner_go(X_Burner *d) {
    struct state *s = d->state;
    burn_us(&s->burn, d->config.time);
    *X_Burner_y(d, 1) = s->count++;
    X_Burner_y_send(d, 1);
    return s->count >= d->config.elements;
}

void X_Burner_destroy(X_Burner *d) { free(d->state); }
