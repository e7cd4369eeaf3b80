/* LoopFilter: changes the gain by the difference between the target and the level. The change is proportional to the
 * gain, so that loud and faint signals settle in the same way. */
#include <stdlib.h>
#include "X_LoopFilter.h"

enum { LEAST = 256, MOST = 1 << 26 }; /* gains 1/256 and 1024; 65536 is gain 1 */

void X_LoopFilter_init(X_LoopFilter *d) {
    int64_t *gain = malloc(sizeof *gain);
    if (!gain)
        X_fail("out of memory");
    *gain = 1 << 16;
    d->state = gain;
}

void X_LoopFilter_push(X_LoopFilter *d) {
    int64_t *gain = d->state;
    while (X_LoopFilter_level_avail(d) > 0) {
        int32_t *out = X_LoopFilter_gain(d, 1);
        int64_t lacks = d->config.target - *X_LoopFilter_level(d);
        *gain += *gain * lacks >> d->config.shift;
        *gain = *gain < LEAST ? LEAST : *gain > MOST ? MOST : *gain;
        *out = (int32_t)*gain;
        X_LoopFilter_level_release(d, 1);
        X_LoopFilter_gain_send(d, 1);
    }
}

void X_LoopFilter_destroy(X_LoopFilter *d) { free(d->state); }
