/* Sort: sorts the numbers of an element (Shell 1959), with the gaps of Knuth 1973. */
#include <string.h>
#include "X_Sort.h"

void X_Sort_init(X_Sort *d) { (void)d; }

void X_Sort_push(X_Sort *d) {
    const uint32_t n = d->config.n;
    uint32_t most = 1;
    while (most < n / 3)
        most = 3 * most + 1;
    while (X_Sort_x_avail(d) > 0) {
        const uint32_t *x = X_Sort_x(d);
        uint32_t *y = X_Sort_y(d, 1);
        memcpy(y, x, n * sizeof *y);
        for (uint32_t gap = most; gap > 0; gap /= 3)
            for (uint32_t i = gap; i < n; i++) {
                const uint32_t v = y[i];
                uint32_t j = i;
                for (; j >= gap && y[j - gap] > v; j -= gap)
                    y[j] = y[j - gap];
                y[j] = v;
            }
        X_Sort_x_release(d, 1);
        X_Sort_y_send(d, 1);
    }
}

void X_Sort_destroy(X_Sort *d) { (void)d; }
