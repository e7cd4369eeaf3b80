/* FileRead: sends the events of a file, or generated events. Every generated pixel has a pedestal with noise. Some
 * pixels also have a pulse that rises fast and falls slowly. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "X_FileRead.h"

enum { PIXELS = 499, SAMPLES = 24, PEDESTAL = 16 };

struct state {
    FILE *file;
    uint64_t left;
    uint32_t random;
};

void X_FileRead_init(X_FileRead *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    d->state = s;
    s->left = d->config.elements;
    s->random = 2463534242u ^ (d->config.seed * 2654435761u);
    if (s->random == 0)
        s->random = 1;
    if (d->config.input[0] && !(s->file = fopen(d->config.input, "rb")))
        X_fail("cannot read %s: %s", d->config.input, strerror(errno));
}

static uint32_t number(struct state *s) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random >> 8;
}

static void make_pixel(struct state *s, uint8_t *out) {
    double height = number(s) % 4 == 0 ? (double)(number(s) % 200) : 0, start = 4 + (double)(number(s) % 80) / 10;
    for (int i = 0; i < SAMPLES; i++) {
        double t = i - start, pulse = t > 0 ? height * t * exp(1 - t / 2) / 2 : 0;
        double v = PEDESTAL + pulse + (double)(number(s) % 5) - 2;
        out[i] = (uint8_t)(v > 255 ? 255 : v);
    }
}

int X_FileRead_go(X_FileRead *d) {
    struct state *s = d->state;
    if (!s->file && s->left == 0)
        return 1;
    uint8_t *out = X_FileRead_event(d, 1);
    if (s->file) {
        size_t n = fread(out, 1, PIXELS * SAMPLES, s->file);
        if (n == 0 && !ferror(s->file))
            return 1;
        if (n != PIXELS * SAMPLES)
            X_fail("%s ends within an event, after %zu of %d bytes", d->config.input, n, PIXELS * SAMPLES);
    } else {
        for (int p = 0; p < PIXELS; p++)
            make_pixel(s, out + p * SAMPLES);
        s->left--;
    }
    X_FileRead_event_send(d, 1);
    return 0;
}

void X_FileRead_destroy(X_FileRead *d) {
    struct state *s = d->state;
    if (s->file)
        fclose(s->file); /* it was only read */
    free(s);
}
