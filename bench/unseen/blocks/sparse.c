/* Sparse: multiplies a sparse matrix in compressed rows by a vector. */
#include <stdlib.h>
#include "X_Sparse.h"

struct state {
    uint32_t *columns;
    float *values;
};

void X_Sparse_init(X_Sparse *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    const uint32_t n = d->config.n, each = d->config.each;
    s->columns = calloc((size_t)n * each, sizeof *s->columns);
    s->values = calloc((size_t)n * each, sizeof *s->values);
    if (!s->columns || !s->values)
        X_fail("out of memory");
    for (uint32_t i = 0, r = d->config.seed; i < n * each; i++) {
        r = r * 1664525u + 1013904223u;
        s->columns[i] = (r >> 8) % n;
        s->values[i] = (float)((int32_t)(r >> 16) % 64 - 32) * 0x1p-7f;
    }
    d->state = s;
}

void X_Sparse_push(X_Sparse *d) {
    struct state *s = d->state;
    const uint32_t n = d->config.n, each = d->config.each;
    while (X_Sparse_x_avail(d) > 0) {
        const float *x = X_Sparse_x(d);
        float *y = X_Sparse_y(d, 1);
        for (uint32_t row = 0; row < n; row++) {
            float sum = 0;
            for (uint32_t k = row * each; k < (row + 1) * each; k++)
                sum += s->values[k] * x[s->columns[k]];
            y[row] = sum;
        }
        X_Sparse_x_release(d, 1);
        X_Sparse_y_send(d, 1);
    }
}

void X_Sparse_destroy(X_Sparse *d) {
    struct state *s = d->state;
    free(s->columns);
    free(s->values);
    free(s);
}
