/* Count: an aggregator. It counts records by key, the hash of their bytes, in a hash table (linear probing). If the
 * table is full or has 16 * limit records, the kernel sends a summary and clears the table. */
#include <stdlib.h>
#include <string.h>
#include "X_Count.h"

struct entry {
    uint32_t key, count;
};

struct state {
    uint32_t records, distinct, key, most; /* the first key with the highest count, and this count */
    uint32_t mask;
    struct entry *table;
};

void X_Count_init(X_Count *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    uint32_t size = 4;
    while (size < 4 * d->config.limit)
        size *= 2;
    s->mask = size - 1;
    s->table = calloc(size, sizeof *s->table);
    if (!s->table)
        X_fail("out of memory");
    d->state = s;
}

static void summarize(X_Count *d, struct state *s) {
    uint32_t *y = X_Count_y(d, 1);
    y[0] = s->records;
    y[1] = s->distinct;
    y[2] = s->key;
    y[3] = s->most;
    X_Count_y_send(d, 1);
    memset(s->table, 0, (s->mask + (size_t)1) * sizeof *s->table);
    s->records = s->distinct = s->key = s->most = 0;
}

static void count(X_Count *d, struct state *s, const uint8_t *x) {
    uint32_t key = 2166136261u;
    for (uint32_t i = 0; i < d->config.n; i++) /* FNV-1a */
        key = (key ^ x[i]) * 16777619u;
    uint32_t at = (key ^ key >> 15) & s->mask;
    while (s->table[at].count > 0 && s->table[at].key != key)
        at = (at + 1) & s->mask;
    struct entry *e = &s->table[at];
    if (e->count == 0)
        s->distinct++;
    e->key = key;
    if (++e->count > s->most) {
        s->most = e->count;
        s->key = key;
    }
    s->records++;
    if (s->distinct == d->config.limit || s->records == 16 * d->config.limit)
        summarize(d, s);
}

void X_Count_push(X_Count *d) {
    for (size_t n; (n = X_Count_x_avail(d)) > 0; X_Count_x_release(d, n))
        for (size_t i = 0; i < n; i++)
            count(d, d->state, X_Count_x(d) + i * d->config.n);
}

void X_Count_drain(X_Count *d) {
    struct state *s = d->state;
    if (s->records > 0)
        summarize(d, s);
}

void X_Count_destroy(X_Count *d) {
    struct state *s = d->state;
    free(s->table);
    free(s);
}
