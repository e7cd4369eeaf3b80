/* Peaks: sends the position and the value of the largest number in each array, if it exceeds the threshold. */
#include <stdlib.h>
#include "X_Peaks.h"

struct state {
    int32_t time; /* time of the first number in the next array */
};

void X_Peaks_init(X_Peaks *d) {
    d->state = calloc(1, sizeof(struct state));
    if (!d->state)
        X_fail("out of memory");
}

void X_Peaks_push(X_Peaks *d) {
    struct state *s = d->state;
    while (X_Peaks_x_avail(d) > 0) {
        const int32_t *x = X_Peaks_x(d);
        int at = 0;
        for (int i = 1; i < 256; i++)
            if (x[i] > x[at])
                at = i;
        if (x[at] > d->config.threshold) { /* most arrays have no peak, so the gain is below 1 */
            int32_t *y = X_Peaks_y(d, 1);
            y[0] = s->time + at;
            y[1] = x[at];
            X_Peaks_y_send(d, 1);
        }
        s->time += 256;
        X_Peaks_x_release(d, 1);
    }
}

void X_Peaks_destroy(X_Peaks *d) { free(d->state); }
