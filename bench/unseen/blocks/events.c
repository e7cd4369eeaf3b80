/* Events: a source of small records with a key and fields that count. Some keys are more frequent than other keys. */
#include <stdlib.h>
#include "X_Events.h"

struct state {
    uint32_t random;
    uint64_t sent;
};

static uint32_t draw(struct state *s) { /* xorshift32 */
    s->random ^= s->random << 13;
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random;
}

void X_Events_init(X_Events *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->random = 2463534242u ^ d->config.seed * 2654435761u;
    d->state = s;
}

void X_Events_destroy(X_Events *d) { free(d->state); }

int X_Events_go(X_Events *d) {
    struct state *s = d->state;
    if (s->sent >= d->config.elements)
        return 1;
    uint8_t *y = X_Events_y(d, 1);
    const uint32_t r = draw(s);
    y[0] = (uint8_t)((r & (r >> 8)) & 63);
    for (uint32_t i = 1; i < d->config.n; i++)
        y[i] = (uint8_t)((s->sent >> (i % 8)) + (y[0] & 3));
    X_Events_y_send(d, 1);
    s->sent++;
    return 0;
}
