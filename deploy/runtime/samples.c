/* samples.c: the selection of a tap's elements, and the destination of its samples.
 *
 * A tap samples some elements, selected by their index on the edge. The gap between samples is fixed on request.
 * Otherwise it adapts to about 300 us. Each sample represents the elements since the previous one. Means and
 * histograms therefore count elements even if the gap changes.
 *
 * Samples go into the slot of their frame. The supervisor reads a slot after its frame. */
#include <string.h>
#include "samples.h"

#ifdef XRT_TAPS

enum { NEAR_US = 200, FAR_US = 800 }; /* range of the time between samples */

struct sampler sampler_new(uint64_t every) {
    return (struct sampler){
        .last = UINT64_MAX, .gap = every ? every : 1, .fixed = every != 0, .random = 0x9e3779b97f4a7c15u};
}

/* sampler_take selects a random position in each gap. Elements often arrive in batches as long as a gap, and the first
 * element of a batch is not typical. */
double sampler_take(struct sampler *s, uint64_t now) {
    double weight = (double)(s->next - s->last); /* the first sample represents only its element */
    s->last = s->next;
    if (!s->fixed) {
        uint64_t took = now - s->tick;
        s->tick = now;
        if (took < NEAR_US * x_ticks_per_us)
            s->gap *= 2;
        else if (took > FAR_US * x_ticks_per_us && s->gap > 1)
            s->gap /= 2;
    }
    s->next = (s->next / s->gap + 1) * s->gap;
    if (s->gap > 1 && !s->regular) {
        s->random ^= s->random << 13;
        s->random ^= s->random >> 7;
        s->random ^= s->random << 17;
        s->next += (s->random >> 32) % s->gap;
    }
    return weight;
}

static struct x_tap_slot *slot_for(const struct tap *t, uint64_t index) {
    uint64_t now = atomic_load_explicit(&run_control()->frame, memory_order_relaxed);
    uint64_t frame = t->spec->frame ? index / t->spec->frame : now;
    struct x_tap_slot *slot = x_tap_control_slot(t->control, frame % t->spec->slots, t->spec->bins);
    if (atomic_load_explicit(&slot->frame, memory_order_relaxed) != frame + 1) {
        memset(slot, 0, x_tap_slot_bytes(t->spec->bins));
        atomic_store_explicit(&slot->frame, frame + 1, memory_order_release);
    }
    return slot;
}

/* bin_of returns the bin of a value: -1 below the bins, spec->bins above. */
static int64_t bin_of(const struct x_tap *spec, double value) {
    double at;
    if (spec->counts && value >= 64) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        at = (double)(bits >> 48) - 16 * (1023 + 6) + 64;
    } else if (!spec->log) {
        at = (value - spec->low) / spec->width;
    } else {
        if (!(value > 0))
            return -1;
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        at = (double)(bits >> 50) - 4 * 1023 - spec->low; /* four bins to an octave */
    }
    if (at < 0)
        return -1;
    return at < spec->bins ? (int64_t)at : spec->bins;
}

static void trace(const struct tap *t, uint64_t index, uint64_t now, double value) {
    struct x_tap_control *c = t->control;
    uint64_t n = atomic_load_explicit(&c->traced, memory_order_relaxed);
    if (n - atomic_load_explicit(&c->drained, memory_order_acquire) >= t->spec->trace) {
        atomic_fetch_add_explicit(&c->lost, 1, memory_order_relaxed);
        return;
    }
    struct x_trace *entries = x_tap_control_log(c, t->spec->slots, t->spec->bins);
    entries[n % t->spec->trace] = (struct x_trace){index, now, value};
    atomic_store_explicit(&c->traced, n + 1, memory_order_release);
}

void sample_record(const struct tap *t, uint64_t index, uint64_t now, double value, double weight) {
    const struct x_tap *spec = t->spec;
    if (spec->steps) {
        bool taken = spec->kind == XRT_LATENCY || spec->kind == XRT_TAKEN;
        struct moment m = {spec->kind == XRT_SERVICE ? -1 : spec->object, index, taken, value};
        if (!condition_holds(x_steps + spec->when, spec->steps, &m))
            return;
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    atomic_store_explicit(&t->control->latest, bits, memory_order_relaxed);
    atomic_store_explicit(&t->control->measured, 1, memory_order_release);
    if (t->spec->slots) {
        struct x_tap_slot *s = slot_for(t, index);
        if (s->samples == 0 || value < s->min)
            s->min = value;
        if (s->samples == 0 || value > s->max)
            s->max = value;
        s->samples++;
        s->weight += weight;
        s->sum += value * weight;
        s->squares += value * value * weight;
        if (t->spec->bins) {
            double *bins = x_tap_slot_bins(s);
            int64_t b = bin_of(t->spec, value);
            *(b < 0 ? &s->below : b < t->spec->bins ? &bins[b] : &s->above) += weight;
        }
    }
    if (t->spec->trace)
        trace(t, index, now, value);
}

void sample_pair(struct tap *t, uint64_t index, uint64_t now, double value) {
    sample_record(t, index, now, value, 1);
    double number = (double)(bin_of(t->spec, value) + 1);
    slot_for(t, index)->products += number * t->before;
    t->before = number;
}

#endif
