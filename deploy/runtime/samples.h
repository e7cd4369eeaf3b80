/* samples.h: samples of taps (samples.c). */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "internal.h"

#ifdef XRT_TAPS

struct tap {
    struct tap *next;
    const struct x_tap *spec;
    struct x_tap_control *control;
    struct sampler sampler;
    double before; /* bin of the previous sample, for sample_pair */
};

/* sampler_new creates a sampler with a fixed interval in elements; 0 selects a rate with low overhead. */
struct sampler sampler_new(uint64_t every);

/* sampler_take advances past the sample at next, and returns its weight. */
double sampler_take(struct sampler *s, uint64_t now);

/* sample_record records a value of the element at index if the condition of the tap is true. */
void sample_record(const struct tap *t, uint64_t index, uint64_t now, double value, double weight);

/* sample_pair records a value that is correlated with the previous one. It also adds the product of their bin
 * numbers, each plus 1; below all bins the number is 0. */
void sample_pair(struct tap *t, uint64_t index, uint64_t now, double value);

/* tap_new returns a tap that samples from element first. */
struct tap *tap_new(const struct x_tap *spec, uint64_t first);

#endif
#endif
