/* pulses.c: counts the elements that the sources of a virtual run have sent and its sinks have consumed, over time.
 * The run is divided into pulses of equal length. When the table is full, pairs are merged into pulses of twice the
 * length. So any run has XRT_PULSES / 2 to XRT_PULSES pulses, independent of this machine's load. */
#include "virtual.h"

#ifdef XRT_VIRTUAL

enum { FIRST_PULSE = 1000000 }; /* ps */

static uint64_t sent, taken, length = FIRST_PULSE, next_pulse = FIRST_PULSE, pulses;

void pulse_sent(size_t e, uint64_t elements) { sent += elements * ring_control((int)e)->sent_counts; }

void pulse_taken(size_t e, uint64_t elements) { taken += elements * ring_control((int)e)->taken_counts; }

/* join merges pairs of pulses. */
static void join(struct x_run_control *c) {
    pulses /= 2;
    for (uint64_t i = 0; i < pulses; i++) {
        atomic_store_explicit(&c->pulse_sent[i], c->pulse_sent[2 * i + 1], memory_order_relaxed);
        atomic_store_explicit(&c->pulse_taken[i], c->pulse_taken[2 * i + 1], memory_order_relaxed);
    }
    length *= 2;
    next_pulse = (pulses + 1) * length;
}

void pulses_until(uint64_t t) {
    struct x_run_control *c = run_control();
    while (next_pulse <= t) {
        if (pulses == XRT_PULSES) {
            join(c);
            continue;
        }
        atomic_store_explicit(&c->pulse_sent[pulses], sent, memory_order_relaxed);
        atomic_store_explicit(&c->pulse_taken[pulses], taken, memory_order_relaxed);
        pulses++;
        next_pulse += length;
        atomic_store_explicit(&c->pulse_length, length, memory_order_relaxed);
        atomic_store_explicit(&c->pulses, pulses, memory_order_relaxed);
    }
}

#endif
