/* Table: replaces each number by the table entry for its high bits. */
#include <stdlib.h>
#include "X_Table.h"

struct state {
    uint32_t *table;
};

void X_Table_init(X_Table *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->table = calloc((size_t)1 << d->config.bits, sizeof *s->table);
    if (!s->table)
        X_fail("out of memory");
    for (uint32_t i = 0, r = d->config.seed; i < (uint32_t)1 << d->config.bits; i++) {
        r = r * 1664525u + 1013904223u;
        s->table[i] = r ^ r >> 16;
    }
    d->state = s;
}

void X_Table_push(X_Table *d) {
    const struct state *s = d->state;
    const uint32_t n = d->config.n, shift = 32 - d->config.bits;
    while (X_Table_x_avail(d) > 0) {
        const uint32_t *x = X_Table_x(d);
        uint32_t *y = X_Table_y(d, 1);
        for (uint32_t i = 0; i < n; i++)
            y[i] = s->table[x[i] * 2654435761u >> shift] ^ x[i];
        X_Table_x_release(d, 1);
        X_Table_y_send(d, 1);
    }
}

void X_Table_destroy(X_Table *d) {
    struct state *s = d->state;
    free(s->table);
    free(s);
}
