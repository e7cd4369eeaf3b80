/* virtual_links.c: the links of a run in virtual time. A link is a server that its edges use in rotation, one
 * transfer at a time. A link with bulks waits until a bulk is full, its first element has waited for the flush
 * time, or the stream ends. The data of a transfer arrive after the latency, plus at most the jitter, but never
 * before earlier data of the edge. Meanwhile, the link carries other transfers. An edge to one of several copies
 * carries its share of the stream: elements for other copies pass at the same time and cost nothing. */
#include <math.h>
#include <stdlib.h>
#include "virtual.h"

#ifdef XRT_VIRTUAL

enum { CHUNK_BYTES = 4096 };

struct event { /* elements of an edge, up to a count, at a time */
    uint64_t upto, at;
};

struct events { /* a ring that grows; its size is a power of two */
    struct event *ring;
    uint64_t size, first, last;
};

struct hop_state { /* state of an edge on one of its links */
    uint64_t begun;         /* elements whose transfer has begun */
    struct events arrivals; /* arrivals of waiting elements; stored only if they travel in packets */
    struct events flights;  /* arrival times of elements in flight */
    uint64_t random;        /* its own generator, so that jitter does not depend on other draws */
    uint64_t last;          /* arrival time of the last transfer */
};

struct link {
    int edge; /* edge of the current transfer, -1 for none */
    size_t hop, next;
    uint64_t elements, until;
    uint64_t arrival; /* arrival time of its first element */
    uint64_t wakes;   /* end of the next flush time; NEVER for none */
};

static struct link *links;
static struct hop_state **hops; /* by edge, one for each link on its route */
static uint64_t arrives_first;  /* earliest arrival of all transfers in flight */
static bool flushing;           /* waiting elements start even in incomplete transfers */

static void put(struct events *q, uint64_t upto, uint64_t at) {
    if (q->last - q->first == q->size) {
        uint64_t size = q->size > 0 ? 2 * q->size : 16;
        struct event *ring = process_alloc(size, sizeof *ring);
        for (uint64_t i = q->first; i != q->last; i++)
            ring[i % size] = q->ring[i % q->size];
        free(q->ring);
        q->ring = ring;
        q->size = size;
    }
    q->ring[q->last++ % q->size] = (struct event){upto, at};
}

static struct event *front(const struct events *q) {
    return q->first == q->last ? NULL : &q->ring[q->first % q->size];
}

static const struct x_link *spec_of(size_t e, size_t hop) { return &x_links[x_routes[e].links[hop]]; }

/* packets_of returns the counters of an edge's transfers on one of its links. If transfers have no cost and wait
 * for nothing, there are no packets, and it returns NULL. */
static struct x_packets *packets_of(size_t e, size_t hop) {
    const struct x_link *spec = spec_of(e, hop);
    if (spec->cost <= 0 && spec->transfer == 0)
        return NULL;
    return (struct x_packets *)shared_at(x_routes[e].packets) + hop;
}

void links_open(void) {
    links = process_alloc(x_machine.links, sizeof *links);
    for (size_t l = 0; l < x_machine.links; l++)
        links[l].edge = -1;
    hops = process_alloc(x_edge_count, sizeof *hops);
    for (size_t e = 0; e < x_edge_count; e++) {
        hops[e] = process_alloc(x_routes[e].count, sizeof **hops);
        for (size_t hop = 0; hop < x_routes[e].count; hop++) {
            /* initial elements are in the reader */
            hops[e][hop].begun = x_edges[e].initial;
            hops[e][hop].random = x_machine.seed ^ (0x6a697474657200u + (uint64_t)e * 64 + hop) * 0xd1342543de82ef95u;
        }
    }
    arrives_first = NEVER;
}

void links_arrived(size_t e, size_t hop) {
    if (hop < x_routes[e].count && packets_of(e, hop))
        put(&hops[e][hop].arrivals, passages[e].passed[hop], virtual_now);
}

/* first_arrival returns the arrival time of the first waiting element. */
static uint64_t first_arrival(struct hop_state *h) {
    while (front(&h->arrivals) && front(&h->arrivals)->upto <= h->begun)
        h->arrivals.first++;
    return front(&h->arrivals) ? front(&h->arrivals)->at : virtual_now;
}

/* ready returns the number of elements of an edge that a link may move now. If it returns 0, wakes is
 * the flush time that ends the wait. */
static uint64_t ready(struct link *x, const struct x_link *spec, size_t e, size_t hop) {
    struct hop_state *h = &hops[e][hop];
    const struct passage *p = &passages[e];
    uint64_t size = x_edges[e].size, waiting = p->passed[hop] - h->begun;
    if (waiting == 0)
        return 0;
    bool single = spec->cost > 0 || spec->jitter > 0; /* each element has its own cost or arrival time */
    uint64_t bytes = spec->transfer > 0 ? spec->transfer : single ? size : CHUNK_BYTES;
    uint64_t n = bytes / size > 0 ? bytes / size : 1;
    n = (uint64_t)((double)n / x_routes[e].share); /* including elements for other copies */
    if (waiting >= n)
        return n;
    bool all = p->closing && p->passed[hop] == p->passed[0];
    if (spec->transfer == 0 || all || flushing)
        return waiting;
    if (spec->flush == 0)
        return 0;
    uint64_t ends = first_arrival(h) + (uint64_t)spec->flush;
    if (ends <= virtual_now)
        return waiting;
    x->wakes = min64(x->wakes, ends);
    return 0;
}

