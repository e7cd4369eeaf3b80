/* CoreFFT: transforms from time to frequency. */
#include <stdlib.h>
#include "X_CoreFFT.h"
#include "fft.h"

void X_CoreFFT_init(X_CoreFFT *d) {
    d->state = malloc(sizeof(struct fft));
    if (!d->state)
        X_fail("out of memory");
    fft_init(d->state, 0);
}

void X_CoreFFT_destroy(X_CoreFFT *d) { free(d->state); }

void X_CoreFFT_push(X_CoreFFT *d) {
    while (X_CoreFFT_x_avail(d) > 0) {
        const float *x = X_CoreFFT_x(d);
        float complex in[FFT_N], out[FFT_N];
        for (int i = 0; i < FFT_N; i++)
            in[i] = x[i];
        fft_part(d->state, in, out, FFT_N, 1);
        float *re = X_CoreFFT_re(d, 1), *im = X_CoreFFT_im(d, 1);
        for (int i = 0; i < FFT_N; i++) {
            re[i] = crealf(out[i]);
            im[i] = cimagf(out[i]);
        }
        X_CoreFFT_x_release(d, 1);
        X_CoreFFT_re_send(d, 1);
        X_CoreFFT_im_send(d, 1);
    }
}
