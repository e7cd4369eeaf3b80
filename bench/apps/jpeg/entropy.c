/* Entropy: computes the run lengths and Huffman codes of a channel's blocks (T.81 F.1.2). It starts again with each
 * picture. The bytes of a picture end with FF D9, which no scan contains. */
#include <stdlib.h>
#include "X_Entropy.h"
#include "huffman.h"

enum { MOST = 1024 }; /* maximum bytes of a block, with room to spare */

struct state {
    uint32_t code[2][256];
    uint8_t length[2][256];
    uint64_t left; /* remaining blocks of this picture */
    int dc;
    uint32_t bits; /* not yet sent */
    int count;
    uint8_t bytes[MOST];
    size_t used;
};

void X_Entropy_init(X_Entropy *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    d->state = s;
    for (int ac = 0; ac < 2; ac++) {
        const struct huffman_table *t = &huffman_tables[d->config.chroma != 0][ac];
        uint32_t code = 0;
        for (int bits = 1, n = 0; bits <= 16; bits++, code <<= 1)
            for (int i = 0; i < t->lengths[bits - 1]; i++, n++, code++) {
                s->code[ac][t->symbols[n]] = code;
                s->length[ac][t->symbols[n]] = (uint8_t)bits;
            }
    }
}

void X_Entropy_destroy(X_Entropy *d) { free(d->state); }

static void put(struct state *s, uint32_t bits, int count) {
    s->bits = s->bits << count | bits;
    for (s->count += count; s->count >= 8; s->count -= 8) {
        uint8_t byte = (uint8_t)(s->bits >> (s->count - 8));
        s->bytes[s->used++] = byte;
        if (byte == 0xff)
            s->bytes[s->used++] = 0; /* so that it is not a marker */
    }
}

static int bits_of(int v) {
    int n = 0;
    for (v = abs(v); v > 0; v >>= 1)
        n++;
    return n;
}

/* put_value writes a symbol with the number of the bits that follow, and the bits of v. */
static void put_value(struct state *s, int ac, int run, int v) {
    int n = bits_of(v), symbol = run << 4 | n;
    put(s, s->code[ac][symbol], s->length[ac][symbol]);
    put(s, (uint32_t)(v < 0 ? v - 1 : v) & ((1u << n) - 1), n);
}

static void encode(struct state *s, const int16_t *x) {
    enum { END = 0x00, SIXTEEN = 0xf0 };
    put_value(s, 0, 0, x[0] - s->dc);
    s->dc = x[0];
    int last = 63;
    while (last > 0 && x[last] == 0)
        last--;
    for (int i = 1, run = 0; i <= last; i++) {
        if (x[i] == 0) {
            run++;
            continue;
        }
        for (; run >= 16; run -= 16)
            put(s, s->code[1][SIXTEEN], s->length[1][SIXTEEN]);
        put_value(s, 1, run, x[i]);
        run = 0;
    }
    if (last < 63)
        put(s, s->code[1][END], s->length[1][END]);
}

static void end_picture(struct state *s) {
    if (s->count > 0)
        put(s, (1u << (8 - s->count)) - 1, 8 - s->count);
    s->bytes[s->used++] = 0xff;
    s->bytes[s->used++] = 0xd9;
    s->dc = 0;
    s->bits = 0;
}

/* flush sends the bytes in pieces that fit into the available space. */
static void flush(X_Entropy *d) {
    struct state *s = d->state;
    for (size_t at = 0; at < s->used;) {
        size_t room = X_Entropy_bits_room(d), n = s->used - at;
        if (n > room)
            n = room > 0 ? room : 1;
        uint8_t *y = X_Entropy_bits(d, n);
        for (size_t i = 0; i < n; i++)
            y[i] = s->bytes[at++];
        X_Entropy_bits_send(d, n);
    }
    s->used = 0;
}

void X_Entropy_push(X_Entropy *d) {
    struct state *s = d->state;
    for (;;) {
        if (s->left == 0) {
            if (X_Entropy_size_avail(d) == 0)
                return;
            const uint32_t *size = X_Entropy_size(d);
            s->left = (uint64_t)((size[0] + 7) / 8) * ((size[1] + 7) / 8);
            X_Entropy_size_release(d, 1);
        }
        for (; s->left > 0; s->left--) {
            if (X_Entropy_x_avail(d) == 0)
                return;
            encode(s, X_Entropy_x(d));
            X_Entropy_x_release(d, 1);
            if (s->left == 1)
                end_picture(s);
            flush(d);
        }
    }
}
