/* Compress: a dictionary coder (Ziv and Lempel 1977) that looks up four bytes at a time. A literal run is its
 * length, 1 to 127, and the bytes. A match is 128 + length - 4, and its distance in two bytes. */
#include <stdlib.h>
#include <string.h>
#include "X_Compress.h"

enum { BITS = 10, LEAST = 4, MOST = LEAST + 127, RUN = 127 };

struct state {
    uint32_t filled; /* bytes of the element that is being filled */
    uint8_t *out;
    uint16_t last[1 << BITS]; /* last position of four bytes, plus one */
};

void X_Compress_init(X_Compress *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s || !(s->out = calloc(1, d->config.m)))
        X_fail("out of memory");
    d->state = s;
}

static void flush(X_Compress *d, struct state *s) {
    memset(s->out + s->filled, 0, d->config.m - s->filled);
    memcpy(X_Compress_y(d, 1), s->out, d->config.m);
    X_Compress_y_send(d, 1);
    s->filled = 0;
}

static void put(X_Compress *d, struct state *s, uint8_t c) {
    s->out[s->filled++] = c;
    if (s->filled == d->config.m)
        flush(d, s);
}

static void literals(X_Compress *d, struct state *s, const uint8_t *x, uint32_t n) {
    while (n > 0) {
        const uint32_t run = n < RUN ? n : RUN;
        put(d, s, (uint8_t)run);
        for (uint32_t i = 0; i < run; i++)
            put(d, s, x[i]);
        x += run;
        n -= run;
    }
}

static uint32_t four(const uint8_t *x) {
    return x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

static void compress(X_Compress *d, struct state *s, const uint8_t *x, uint32_t n) {
    uint32_t from = 0, at = 0;
    memset(s->last, 0, sizeof s->last);
    while (at + LEAST <= n) {
        uint16_t *slot = &s->last[four(x + at) * 2654435761u >> (32 - BITS)];
        const uint32_t before = *slot;
        *slot = (uint16_t)(at + 1);
        if (before == 0 || four(x + before - 1) != four(x + at)) {
            at++;
            continue;
        }
        uint32_t length = LEAST;
        while (at + length < n && length < MOST && x[before - 1 + length] == x[at + length])
            length++;
        literals(d, s, x + from, at - from);
        put(d, s, (uint8_t)(128 + length - LEAST));
        put(d, s, (uint8_t)(at + 1 - before));
        put(d, s, (uint8_t)((at + 1 - before) >> 8));
        from = at += length;
    }
    literals(d, s, x + from, n - from);
}

void X_Compress_push(X_Compress *d) {
    for (; X_Compress_x_avail(d) > 0; X_Compress_x_release(d, 1))
        compress(d, d->state, X_Compress_x(d), d->config.n);
}

void X_Compress_drain(X_Compress *d) {
    struct state *s = d->state;
    if (s->filled > 0)
        flush(d, s);
}

void X_Compress_destroy(X_Compress *d) {
    struct state *s = d->state;
    free(s->out);
    free(s);
}
