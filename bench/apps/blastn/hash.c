/* Hash: stage 1b. It finds the positions of a word in the query. Each position becomes a seed. */
#include "X_Hash.h"
#include "dna.h"

enum { BUCKETS = 1 << 16 };

struct state {
    uint32_t *first; /* position + 1 for each bucket, 0 for none */
    uint32_t *next;  /* next position + 1 for each position, 0 for none */
    uint32_t *word;  /* word at each position */
};

static uint32_t bucket(uint32_t word) { return word * 0x9e3779b1u >> 16; }

void X_Hash_init(X_Hash *d) {
    struct state *s = calloc(1, sizeof *s);
    size_t n;
    uint8_t *query = dna_query(d->config.query, d->config.bases, &n);
    if (s) {
        s->first = calloc(BUCKETS, sizeof *s->first);
        s->next = calloc(n, sizeof *s->next);
        s->word = calloc(n, sizeof *s->word);
    }
    if (!s || !s->first || !s->next || !s->word)
        X_fail("out of memory for a table of %zu words", n);
    uint32_t word = 0;
    for (size_t i = 0; i < n; i++) {
        word = (word << 2 | query[i]) & WORD_MASK;
        if (i + 1 < WORD)
            continue;
        size_t place = i + 1 - WORD;
        s->word[place] = word;
        s->next[place] = s->first[bucket(word)];
        s->first[bucket(word)] = (uint32_t)place + 1;
    }
    free(query);
    d->state = s;
}

void X_Hash_push(X_Hash *d) {
    struct state *s = d->state;
    for (; X_Hash_x_avail(d) > 0; X_Hash_x_release(d, 1)) {
        const uint64_t *x = X_Hash_x(d);
        uint32_t word = 0;
        for (int i = 0; i < WORD; i++)
            word = word << 2 | (uint32_t)hit_base(x, LEFT + i);
        for (uint32_t p = s->first[bucket(word)]; p > 0; p = s->next[p - 1])
            if (s->word[p - 1] == word) {
                uint64_t *y = X_Hash_y(d, 1);
                memcpy(y, x, 7 * sizeof *y);
                y[1] |= p - 1;
                X_Hash_y_send(d, 1);
            }
    }
}

void X_Hash_destroy(X_Hash *d) {
    struct state *s = d->state;
    free(s->first);
    free(s->next);
    free(s->word);
    free(s);
}
