/* Avg: counts the walks from each point, and the walks that ended on the left. */
#include <stdlib.h>
#include "X_Avg.h"

struct point {
    uint64_t walks, left;
};

void X_Avg_init(X_Avg *d) {
    d->state = calloc((size_t)d->config.n * d->config.n + 1, sizeof(struct point));
    if (!d->state)
        X_fail("out of memory");
}

void X_Avg_destroy(X_Avg *d) { free(d->state); }

void X_Avg_push(X_Avg *d) {
    struct point *points = d->state;
    for (size_t i = 0; i < d->x_count; i++)
        for (size_t n; (n = X_Avg_x_avail(d, i)) > 0; X_Avg_x_release(d, i, n)) {
            const uint32_t *x = X_Avg_x(d, i);
            for (size_t j = 0; j < n; j++) {
                points[x[2 * j]].walks++;
                points[x[2 * j]].left += x[2 * j + 1];
            }
        }
}

void X_Avg_drain(X_Avg *d) {
    const struct point *points = d->state;
    for (uint32_t i = 0; i < d->config.n * d->config.n; i++) {
        uint64_t *y = X_Avg_y(d, 1);
        y[0] = i;
        y[1] = points[i].walks;
        y[2] = points[i].left;
        X_Avg_y_send(d, 1);
    }
}
