/* virtual_time.c: the time of a run in virtual time. A turn of a kernel takes its actual time on this machine, a random
 * time from an earlier measurement, or the times of its firings in another run (Gayen 2008 §3.2, §5.2). */
#include <math.h>
#include "virtual.h"

#ifdef XRT_VIRTUAL

/* The clock. While a kernel runs, it is the start of its turn plus the time used since, or plus a random time. */

static uint64_t base, began;
static double ps_per_tick; /* ps per tick of this machine's clock */
static bool timed;  /* the time since began counts */
static double drawn;
static uint64_t empty; /* ticks of a turn without work, which do not count */

uint64_t virtual_ticks(void) {
    uint64_t t = base + (uint64_t)drawn;
    if (!timed)
        return t;
    uint64_t took = clock_real() - began;
    return t + (uint64_t)((double)(took > empty ? took - empty : 0) * ps_per_tick);
}

void time_at(uint64_t t, bool runs) {
    base = t;
    drawn = 0;
    timed = runs;
    if (runs)
        began = clock_real();
}

/* Random times: gamma distributed, with a mean and an scv. */

static uint64_t random_state;

double uniform_of(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double uniform(void) { return uniform_of(&random_state); }

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }

static double gamma_of(double shape) { /* Marsaglia and Tsang 2000 */
    if (shape < 1)
        return gamma_of(shape + 1) * pow(uniform(), 1 / shape);
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = normal(), v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        if (log(uniform()) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v;
    }
}

/* draw returns the sum of n random numbers with mean 1. */
static double draw(double scv, uint64_t n) {
    return n > 0 && scv > 1e-9 ? gamma_of((double)n / scv) * scv : (double)n;
}

const struct x_service *service_of(const struct kernel *k) { return &x_services[k->spec - x_kernels]; }

static uint64_t work(const struct kernel *k) { /* input bytes, except data sent once; for a source output bytes */
    uint64_t n = 0;
    if (k->spec->source)
        for (size_t i = 0; i < k->outs; i++)
            if (k->out[i]->first == k->out[i])
                n += k->out[i]->w.head * k->out[i]->w.size;
    for (size_t i = 0; i < k->ins; i++)
        if (!k->in[i]->once)
            n += reader_took(k->in[i]) * k->in[i]->r.size;
    return n;
}

/* Times of another run (Gayen 2008 §5.2.1). */

/* is_given reports whether the time of a kernel is random or recorded. */
static bool is_given(const struct x_service *s) { return s->byte > 0 || s->count > 0; }

bool time_given(const struct kernel *k) { return is_given(service_of(k)); }

/* recorded returns the time of a firing in the other run. */
static double recorded(const struct x_service *s, uint64_t firing) {
    const uint64_t *times = shared_at(s->times);
    return (double)times[firing % s->count];
}

/* A call with a random or recorded time. */
static bool drawing;
static uint64_t fired, moved; /* counts before the turn */
static double before, factor; /* time drawn for earlier calls of the turn; factor for this call */
static const struct kernel *kernels;
static double **usual; /* bytes of a firing of each kernel, if known, for each group of its inputs */
static double *begun;  /* the time in ps that each kernel has used for an incomplete firing */

/* usual_of returns the address of the usual number of bytes visible to a kernel. */
static double *usual_of(const struct kernel *k) {
#ifdef XRT_EXACT
    return &usual[k - kernels][k->shown];
#else
    return usual[k - kernels];
#endif
}

/* completed records that a kernel has completed n firings, up to number end. ps is their time. */
static void completed(struct kernel *k, uint64_t end, uint64_t n, double ps) {
    double *sum = &begun[k - kernels];
    *sum += ps;
    if (n == 0)
        return;
#ifdef XRT_TAPS
    taps_given(k, end, 1e-12 * *sum / (double)n);
#else
    (void)end;
#endif
    *sum = 0;
}

/* work_begins precedes each call of a kernel. It advances the time by a firing of the usual size, so that
 * measurements within the call include it. */
void work_begins(struct kernel *k) {
    const struct x_service *s = service_of(k);
    if (!is_given(s))
        return;
    work_ends(k); /* another call in the same turn */
    drawing = true;
    fired = turn_firings(k);
    moved = work(k);
    before = drawn;
    if (s->count > 0) {
        drawn += recorded(s, fired);
        return;
    }
    factor = draw(s->scv, 1);
    drawn += factor * s->byte * *usual_of(k);
}

/* work_ends follows the calls, and is called when a call waits for space. The amount of work is then known. */
bool work_ends(struct kernel *k) {
    const struct x_service *s = service_of(k);
    if (!drawing)
        return false;
    drawing = false;
    uint64_t n = turn_firings(k) - fired;
    double bytes = (double)(work(k) - moved);
    drawn = before;
    if (s->count > 0) {
        for (uint64_t i = 0; i < n; i++) {
            drawn += recorded(s, fired + i);
            completed(k, fired + i + 1, 1, recorded(s, fired + i));
        }
        return true;
    }
    if (bytes == 0)
        return true;
    uint64_t parts = n > 0 ? n : 1;
    *usual_of(k) = bytes / (double)parts;
    double took = (factor + draw(s->scv, parts - 1)) / (double)parts * s->byte * bytes;
    drawn += took;
    completed(k, fired + n, n, took);
    return true;
}

void time_turn(const struct kernel *k) {
    time_at(virtual_now, !is_given(service_of(k)));
    drawing = false;
}

void time_empty(uint64_t ticks) { empty = ticks; }

/* time_open sets the tick of this process to 1 ps. */
void time_open(void) {
    ps_per_tick = x_seconds_per_tick * 1e12;
    x_seconds_per_tick = 1e-12;
    x_ticks_per_us = 1000000;
    random_state = x_machine.seed;
}

void time_kernels(const struct kernel *list, size_t count) {
    kernels = list;
    usual = process_alloc(count, sizeof *usual);
    begun = process_alloc(count, sizeof *begun);
    for (size_t i = 0; i < count; i++) {
#ifdef XRT_EXACT
        usual[i] = process_alloc(kernels[i].groups + 1, sizeof **usual);
#else
        usual[i] = process_alloc(1, sizeof **usual);
#endif
    }
}

void clock_begins(struct clock_pair first, struct clock_pair second) {
    (void)first, (void)second;
    clock_show((struct clock_pair){0, 0}, (struct clock_pair){.ticks = 1000000000000u, .ns = 1000000000u});
}

void clock_ends(void) {}

#endif
