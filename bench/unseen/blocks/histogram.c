/* Histogram: counts the occurrences of every byte in an element. */
#include <string.h>
#include "X_Histogram.h"

void X_Histogram_init(X_Histogram *d) { (void)d; }

void X_Histogram_push(X_Histogram *d) {
    const uint32_t n = d->config.n;
    while (X_Histogram_x_avail(d) > 0) {
        const uint8_t *x = X_Histogram_x(d);
        uint32_t *y = X_Histogram_y(d, 1);
        memset(y, 0, 256 * sizeof *y);
        for (uint32_t i = 0; i < n; i++)
            y[x[i]]++;
        X_Histogram_x_release(d, 1);
        X_Histogram_y_send(d, 1);
    }
}

void X_Histogram_destroy(X_Histogram *d) { (void)d; }
