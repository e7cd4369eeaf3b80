/* Code: an entropy coder. Each byte becomes its rank among the last different bytes (move to front, Bentley et al.
 * 1986), and the rank plus one becomes a gamma code (Elias 1975): as many zeros as bits follow its highest one. */
#include <stdlib.h>
#include <string.h>
#include "X_Code.h"

struct state {
    uint32_t bits, count; /* the last bits, and the number of bits that are not sent yet */
    uint32_t filled;      /* bytes of the element that is being filled */
    uint8_t *out;
    uint8_t order[256];   /* bytes, the most recent byte first */
};

void X_Code_init(X_Code *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s || !(s->out = calloc(1, d->config.m)))
        X_fail("out of memory");
    for (int c = 0; c < 256; c++)
        s->order[c] = (uint8_t)c;
    d->state = s;
}

static void put(X_Code *d, struct state *s, uint8_t c) {
    s->out[s->filled++] = c;
    if (s->filled < d->config.m)
        return;
    memcpy(X_Code_y(d, 1), s->out, d->config.m);
    X_Code_y_send(d, 1);
    s->filled = 0;
}

static void byte(X_Code *d, struct state *s, uint8_t c) {
    uint32_t rank = 0, high = 0;
    while (s->order[rank] != c)
        rank++;
    memmove(s->order + 1, s->order, rank);
    s->order[0] = c;
    for (uint32_t v = rank + 1; v > 1; v /= 2)
        high++;
    s->bits = s->bits << (2 * high + 1) | (rank + 1);
    for (s->count += 2 * high + 1; s->count >= 8; s->count -= 8)
        put(d, s, (uint8_t)(s->bits >> (s->count - 8)));
}

void X_Code_push(X_Code *d) {
    for (size_t n; (n = X_Code_x_avail(d)) > 0; X_Code_x_release(d, n)) {
        const uint8_t *x = X_Code_x(d);
        const size_t bytes = n * d->config.n;
        for (size_t i = 0; i < bytes; i++)
            byte(d, d->state, x[i]);
    }
}

void X_Code_drain(X_Code *d) {
    struct state *s = d->state;
    if (s->count > 0)
        put(d, s, (uint8_t)(s->bits << (8 - s->count)));
    while (s->filled > 0)
        put(d, s, 0);
}

void X_Code_destroy(X_Code *d) {
    struct state *s = d->state;
    free(s->out);
    free(s);
}