/* next_transfer starts a transfer of ready elements on an idle link, serving its edges in rotation. */
static void next_transfer(size_t l) {
    struct link *x = &links[l];
    const struct x_link *spec = &x_links[l];
    x->wakes = NEVER;
    for (size_t tries = 0; tries < x_edge_count; tries++) {
        size_t e = x->next = (x->next + 1) % x_edge_count;
        const struct x_route *r = &x_routes[e];
        for (size_t hop = 0; hop < r->count; hop++) {
            uint64_t n = r->links[hop] == (int)l ? ready(x, spec, e, hop) : 0, size = x_edges[e].size;
            if (n == 0)
                continue;
            double crosses = (double)n * r->share; /* elements */
            double transfers = spec->transfer > 0 ? ceil(crosses * (double)size / (double)spec->transfer) : crosses;
            x->edge = (int)e;
            x->hop = hop;
            x->elements = n;
            x->arrival = packets_of(e, hop) ? first_arrival(&hops[e][hop]) : virtual_now;
            x->until = virtual_now + (uint64_t)(spec->cost * transfers + spec->byte * crosses * (double)size);
            x->wakes = NEVER;
            hops[e][hop].begun += n;
            return;
        }
    }
}

static void arrive(size_t e, size_t hop, uint64_t upto) {
#ifdef XRT_EVENTS
    if (hop + 1 == x_routes[e].count)
        events_arrived(e, passages[e].passed[hop + 1], upto, virtual_now);
#endif
    passages[e].passed[hop + 1] = upto;
    links_arrived(e, hop + 1);
}

/* count_packet counts a packet of an edge that arrives at the given time. */
static void count_packet(const struct link *x, size_t e, size_t hop, uint64_t at) {
    struct x_packets *p = packets_of(e, hop);
    if (!p)
        return;
    uint64_t n = p->count, took = at - x->arrival;
    uint64_t bytes = (uint64_t)((double)(x->elements * x_edges[e].size) * x_routes[e].share);
    p->sum += bytes;
    p->smallest = n > 0 ? min64(p->smallest, bytes) : bytes;
    p->largest = p->largest > bytes ? p->largest : bytes;
    p->latency += took;
    p->quickest = n > 0 ? min64(p->quickest, took) : took;
    p->slowest = p->slowest > took ? p->slowest : took;
    p->count = n + 1;
    monitors_packet(e, hop, at, bytes, took);
}

/* arrival returns the arrival time of a transfer that has ended now. */
static uint64_t arrival(const struct x_link *spec, struct hop_state *h) {
    uint64_t at = virtual_now + (uint64_t)spec->latency;
    if (spec->jitter > 0)
        at += (uint64_t)(spec->jitter * uniform_of(&h->random));
    if (at < h->last)
        at = h->last;
    h->last = at;
    return at;
}

static void transferred(struct link *x) {
    size_t e = (size_t)x->edge, hop = x->hop;
    struct hop_state *h = &hops[e][hop];
    uint64_t upto = h->begun, at = arrival(&x_links[x - links], h);
    x->edge = -1;
    count_packet(x, e, hop, at);
    if (at == virtual_now && !front(&h->flights)) {
        arrive(e, hop, upto);
        return;
    }
    put(&h->flights, upto, at);
    arrives_first = min64(arrives_first, at);
}

/* land delivers transfers whose latency is over. */
static void land(void) {
    arrives_first = NEVER;
    for (size_t e = 0; e < x_edge_count; e++)
        for (size_t hop = 0; hop < x_routes[e].count; hop++) {
            struct events *q = &hops[e][hop].flights;
            for (; front(q) && front(q)->at <= virtual_now; q->first++)
                arrive(e, hop, front(q)->upto);
            if (front(q))
                arrives_first = min64(arrives_first, front(q)->at);
        }
}

uint64_t links_taken(size_t e) { return x_routes[e].count > 0 ? hops[e][0].begun : passages[e].passed[0]; }

void links_begin(void) {
    for (size_t l = 0; l < x_machine.links; l++)
        if (links[l].edge < 0)
            next_transfer(l);
}

bool links_flush(void) {
    bool any = false;
    flushing = true;
    links_begin();
    flushing = false;
    for (size_t l = 0; l < x_machine.links; l++)
        any = any || links[l].edge >= 0;
    return any;
}

bool links_end(void) {
    bool any = false;
    for (size_t l = 0; l < x_machine.links; l++)
        if (links[l].edge >= 0 && links[l].until <= virtual_now) {
            transferred(&links[l]);
            any = true;
        }
    if (arrives_first <= virtual_now) {
        land();
        any = true;
    }
    return any;
}

uint64_t links_next(void) {
    uint64_t t = arrives_first;
    for (size_t l = 0; l < x_machine.links; l++)
        t = min64(t, links[l].edge >= 0 ? links[l].until : links[l].wakes);
    return t;
}

#endif
