/* Read: sends the blocks of a picture, row by row. Beyond the edges of the picture, the edge pixels repeat. The
 * picture is a PPM file, or a drawing of color gradients, discs and noise. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "X_Read.h"

enum { LARGEST = 65500 }; /* maximum of a JPEG file, as in libjpeg */

struct state {
    uint32_t width, height, x, y;
    uint64_t left; /* pictures still to be sent */
    int begun;     /* whether the sizes of this picture have been sent */
    uint8_t *pixels;
};

/* number reads the next number of a PPM header. It skips comments. */
static uint32_t number(X_Read *d, FILE *f) {
    int c = fgetc(f);
    while (c == '#' || isspace(c)) {
        if (c == '#')
            while (c != '\n' && c != EOF)
                c = fgetc(f);
        c = fgetc(f);
    }
    uint32_t v = 0;
    if (!isdigit(c))
        X_fail("%s: the header is damaged, expected P6, width, height, 255", d->config.input);
    for (; isdigit(c); c = fgetc(f))
        if ((v = v * 10 + (uint32_t)(c - '0')) > 1000000)
            X_fail("%s: a number in the header is too large", d->config.input);
    return v;
}

static void allocate(X_Read *d) {
    struct state *s = d->state;
    if (s->width < 1 || s->height < 1 || s->width > LARGEST || s->height > LARGEST)
        X_fail("the picture is %u by %u pixels, expected 1 to %d each", s->width, s->height, LARGEST);
    s->pixels = malloc((size_t)s->width * s->height * 3);
    if (!s->pixels)
        X_fail("out of memory for a picture of %u by %u pixels", s->width, s->height);
}

static void load(X_Read *d) {
    struct state *s = d->state;
    FILE *f = fopen(d->config.input, "rb");
    if (!f)
        X_fail("cannot read %s: %s", d->config.input, strerror(errno));
    if (fgetc(f) != 'P' || fgetc(f) != '6')
        X_fail("%s is not a PPM file in P6 format (convert it, for example with pngtopnm or djpeg -ppm)", d->config.input);
    s->width = number(d, f);
    s->height = number(d, f);
    uint32_t maximum = number(d, f);
    if (maximum != 255)
        X_fail("%s has samples up to %u, expected 255 (8 bits)", d->config.input, maximum);
    allocate(d);
    size_t want = (size_t)s->width * s->height * 3, n = fread(s->pixels, 1, want, f);
    if (n != want)
        X_fail("%s ends after %zu of %zu bytes", d->config.input, n, want);
    fclose(f); /* it was only read */
}

static void draw(X_Read *d) {
    struct state *s = d->state;
    s->width = d->config.width;
    s->height = d->config.height;
    allocate(d);
    uint32_t random = 2463534242u;
    uint8_t *p = s->pixels;
    for (uint32_t y = 0; y < s->height; y++)
        for (uint32_t x = 0; x < s->width; x++, p += 3) {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            int64_t cx = (int64_t)(x % 128) - 64, cy = (int64_t)(y % 96) - 48;
            int disc = cx * cx + cy * cy < 900 ? 90 : 0;
            int noise = y > s->height / 2 ? (int)(random >> 27) : 0;
            p[0] = (uint8_t)(160 * (uint64_t)x / s->width + (uint64_t)disc / 2 + (uint64_t)noise);
            p[1] = (uint8_t)(160 * (uint64_t)y / s->height + (uint64_t)disc + (uint64_t)noise / 2);
            p[2] = (uint8_t)(200 - disc - noise);
        }
}

void X_Read_init(X_Read *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    d->state = s;
    s->left = d->config.elements;
    if (d->config.input[0])
        load(d);
    else
        draw(d);
}

static void send_sizes(X_Read *d) {
    const struct state *s = d->state;
    for (size_t i = 0; i < d->size_count; i++) {
        uint32_t *size = X_Read_size(d, i, 1);
        size[0] = s->width;
        size[1] = s->height;
        X_Read_size_send(d, i, 1);
    }
}

int X_Read_go(X_Read *d) {
    struct state *s = d->state;
    if (s->left == 0)
        return 1;
    if (!s->begun) {
        send_sizes(d);
        s->begun = 1;
    }
    uint8_t *out = X_Read_rgb(d, 1);
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t y = s->y + i < s->height ? s->y + i : s->height - 1;
        for (uint32_t j = 0; j < 8; j++, out += 3) {
            uint32_t x = s->x + j < s->width ? s->x + j : s->width - 1;
            memcpy(out, s->pixels + 3 * ((size_t)y * s->width + x), 3);
        }
    }
    X_Read_rgb_send(d, 1);
    if ((s->x += 8) >= s->width) {
        s->x = 0;
        if ((s->y += 8) >= s->height) {
            s->y = 0;
            s->begun = 0;
            return --s->left == 0;
        }
    }
    return 0;
}

void X_Read_destroy(X_Read *d) {
    struct state *s = d->state;
    free(s->pixels);
    free(s);
}
