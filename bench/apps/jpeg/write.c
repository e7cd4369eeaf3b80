/* Write: combines the scans of the three channels in a JFIF file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "X_Write.h"
#include "huffman.h"
#include "quant.h"
#include "zigzag.h"

struct scan {
    uint8_t *bytes;
    size_t used, size;
    int finished; /* whether FF D9 has arrived */
};

struct state {
    FILE *file;
    uint32_t width, height; /* 0 before a picture */
    struct scan scans[3];
};

void X_Write_init(X_Write *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    d->state = s;
    if (d->config.output[0] && !(s->file = fopen(d->config.output, "wb")))
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}

static void write_bytes(X_Write *d, const void *bytes, size_t n) {
    struct state *s = d->state;
    if (s->file && fwrite(bytes, 1, n, s->file) != n)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
}

static void write_marker(X_Write *d, uint8_t marker, size_t payload) {
    uint8_t b[] = {0xff, marker, (uint8_t)((payload + 2) >> 8), (uint8_t)(payload + 2)};
    write_bytes(d, b, sizeof b);
}

static void write_tables(X_Write *d) {
    for (int chroma = 0; chroma < 2; chroma++) {
        uint8_t steps[65] = {(uint8_t)chroma};
        for (int i = 0; i < 64; i++)
            steps[i + 1] = (uint8_t)quant_step(chroma, zigzag[i], d->config.quality);
        write_marker(d, 0xdb, sizeof steps);
        write_bytes(d, steps, sizeof steps);
    }
    for (int chroma = 0; chroma < 2; chroma++)
        for (int ac = 0; ac < 2; ac++) {
            const struct huffman_table *t = &huffman_tables[chroma][ac];
            size_t symbols = 0;
            for (int i = 0; i < 16; i++)
                symbols += t->lengths[i];
            uint8_t which = (uint8_t)(ac << 4 | chroma);
            write_marker(d, 0xc4, 17 + symbols);
            write_bytes(d, &which, 1);
            write_bytes(d, t->lengths, 16);
            write_bytes(d, t->symbols, symbols);
        }
}

static void write_picture(X_Write *d) {
    struct state *s = d->state;
    static const uint8_t start[] = {0xff, 0xd8}, end[] = {0xff, 0xd9};
    static const uint8_t jfif[] = {'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0};
    write_bytes(d, start, sizeof start);
    write_marker(d, 0xe0, sizeof jfif);
    write_bytes(d, jfif, sizeof jfif);
    write_tables(d);
    uint8_t frame[] = {8, (uint8_t)(s->height >> 8), (uint8_t)s->height, (uint8_t)(s->width >> 8), (uint8_t)s->width,
                       3, 1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1};
    write_marker(d, 0xc0, sizeof frame);
    write_bytes(d, frame, sizeof frame);
    for (int i = 0; i < 3; i++) {
        uint8_t scan[] = {1, (uint8_t)(i + 1), i > 0 ? 0x11 : 0x00, 0, 63, 0};
        write_marker(d, 0xda, sizeof scan);
        write_bytes(d, scan, sizeof scan);
        write_bytes(d, s->scans[i].bytes, s->scans[i].used - 2); /* without its FF D9 */
    }
    write_bytes(d, end, sizeof end);
    for (int i = 0; i < 3; i++)
        s->scans[i].used = 0, s->scans[i].finished = 0;
    s->width = 0;
}

/* accept adds bytes to a scan up to its end, and returns their number. */
static size_t accept(struct scan *s, const uint8_t *x, size_t n) {
    if (s->used + n > s->size) {
        s->size = 2 * (s->used + n);
        s->bytes = realloc(s->bytes, s->size);
        if (!s->bytes)
            X_fail("out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        s->bytes[s->used++] = x[i];
        if (s->used >= 2 && x[i] == 0xd9 && s->bytes[s->used - 2] == 0xff) {
            s->finished = 1;
            return i + 1;
        }
    }
    return n;
}

void X_Write_push(X_Write *d) {
    struct state *s = d->state;
    for (;;) {
        if (s->width == 0 && X_Write_size_avail(d) > 0) {
            s->width = X_Write_size(d)[0];
            s->height = X_Write_size(d)[1];
            X_Write_size_release(d, 1);
        }
        size_t n;
        while (!s->scans[0].finished && (n = X_Write_y_avail(d)) > 0)
            X_Write_y_release(d, accept(&s->scans[0], X_Write_y(d), n));
        while (!s->scans[1].finished && (n = X_Write_cb_avail(d)) > 0)
            X_Write_cb_release(d, accept(&s->scans[1], X_Write_cb(d), n));
        while (!s->scans[2].finished && (n = X_Write_cr_avail(d)) > 0)
            X_Write_cr_release(d, accept(&s->scans[2], X_Write_cr(d), n));
        if (s->width == 0 || !s->scans[0].finished || !s->scans[1].finished || !s->scans[2].finished)
            return;
        write_picture(d);
    }
}

void X_Write_drain(X_Write *d) {
    const struct state *s = d->state;
    if (s->width || s->scans[0].used || s->scans[1].used || s->scans[2].used)
        X_fail("the input ended within a picture");
}

void X_Write_destroy(X_Write *d) {
    struct state *s = d->state;
    if (s->file && fclose(s->file) != 0)
        X_fail("cannot write %s: %s", d->config.output, strerror(errno));
    for (int i = 0; i < 3; i++)
        free(s->scans[i].bytes);
    free(s);
}
