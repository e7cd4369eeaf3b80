/* Matrix: multiplies an element, which is a matrix, by a fixed matrix. */
#include <stdlib.h>
#include <string.h>
#include "X_Matrix.h"

struct state {
    float *fixed;
};

void X_Matrix_init(X_Matrix *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    const uint32_t side = d->config.side;
    s->fixed = calloc((size_t)side * side, sizeof *s->fixed);
    if (!s->fixed)
        X_fail("out of memory");
    for (uint32_t i = 0, r = d->config.seed; i < side * side; i++) {
        r = r * 1664525u + 1013904223u;
        s->fixed[i] = (float)((int32_t)(r >> 16) % 64 - 32) * 0x1p-7f;
    }
    d->state = s;
}

void X_Matrix_push(X_Matrix *d) {
    struct state *s = d->state;
    const uint32_t side = d->config.side;
    while (X_Matrix_x_avail(d) > 0) {
        const float *x = X_Matrix_x(d);
        float *y = X_Matrix_y(d, 1);
        memset(y, 0, (size_t)side * side * sizeof *y);
        for (uint32_t i = 0; i < side; i++)
            for (uint32_t k = 0; k < side; k++) {
                const float c = x[i * side + k], *row = s->fixed + k * side;
                for (uint32_t j = 0; j < side; j++)
                    y[i * side + j] += c * row[j];
            }
        X_Matrix_x_release(d, 1);
        X_Matrix_y_send(d, 1);
    }
}

void X_Matrix_destroy(X_Matrix *d) {
    struct state *s = d->state;
    free(s->fixed);
    free(s);
}
