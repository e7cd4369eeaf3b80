/* Text: a source of text that looks like a log. A word may go on in the next element. */
#include <stdlib.h>
#include "X_Text.h"

struct state {
    uint32_t random, kind, left; /* what is being written, and how much of it is left */
    uint64_t sent;
};

void X_Text_init(X_Text *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->random = 2463534242u ^ d->config.seed * 2654435761u;
    d->state = s;
}

void X_Text_destroy(X_Text *d) { free(d->state); }

static uint32_t draw(struct state *s) { /* xorshift32 */
    s->random ^= s->random << 13;
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random;
}

static uint8_t next(struct state *s) {
    if (s->left == 0) {
        uint32_t r = draw(s);
        s->kind = r % 8;
        s->left = 1 + (r >> 8) % (s->kind == 0 ? 24 : 8);
        return r >> 16 & 15 ? ' ' : '\n';
    }
    s->left--;
    if (s->kind == 0)
        return ' ';
    if (s->kind == 1)
        return (uint8_t)('0' + draw(s) % 10);
    return (uint8_t)('a' + draw(s) % (s->kind < 5 ? 4 : 26));
}

int X_Text_go(X_Text *d) {
    struct state *s = d->state;
    if (s->sent >= d->config.elements)
        return 1;
    uint8_t *y = X_Text_y(d, 1);
    for (uint32_t i = 0; i < d->config.n; i++)
        y[i] = next(s);
    X_Text_y_send(d, 1);
    s->sent++;
    return 0;
}
