/* CoreIFFT in fixed point: transforms from frequency back to time. Numbers have 24 bits, of which 8 are fractional. */
#include <stdlib.h>
#include "X_CoreIFFT.h"
#include "fixed.h"

void X_CoreIFFT_init(X_CoreIFFT *d) {
    d->state = malloc(sizeof(struct roots));
    if (!d->state)
        X_fail("out of memory");
    roots_init(d->state, (1 << 20) / 96.0);
}

void X_CoreIFFT_destroy(X_CoreIFFT *d) { free(d->state); }

static int32_t low24(int32_t x) { return (int32_t)((uint32_t)x << 8) >> 8; }

void X_CoreIFFT_push(X_CoreIFFT *d) {
    const struct roots *w = d->state;
    while (X_CoreIFFT_re_avail(d) > 0 && X_CoreIFFT_im_avail(d) > 0) {
        const int32_t *re = X_CoreIFFT_re(d), *im = X_CoreIFFT_im(d);
        int32_t *y = X_CoreIFFT_y(d, 1);
        for (int n = 0; n < FIXED_N; n++) {
            int64_t sum = 1 << 19; /* half of the removed part */
            for (int k = 0, at = 0; k < FIXED_N; k++, at = (at + n) % FIXED_N)
                sum += (int64_t)low24(re[k]) * w->cosine[at] - (int64_t)low24(im[k]) * w->sine[at];
            y[n] = (int32_t)(sum >> 20);
        }
        X_CoreIFFT_re_release(d, 1);
        X_CoreIFFT_im_release(d, 1);
        X_CoreIFFT_y_send(d, 1);
    }
}
