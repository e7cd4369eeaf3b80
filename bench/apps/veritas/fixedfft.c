/* CoreFFT in fixed point: transforms from time to frequency, by the definition. Inputs are 16-bit integers. Outputs
 * have 8 fractional bits. */
#include <stdlib.h>
#include "X_CoreFFT.h"
#include "fixed.h"

void X_CoreFFT_init(X_CoreFFT *d) {
    d->state = malloc(sizeof(struct roots));
    if (!d->state)
        X_fail("out of memory");
    roots_init(d->state, 1 << 14);
}

void X_CoreFFT_destroy(X_CoreFFT *d) { free(d->state); }

void X_CoreFFT_push(X_CoreFFT *d) {
    const struct roots *w = d->state;
    while (X_CoreFFT_x_avail(d) > 0) {
        const int32_t *x = X_CoreFFT_x(d);
        int32_t *re = X_CoreFFT_re(d, 1), *im = X_CoreFFT_im(d, 1);
        for (int k = 0; k < FIXED_N; k++) {
            int64_t a = 32, b = 32; /* half of the removed part */
            for (int n = 0, at = 0; n < FIXED_N; n++, at = (at + k) % FIXED_N) {
                a += (int64_t)(int16_t)x[n] * w->cosine[at];
                b -= (int64_t)(int16_t)x[n] * w->sine[at];
            }
            re[k] = (int32_t)(a >> 6);
            im[k] = (int32_t)(b >> 6);
        }
        X_CoreFFT_x_release(d, 1);
        X_CoreFFT_re_send(d, 1);
        X_CoreFFT_im_send(d, 1);
    }
}
