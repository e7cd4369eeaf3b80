/* Bloom: stage 1a. It selects the words of the database that are in the query, and few other words. It lags by one
 * element, because it needs the bases after a word. */
#include "X_Bloom.h"
#include "dna.h"
#include "filter.h"

struct state {
    uint64_t *filter;           /* 0 until it arrives */
    uint8_t bases[3 * ELEMENT]; /* the previous, the current and the next element */
    uint64_t taken;             /* consumed elements */
};

void X_Bloom_init(X_Bloom *d) {
    if (!(d->state = calloc(1, sizeof(struct state))))
        X_fail("out of memory");
}

static void unpack(uint8_t *to, const uint8_t *x) {
    for (int i = 0; i < ELEMENT; i++)
        to[i] = x[i / 4] >> 2 * (i % 4) & 3;
}

/* emit sends the word whose first base is at the given position of the three elements. begin and end delimit the
 * existing bases. */
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

/* scan tests the words that end in the middle element. ahead reports whether an element follows. */
static void scan(X_Bloom *d, int ahead) {
    struct state *s = d->state;
    uint64_t element = s->taken - 1 - (uint64_t)ahead; /* number of the middle element */
    int begin = element > 0 ? 0 : ELEMENT, end = ahead ? 3 * ELEMENT : 2 * ELEMENT;
    uint32_t word = 0;
    for (int i = ELEMENT - WORD + 1; i < 2 * ELEMENT; i++) {
        word = (word << 2 | s->bases[i]) & WORD_MASK;
        int at = i - WORD + 1;
        if (i < ELEMENT || at < begin)
            continue;
        if (filter_has(s->filter, word))
            emit(d, at, element * ELEMENT + (uint64_t)at - ELEMENT, begin, end);
    }
}

void X_Bloom_push(X_Bloom *d) {
    struct state *s = d->state;
    if (!s->filter) {
        if (X_Bloom_f_avail(d) == 0)
            return;
        if (!(s->filter = malloc(FILTER_WORDS * sizeof *s->filter)))
            X_fail("out of memory for the filter");
        memcpy(s->filter, X_Bloom_f(d), FILTER_WORDS * sizeof *s->filter);
        X_Bloom_f_release(d, 1);
    }
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
