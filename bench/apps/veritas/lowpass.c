/* LowPass: multiplies by the transform of a Gaussian in time. The Gaussian is symmetric, so its transform is real and
 * applies equally to real and imaginary parts. */
#include <math.h>
#include <stdlib.h>
#include "X_LowPass.h"

enum { N = 96 };

void X_LowPass_init(X_LowPass *d) {
    float *h = malloc(N * sizeof *h);
    if (!h)
        X_fail("out of memory");
    double sum = 0, kernel[N];
    for (int i = 0; i < N; i++) {
        double t = i <= N / 2 ? i : N - i;
        sum += kernel[i] = exp(-t * t / (2 * d->config.sigma * d->config.sigma));
    }
    for (int k = 0; k < N; k++) {
        double v = 0;
        for (int i = 0; i < N; i++)
            v += kernel[i] / sum * cos(2 * M_PI * i * k / N);
        h[k] = (float)v;
    }
    d->state = h;
}

void X_LowPass_destroy(X_LowPass *d) { free(d->state); }

void X_LowPass_push(X_LowPass *d) {
    const float *h = d->state;
    while (X_LowPass_x_avail(d) > 0) {
        const float *x = X_LowPass_x(d);
        float *y = X_LowPass_y(d, 1);
        for (int k = 0; k < N; k++)
            y[k] = h[k] * x[k];
        X_LowPass_x_release(d, 1);
        X_LowPass_y_send(d, 1);
    }
}
