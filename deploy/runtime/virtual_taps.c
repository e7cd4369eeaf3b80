/* virtual_taps.c: taps of a run in virtual time that the engine samples, when the results of a kernel become visible.
 * They measure the queue lengths that elements find, and the observations of agents at the two ends of an edge over
 * links (Lancaster 2011 §5.1). At the tail these are the times between insertions, and the elements that wait for the
 * first link. At the head they are the times between removals while more elements wait, and the remaining elements.
 * Further taps measure the bytes and times of packets on links, with one sample per packet. */
#include "samples.h"
#include "virtual.h"

#if defined(XRT_VIRTUAL) && defined(XRT_TAPS)

struct ends { /* state of both ends of an edge */
    struct tap *occupancy, *gap, *busy, *ahead, *behind;
    uint64_t inserted, removed; /* times of the last insertion and removal */
    bool any, more;             /* any: an element was inserted; more: elements were left at the last removal */
};

static struct ends *ends;

struct packet_tap { /* a tap of the traffic of several edges on links */
    struct tap *tap;
    uint64_t seen;
};

struct on_link {
    struct packet_tap *tap;
    struct on_link *next;
};

static struct on_link ***on_links; /* by edge and link on its route */

static void open_packets(void) {
    struct packet_tap *all = process_alloc(x_tap_count + 1, sizeof *all);
    on_links = process_alloc(x_edge_count, sizeof *on_links);
    for (size_t e = 0; e < x_edge_count; e++)
        on_links[e] = process_alloc(x_routes[e].count, sizeof **on_links);
    for (size_t i = 0; i < x_packet_tap_count; i++) {
        const struct x_packet_tap *p = &x_packet_taps[i];
        struct packet_tap *t = &all[p->tap];
        if (!t->tap)
            t->tap = tap_new(&x_taps[p->tap], 0);
        struct on_link *x = process_alloc(1, sizeof *x);
        *x = (struct on_link){t, on_links[p->edge][p->hop]};
        on_links[p->edge][p->hop] = x;
    }
}

void monitors_packet(size_t e, size_t hop, uint64_t at, uint64_t bytes, uint64_t ps) {
    for (struct on_link *x = on_links[e][hop]; x; x = x->next) {
        struct tap *t = x->tap->tap;
        uint64_t index = x->tap->seen++;
        if (t->sampler.next != index)
            continue;
        double value = t->spec->kind == XRT_PACKETBYTES ? (double)bytes : 1e-12 * (double)ps;
        sample_record(t, index, at, value, sampler_take(&t->sampler, at));
    }
}

static void add(struct tap **list, const struct x_tap *spec) {
    struct tap *t = tap_new(spec, x_edges[spec->object].initial);
    t->next = *list;
    *list = t;
}

void monitors_open(void) {
    open_packets();
    ends = process_alloc(x_edge_count, sizeof *ends);
    for (size_t i = 0; i < x_tap_count; i++) {
        const struct x_tap *t = &x_taps[i];
        if (t->kind == XRT_SERVICE || t->kind == XRT_LATENCY || t->kind >= XRT_SIGNAL || x_routes[t->object].inside)
            continue;
        struct ends *x = &ends[t->object];
        bool from = x_services[x_edges[t->object].from].core >= 0, to = x_services[x_edges[t->object].to].core >= 0;
        if (t->kind == XRT_OCCUPANCY && from)
            add(&x->occupancy, t);
        else if (t->kind == XRT_GAP && from)
            add(&x->gap, t);
        else if (t->kind == XRT_BUSY && to)
            add(&x->busy, t);
        else if (t->kind == XRT_AHEAD)
            add(&x->ahead, t);
        else if (t->kind == XRT_BEHIND)
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
