/* draw.h: times with a given mean from a given distribution. */
#ifndef DRAW_H
#define DRAW_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum draw_kind { DRAW_DETERMINISTIC, DRAW_EXPONENTIAL, DRAW_ERLANG, DRAW_HYPER, DRAW_CORRELATED, DRAW_KINDS };

struct draw {
    enum draw_kind kind;
    double mean, scv, correlation, last;
    uint64_t random;
};

static inline uint64_t draw_mixed(uint64_t z) { /* the output function of splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* draw_open returns 0, or an error message for invalid parameters. */
static inline const char *draw_open(struct draw *d, const char *kind, double mean, double scv, double correlation, uint32_t seed) {
    static const char *const names[] = {"deterministic", "exponential", "erlang", "hyper", "correlated"};
    *d = (struct draw){.kind = DRAW_KINDS, .mean = mean, .scv = scv, .correlation = correlation, .random = draw_mixed(seed + 1ull), .last = -1};
    for (int i = 0; i < DRAW_KINDS; i++)
        if (strcmp(kind, names[i]) == 0)
            d->kind = (enum draw_kind)i;
    if (d->kind == DRAW_KINDS)
        return "the distribution is unknown, expected deterministic, exponential, erlang, hyper or correlated";
    if (!(mean >= 0))
        return "the mean time is negative";
    if (d->kind == DRAW_ERLANG && !(scv > 0 && scv <= 1))
        return "the scv of an Erlang distribution must be above 0 and at most 1";
    if (d->kind == DRAW_HYPER && !(scv >= 1))
        return "the scv of a hyper-exponential distribution must be at least 1";
    if (d->kind == DRAW_CORRELATED && !(correlation >= 0 && correlation < 1))
        return "the correlation must be at least 0 and below 1";
    return 0;
}

static inline double draw_uniform(struct draw *d) { /* above 0, up to 1 (splitmix64) */
    return (double)(draw_mixed(d->random += 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53 + 0x1p-53;
}

static inline double draw_exponential(struct draw *d, double mean) { return -mean * log(draw_uniform(d)); }

static inline double draw_next(struct draw *d) {
    switch (d->kind) {
    case DRAW_EXPONENTIAL:
        return draw_exponential(d, d->mean);
    case DRAW_ERLANG: {
        int k = (int)(1 / d->scv + 0.5);
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += draw_exponential(d, d->mean / k);
        return sum;
    }
    case DRAW_HYPER: { /* balanced means: p1/rate1 = p2/rate2 */
        double p = (1 + sqrt((d->scv - 1) / (d->scv + 1))) / 2;
        if (draw_uniform(d) > p)
            p = 1 - p;
        return draw_exponential(d, d->mean / (2 * p));
    }
    case DRAW_CORRELATED:
        if (d->last < 0)
            d->last = draw_exponential(d, d->mean);
        else
            d->last = d->correlation * d->last + (draw_uniform(d) > d->correlation ? draw_exponential(d, d->mean) : 0);
        return d->last;
    default:
        return d->mean;
    }
}

#endif
