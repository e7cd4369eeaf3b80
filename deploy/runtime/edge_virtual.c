/* edge_virtual.c: edges in virtual time. The elements sent and released in a turn take effect at its
 * end (virtual.c). They arrive when they have crossed the links of their edge. */
#include "virtual.h"

#ifdef XRT_VIRTUAL

struct passage *passages;
uint64_t virtual_moves;

void passages_open(void) {
    passages = process_alloc(x_edge_count, sizeof *passages);
    for (size_t e = 0; e < x_edge_count; e++) {
        passages[e].passed = process_alloc(x_routes[e].count + 1, sizeof *passages[e].passed);
        for (size_t h = 0; h <= x_routes[e].count; h++) /* initial elements are at the reader */
            passages[e].passed[h] = x_edges[e].initial;
        account_held(e);
    }
}

void account_held(size_t e) {
    struct passage *x = &passages[e];
    struct x_ring_control *c = ring_control((int)e);
    if (x->left)
        return;
    uint64_t held = x->passed[0] - x->freed, before = atomic_load_explicit(&c->held, memory_order_relaxed);
    atomic_store_explicit(&c->held, before + held * ((virtual_now - x->changed) / 1000), memory_order_relaxed);
    if (held > atomic_load_explicit(&c->maximum, memory_order_relaxed))
        atomic_store_explicit(&c->maximum, held, memory_order_relaxed);
    x->changed = virtual_now;
}

void sent_until(size_t e, uint64_t head) {
    struct passage *x = &passages[e];
    if (x->passed[0] == head)
        return;
    virtual_moves++;
    account_held(e);
    monitors_sent(e, x->passed[0], head);
    pulse_sent(e, head - x->passed[0]);
#ifdef XRT_EVENTS
    if (x_services[x_edges[e].from].core >= 0) /* an FPGA reports its own events */
        events_sent(e, x->passed[0], head, virtual_now);
    if (x_routes[e].count == 0)
        events_arrived(e, x->passed[0], head, virtual_now);
#endif
    x->passed[0] = head;
    account_held(e);
    links_arrived(e, 0);
}

void released_until(size_t e, uint64_t tail) {
    struct passage *x = &passages[e];
    if (x->freed == tail)
        return;
    virtual_moves++;
    account_held(e);
    monitors_released(e, x->freed, tail);
    pulse_taken(e, tail - x->freed);
    x->freed = tail;
    if (x_services[x_edges[e].from].core >= 0) /* for taps at the writer's end */
        atomic_store_explicit(&ring_control((int)e)->tail, tail, memory_order_relaxed);
}

/* The implementation of edge.h. */

void edge_show(struct writer *w) { w->published = w->w.head; }

void edge_give_back(struct reader *r) { r->published = r->r.tail; }

uint64_t edge_head(const struct reader *r) { return arrived((size_t)r->edge); }

uint64_t edge_tail(const struct writer *w) { return freed_of((size_t)w->edge); }

bool edge_closed(const struct reader *r) { return finished((size_t)r->edge); }

void edge_close(struct writer *w) { (void)w; /* the edge ends with the turn */ }

void edge_wake(struct kernel *k) { (void)k; /* no process sleeps */ }

#endif
