/* Quantize: divides coefficients by the steps of a table, rounded to the nearest. */
#include <stdlib.h>
#include "X_Quantize.h"
#include "quant.h"

void X_Quantize_init(X_Quantize *d) {
    int *steps = malloc(64 * sizeof *steps);
    if (!steps)
        X_fail("out of memory");
    for (int i = 0; i < 64; i++)
        steps[i] = 8 * quant_step(d->config.chroma != 0, i, d->config.quality); /* coefficients are multiplied by 8 */
    d->state = steps;
}

void X_Quantize_destroy(X_Quantize *d) { free(d->state); }

void X_Quantize_push(X_Quantize *d) {
    const int *steps = d->state;
    while (X_Quantize_x_avail(d) > 0) {
        const int16_t *x = X_Quantize_x(d);
        int16_t *y = X_Quantize_y(d, 1);
        for (int i = 0; i < 64; i++) {
            int size = (abs(x[i]) + steps[i] / 2) / steps[i];
            y[i] = (int16_t)(x[i] < 0 ? -size : size);
        }
        X_Quantize_x_release(d, 1);
        X_Quantize_y_send(d, 1);
    }
}
