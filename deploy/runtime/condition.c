/* condition.c: evaluates a condition at the moment of a sample. It reads the state that every process
 * publishes in shared memory, so that a condition may refer to any edge and kernel. */
#include <math.h>
#include <string.h>
#include "internal.h"

#ifdef XRT_TAPS

enum { DEPTH = 64 };

/* held returns the number of elements on an edge. The number at the send of an element excludes this element.
 * The number at its release includes it. */
static double held(int edge, const struct moment *m) {
    uint64_t tail = m->edge == edge && m->taken ? m->index : reader_seen(edge)->tail;
    uint64_t head = m->edge == edge && !m->taken ? m->index : writer_seen(edge)->head;
    return head > tail ? (double)(head - tail) : 0;
}

static bool waiting(int edge) {
    struct x_ring_control *c = ring_control(edge);
    return atomic_load_explicit(&c->blocked_since, memory_order_relaxed) != 0;
}

static bool running(int kernel) {
    return atomic_load_explicit(&process_control(x_kernels[kernel].process)->kernel, memory_order_relaxed) == kernel;
}

static double latest(int tap) {
    struct x_tap_control *c = shared_at(x_taps[tap].offset);
    if (!atomic_load_explicit(&c->measured, memory_order_acquire))
        return NAN;
    uint64_t bits = atomic_load_explicit(&c->latest, memory_order_relaxed);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static double both(double a, double b) { /* Kleene's and */
    if (a == 0 || b == 0)
        return 0;
    return isnan(a) || isnan(b) ? NAN : 1;
}

bool condition_holds(const struct x_step *steps, uint32_t count, const struct moment *m) {
    double stack[DEPTH];
    int n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct x_step *s = &steps[i];
        double b = n > 0 ? stack[n - 1] : 0, a = n > 1 ? stack[n - 2] : 0;
        switch (s->op) {
        case XRT_NUMBER: stack[n++] = s->number; break;
        case XRT_HELD: stack[n++] = held(s->object, m); break;
        case XRT_WAITING: stack[n++] = waiting(s->object); break;
        case XRT_RUNNING: stack[n++] = running(s->object); break;
        case XRT_LATEST: stack[n++] = latest(s->object); break;
        case XRT_THIS: stack[n++] = m->value; break;
        case XRT_NOT: stack[n - 1] = isnan(b) ? NAN : b == 0; break;
        case XRT_LESS: stack[--n - 1] = isnan(a) || isnan(b) ? NAN : a < b; break;
        case XRT_LESS_EQUAL: stack[--n - 1] = isnan(a) || isnan(b) ? NAN : a <= b; break;
        case XRT_EQUAL: stack[--n - 1] = isnan(a) || isnan(b) ? NAN : a == b; break;
        case XRT_AND: stack[--n - 1] = both(a, b); break;
        case XRT_OR: stack[--n - 1] = 1 - both(1 - a, 1 - b); break;
        }
    }
    return stack[0] == 1;
}

#endif
