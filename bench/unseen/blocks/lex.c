/* Lex: a tokenizer. It recognizes words, numbers, quoted text and symbols, and skips blanks and comments. */
#include <stdlib.h>
#include <string.h>
#include "X_Lex.h"

enum { NOTHING, WORD, NUMBER, QUOTED, SYMBOL, COMMENT };
enum { LONGEST = 255 }; /* length in a record */

struct state {
    uint32_t kind, length; /* of the current token */
    uint8_t starts[256];   /* the kind of token that a byte starts */
    uint8_t text[LONGEST];
};

void X_Lex_init(X_Lex *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    for (int c = '!'; c <= '~'; c++)
        s->starts[c] = SYMBOL;
    for (int c = '0'; c <= '9'; c++)
        s->starts[c] = NUMBER;
    for (int c = 'a'; c <= 'z'; c++)
        s->starts[c] = s->starts[c - 'a' + 'A'] = WORD;
    s->starts['_'] = WORD;
    s->starts['"'] = QUOTED;
    s->starts['#'] = COMMENT;
    d->state = s;
}

static void token(X_Lex *d, struct state *s) {
    const uint32_t space = d->config.width - 2, kept = s->length < space ? s->length : space;
    uint8_t *y = X_Lex_y(d, 1);
    y[0] = (uint8_t)s->kind;
    y[1] = (uint8_t)(s->length < LONGEST ? s->length : LONGEST);
    memcpy(y + 2, s->text, kept);
    memset(y + 2 + kept, 0, space - kept);
    X_Lex_y_send(d, 1);
    s->kind = NOTHING;
}

static void add(struct state *s, uint8_t c) {
    if (s->length < LONGEST)
        s->text[s->length++] = c;
}

static void start(X_Lex *d, struct state *s, uint8_t c) {
    s->kind = s->starts[c];
    s->length = 0;
    if (s->kind != NOTHING)
        add(s, c);
    if (s->kind == SYMBOL)
        token(d, s);
}

static void byte(X_Lex *d, struct state *s, uint8_t c) {
    const uint8_t class = s->starts[c];
    switch (s->kind) {
    case WORD:
        if (class == WORD || class == NUMBER) {
            add(s, c);
            return;
        }
        break;
    case NUMBER:
        if (class == NUMBER || c == '.') {
            add(s, c);
            return;
        }
        break;
    case QUOTED:
        if (c != '\n') {
            add(s, c);
            if (c == '"')
                token(d, s);
            return;
        }
        break;
    case COMMENT:
        if (c == '\n')
            s->kind = NOTHING;
        return;
    default:
        break;
    }
    if (s->kind != NOTHING)
        token(d, s);
    start(d, s, c);
}

void X_Lex_push(X_Lex *d) {
    for (size_t n; (n = X_Lex_x_avail(d)) > 0; X_Lex_x_release(d, n)) {
        const uint8_t *x = X_Lex_x(d);
        const size_t bytes = n * d->config.n;
        for (size_t i = 0; i < bytes; i++)
            byte(d, d->state, x[i]);
    }
}

void X_Lex_drain(X_Lex *d) {
    struct state *s = d->state;
    if (s->kind != NOTHING && s->kind != COMMENT)
        token(d, s);
}

void X_Lex_destroy(X_Lex *d) { free(d->state); }
