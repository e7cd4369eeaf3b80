/* virtual_taps.c: taps of a run in virtual time that the engine samples, when others see what a
 * kernel has done: what elements find in a queue; and what agents at the two ends of an edge could
 * see of one that crosses links (Lancaster 2011 §5.1). At the tail these are the times between
 * insertions, and what waits for the first link; at the head the times between removals while more
 * is there, and what is left there. */
#include "samples.h"
#include "virtual.h"

#if defined(X_VIRTUAL) && defined(X_TAPS)

struct ends { /* of an edge */
    struct tap *occupancy, *gap, *busy, *ahead, *behind;
    uint64_t inserted, removed; /* when the last was */
    bool any, more;             /* one was inserted; more was there when the last was removed */
};

static struct ends *ends;

static void add(struct tap **list, const struct x_tap *spec) {
    struct tap *t = tap_new(spec, x_edges[spec->object].initial);
    t->next = *list;
    *list = t;
}

void monitors_open(void) {
    ends = process_alloc(x_edge_count, sizeof *ends);
    for (size_t i = 0; i < x_tap_count; i++) {
        const struct x_tap *t = &x_taps[i];
        if (t->kind == X_SERVICE || t->kind == X_LATENCY || x_routes[t->object].inside)
            continue;
        struct ends *x = &ends[t->object];
        bool from = x_services[x_edges[t->object].from].core >= 0, to = x_services[x_edges[t->object].to].core >= 0;
        if (t->kind == X_OCCUPANCY && from)
            add(&x->occupancy, t);
        else if (t->kind == X_GAP && from)
            add(&x->gap, t);
        else if (t->kind == X_BUSY && to)
            add(&x->busy, t);
        else if (t->kind == X_AHEAD)
            add(&x->ahead, t);
        else if (t->kind == X_BEHIND)
            add(&x->behind, t);
    }
}

static void each(struct tap *t, uint64_t index, double value) {
    for (; t; t = t->next)
        if (t->sampler.next == index)
            sample_record(t, index, virtual_now, value, sampler_take(&t->sampler, virtual_now));
}

static void follow(struct tap *t, uint64_t index, uint64_t ps) {
    for (; t; t = t->next)
        sample_pair(t, index, virtual_now, 1e-12 * (double)ps);
}

void monitors_sent(size_t e, uint64_t before, uint64_t head) {
    struct ends *x = &ends[e];
    for (uint64_t i = before; i < head; i++) {
        each(x->occupancy, i, (double)(i - freed_of(e)));
        each(x->ahead, i, (double)(i - links_taken(e)));
        if (x->any)
            follow(x->gap, i, virtual_now - x->inserted);
        x->any = true;
        x->inserted = virtual_now;
    }
}

void monitors_released(size_t e, uint64_t before, uint64_t tail) {
    struct ends *x = &ends[e];
    for (uint64_t i = before; i < tail; i++) {
        if (x->more)
            follow(x->busy, i, virtual_now - x->removed);
        each(x->behind, i, (double)(arrived(e) - i - 1));
        x->removed = virtual_now;
        x->more = arrived(e) > i + 1;
    }
}

#endif
