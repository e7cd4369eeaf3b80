/* Bloom: stage 1a, words of the database that are in the query, and few others. It
 * stays an element behind, for what comes after a word. */
#include "X_Bloom.h"
#include "dna.h"

struct state {
    uint64_t *filter, mask;
    uint8_t bases[3 * ELEMENT]; /* the element before, this one, the next */
    uint64_t taken;             /* elements */
};

/* Two hashes of a word make as many as are wanted (Kirsch and Mitzenmacher). */
static inline uint64_t first_hash(uint32_t word) {
    uint64_t z = word * 0x9e3779b97f4a7c15u;
    return z ^ z >> 32;
}

void X_Bloom_init(X_Bloom *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    d->state = s;
    if (d->config.bits < 6 || d->config.bits > 32 || d->config.probes < 1 || d->config.probes > 16)
        X_fail("a filter of 2^%u bits with %u probes, want 2^6 to 2^32 and 1 to 16", d->config.bits, d->config.probes);
    s->mask = (1ull << d->config.bits) - 1;
    s->filter = calloc(1ull << (d->config.bits - 6), sizeof *s->filter);
    if (!s->filter)
        X_fail("there is no memory for a filter of 2^%u bits", d->config.bits);
    size_t n;
    uint8_t *query = dna_query(d->config.query, d->config.bases, &n);
    uint32_t word = 0;
    for (size_t i = 0; i < n; i++) {
        word = (word << 2 | query[i]) & WORD_MASK;
        if (i + 1 < WORD)
            continue;
        uint64_t h = first_hash(word), step = h >> 32 | 1;
        for (uint32_t p = 0; p < d->config.probes; p++, h += step)
            s->filter[(h & s->mask) >> 6] |= 1ull << (h & 63);
    }
    free(query);
}

static void unpack(uint8_t *to, const uint8_t *x) {
    for (int i = 0; i < ELEMENT; i++)
        to[i] = x[i / 4] >> 2 * (i % 4) & 3;
}

/* emit sends the word whose first base is at of the three elements; begin and end are
 * where the bases begin and end that there are. */
static void emit(X_Bloom *d, int at, uint64_t position, int begin, int end) {
    struct state *s = d->state;
    uint64_t *y = X_Bloom_y(d, 1);
    int left = at - LEFT;
    int from = begin > left ? begin - left : 0, to = end < left + AROUND ? end - left : AROUND;
    memset(y, 0, 7 * sizeof *y);
    y[0] = position;
    y[1] = (uint64_t)from << 32 | (uint64_t)to << 40;
    for (int i = from; i < to; i++)
        y[2 + i / 32] |= (uint64_t)s->bases[left + i] << 2 * (i % 32);
    X_Bloom_y_send(d, 1);
}

/* scan looks at the words that end in the middle element. ahead tells whether there is
 * an element after it. */
static void scan(X_Bloom *d, int ahead) {
    struct state *s = d->state;
    uint64_t element = s->taken - 1 - (uint64_t)ahead; /* number of the middle one */
    int begin = element > 0 ? 0 : ELEMENT, end = ahead ? 3 * ELEMENT : 2 * ELEMENT;
    uint32_t word = 0, probes = d->config.probes;
    for (int i = ELEMENT - WORD + 1; i < 2 * ELEMENT; i++) {
        word = (word << 2 | s->bases[i]) & WORD_MASK;
        int at = i - WORD + 1;
        if (i < ELEMENT || at < begin)
            continue;
        uint64_t h = first_hash(word), step = h >> 32 | 1;
        uint32_t p = 0;
        while (p < probes && s->filter[(h & s->mask) >> 6] >> (h & 63) & 1)
            p++, h += step;
        if (p == probes)
            emit(d, at, element * ELEMENT + (uint64_t)at - ELEMENT, begin, end);
    }
}

void X_Bloom_push(X_Bloom *d) {
    struct state *s = d->state;
    for (; X_Bloom_x_avail(d) > 0; X_Bloom_x_release(d, 1)) {
        memmove(s->bases, s->bases + ELEMENT, 2 * ELEMENT);
        unpack(s->bases + 2 * ELEMENT, X_Bloom_x(d));
        s->taken++;
        if (s->taken > 1)
            scan(d, 1);
    }
}

void X_Bloom_drain(X_Bloom *d) {
    struct state *s = d->state;
    if (s->taken == 0)
        return;
    memmove(s->bases, s->bases + ELEMENT, 2 * ELEMENT);
    scan(d, 0);
}

void X_Bloom_destroy(X_Bloom *d) {
    struct state *s = d->state;
    free(s->filter);
    free(s);
}
