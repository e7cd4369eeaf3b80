/* samples.h: samples of taps (samples.c). */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "internal.h"

#ifdef X_TAPS

struct tap {
    struct tap *next;
    const struct x_tap *spec;
    struct x_tap_control *control;
    struct sampler sampler;
};

/* sampler_new takes one element in so many; 0 for as many as are cheap. */
struct sampler sampler_new(uint64_t every);

/* sampler_take moves on behind the sample at next, and returns its weight. */
double sampler_take(struct sampler *s, uint64_t now);

/* sample_record records a value of the element at index, if the condition of the tap holds. */
void sample_record(const struct tap *t, uint64_t index, uint64_t now, double value, double weight);

#endif
#endif
