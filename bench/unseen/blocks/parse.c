/* Parse: splits text into words, numbers and line ends. An incomplete token waits for the next element. */
#include <stdlib.h>
#include "X_Parse.h"

enum { NOTHING = 0, WORD = 1, NUMBER = 2, LINE = 4 };

struct state {
    uint32_t kind, value;
};

void X_Parse_init(X_Parse *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("out of memory");
}

static void token(X_Parse *d, uint32_t kind, uint32_t value) {
    if (!(kind & d->config.kinds))
        return;
    uint32_t *y = X_Parse_y(d, 1);
    y[0] = kind;
    y[1] = value;
    X_Parse_y_send(d, 1);
}

static void byte(X_Parse *d, struct state *s, uint8_t c) {
    if (c >= '0' && c <= '9') {
        if (s->kind == NUMBER) {
            s->value = s->value * 10 + (c - '0');
            return;
        }
        if (s->kind == NOTHING) {
            s->kind = NUMBER;
            s->value = c - '0';
            return;
        }
    } else if (c >= 'a' && c <= 'z') {
        if (s->kind == NUMBER)
            token(d, NUMBER, s->value);
        if (s->kind != WORD) {
            s->kind = WORD;
            s->value = 0;
        }
    } else {
        if (s->kind != NOTHING)
            token(d, s->kind, s->value);
        s->kind = NOTHING;
        if (c == '\n')
            token(d, LINE, 0);
        return;
    }
    s->value = s->value * 31 + c; /* of a word */
}

void X_Parse_push(X_Parse *d) {
    struct state *s = d->state;
    while (X_Parse_x_avail(d) > 0) {
        const uint8_t *x = X_Parse_x(d);
        for (uint32_t i = 0; i < d->config.n; i++)
            byte(d, s, x[i]);
        X_Parse_x_release(d, 1);
    }
}

void X_Parse_destroy(X_Parse *d) { free(d->state); }
