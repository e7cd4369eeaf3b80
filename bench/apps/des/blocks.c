/* Blocks: sends the blocks of a file, or pseudo-random blocks (splitmix64). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "X_Blocks.h"

struct state {
    FILE *file;
    uint64_t left, random;
};

void X_Blocks_init(X_Blocks *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    d->state = s;
    s->left = d->config.elements;
    s->random = d->config.seed;
    if (d->config.input[0] && !(s->file = fopen(d->config.input, "rb")))
        X_fail("cannot read %s: %s", d->config.input, strerror(errno));
}

static int from_file(X_Blocks *d, FILE *f) {
    uint8_t b[8];
    size_t n = fread(b, 1, sizeof b, f);
    if (n == 0 && !ferror(f))
        return 1;
    if (ferror(f))
        X_fail("cannot read %s: %s", d->config.input, strerror(errno));
    if (n != sizeof b)
        X_fail("%s ends with a block of %zu bytes, expected complete blocks of 8 (pad the file)", d->config.input, n);
    uint64_t v = 0;
    for (size_t i = 0; i < sizeof b; i++)
        v = v << 8 | b[i];
    *X_Blocks_y(d, 1) = v;
    X_Blocks_y_send(d, 1);
    return 0;
}

int X_Blocks_go(X_Blocks *d) {
    struct state *s = d->state;
    if (s->file)
        return from_file(d, s->file);
    if (s->left == 0)
        return 1;
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    *X_Blocks_y(d, 1) = z ^ z >> 31;
    X_Blocks_y_send(d, 1);
    return --s->left == 0;
}

void X_Blocks_destroy(X_Blocks *d) {
    struct state *s = d->state;
    if (s->file)
        fclose(s->file); /* it was only read */
    free(s);
}
