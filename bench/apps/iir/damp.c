/* Damp: applies a lowpass filter with one pole, and a gain. iir_damp.v is the same in Verilog. */
#include <stdlib.h>
#include "X_Damp.h"

enum { SAMPLES = 1024 };

void X_Damp_init(X_Damp *d) {
    d->state = calloc(1, sizeof(int64_t));
    if (!d->state)
        X_fail("out of memory");
}

void X_Damp_push(X_Damp *d) {
    int64_t *w = d->state;
    int64_t pass = d->config.pass, gain = d->config.gain;
    while (X_Damp_x_avail(d) > 0) {
        int32_t *y = X_Damp_y(d, 1);
        const int32_t *x = X_Damp_x(d);
        int64_t low = *w;
        for (int i = 0; i < SAMPLES; i++) {
            low += (x[i] - low) * pass >> 15;
            y[i] = (int32_t)(low * gain >> 15);
        }
        *w = low;
        X_Damp_x_release(d, 1);
        X_Damp_y_send(d, 1);
    }
}

void X_Damp_destroy(X_Damp *d) { free(d->state); }
