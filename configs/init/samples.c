/* Samples: a source. It sends a slow wave with noise, and now and then a peak. */
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
        X_fail("out of memory"); /* ends the run, and names this kernel */
    *s = (struct state){.random = 2463534242u ^ d->config.seed * 2654435761u, .left = d->config.elements};
    d->state = s; /* the kernel's own: each instance has one */
}

static uint32_t draw(struct state *s) { /* xorshift32 */
    s->random ^= s->random << 13;
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random;
}

/* go sends some elements, and returns 1 when there are no more. */
int X_Samples_go(X_Samples *d) {
    struct state *s = d->state;
    if (s->left <= 0)
        return 1;
    int32_t *y = X_Samples_y(d, 1); /* room for one element; waits for it */
    for (int i = 0; i < 256; i++, s->time++) {
        int32_t wave = (int32_t)(s->time % 2048) - 1024;
        y[i] = wave + (int32_t)(draw(s) % 64);
    }
    if (draw(s) % 8 == 0) { /* a peak of eight samples in one array of eight */
        uint32_t at = draw(s) % 248;
        for (uint32_t i = at; i < at + 8; i++)
            y[i] += 4000;
    }
    X_Samples_y_send(d, 1);
    return --s->left == 0;
}

void X_Samples_destroy(X_Samples *d) { free(d->state); }
