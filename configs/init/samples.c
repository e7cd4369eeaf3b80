/* Samples: a source. It sends a slow wave with noise and occasional peaks. */
#include <stdlib.h>
#include "X_Samples.h" /* generated from the declaration of the block */

struct state {
    uint32_t random;
    int64_t left;
    uint32_t time;
};

void X_Samples_init(X_Samples *d) {
    struct state *s = malloc(sizeof *s);
    if (!s)
        X_fail("out of memory"); /* ends the run with a message that names this kernel */
    *s = (struct state){.random = 2463534242u ^ d->config.seed * 2654435761u, .left = d->config.elements};
    d->state = s; /* each instance of the block has its own state */
}

static uint32_t draw(struct state *s) { /* xorshift32 */
    s->random ^= s->random << 13;
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random;
}

/* go sends one element. It returns 1 after the last element. */
int X_Samples_go(X_Samples *d) {
    struct state *s = d->state;
    if (s->left <= 0)
        return 1;
    int32_t *y = X_Samples_y(d, 1); /* waits for space for one element */
    for (int i = 0; i < 256; i++, s->time++) {
        int32_t wave = (int32_t)(s->time % 2048) - 1024;
        y[i] = wave + (int32_t)(draw(s) % 64);
    }
    if (draw(s) % 8 == 0) { /* one array in eight contains a peak of eight samples */
        uint32_t at = draw(s) % 248;
        for (uint32_t i = at; i < at + 8; i++)
            y[i] += 4000;
    }
    X_Samples_y_send(d, 1);
    return --s->left == 0;
}

void X_Samples_destroy(X_Samples *d) { free(d->state); }
