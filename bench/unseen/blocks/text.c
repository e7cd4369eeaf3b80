/* Text: a source of text that looks like a repeated log. A word may continue in the next element. */
#include <stdlib.h>
#include <string.h>
#include "X_Text.h"

enum { LENGTH = 1 << 16 };

struct state {
    uint32_t random, kind, left; /* the kind of the current text, and its remaining length */
    uint32_t at;                 /* position in the text */
    uint64_t sent;
    uint8_t text[LENGTH];
};

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

void X_Text_init(X_Text *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->random = 2463534242u ^ d->config.seed * 2654435761u;
    for (uint32_t i = 0; i < LENGTH; i++)
        s->text[i] = next(s);
    d->state = s;
}

void X_Text_destroy(X_Text *d) { free(d->state); }

int X_Text_go(X_Text *d) {
    struct state *s = d->state;
    if (s->sent >= d->config.elements)
        return 1;
    uint8_t *y = X_Text_y(d, 1);
    for (uint32_t i = 0, part; i < d->config.n; i += part) {
        part = d->config.n - i < LENGTH - s->at ? d->config.n - i : LENGTH - s->at;
        memcpy(y + i, s->text + s->at, part);
        s->at = (s->at + part) % LENGTH;
    }
    X_Text_y_send(d, 1);
    s->sent++;
    return 0;
}
