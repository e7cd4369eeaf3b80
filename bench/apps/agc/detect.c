/* Detect: computes the mean absolute value of a block's samples. */
#include <stdlib.h>
#include "X_Detect.h"

enum { SAMPLES = 4096 };

void X_Detect_init(X_Detect *d) { (void)d; }

void X_Detect_push(X_Detect *d) {
    while (X_Detect_x_avail(d) > 0) {
        int32_t *level = X_Detect_level(d, 1);
        const int32_t *x = X_Detect_x(d);
        int64_t sum = 0;
        for (int i = 0; i < SAMPLES; i++)
            sum += abs(x[i]);
        *level = (int32_t)(sum / SAMPLES);
        X_Detect_x_release(d, 1);
        X_Detect_level_send(d, 1);
    }
}

void X_Detect_destroy(X_Detect *d) { (void)d; }
