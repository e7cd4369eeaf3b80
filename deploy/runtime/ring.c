/* ring.c: edges. Each edge is a ring in shared memory with one writer and one reader. Both cache the state of the other
 * side, and read it again only when the cached state is used up.
 *
 * A port that feeds several edges (a broadcast) has a writer for each edge. The kernel uses the first writer. The
 * elements of these edges are stored once, and each edge has its own counts. There is space when all edges have space.
 *
 * A writer publishes its elements, and a reader returns space, in batches: many elements then share the cost of
 * moving a cache line. The size of a batch adapts to the time that it takes to fill (FAST, SLOW), so that slow
 * elements are published at once. An idle process publishes everything. Within a process the batch is half a ring,
 * because only the supervisor reads the counts. The publication itself is in edge_native.c and edge_virtual.c. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "internal.h"

enum { /* us */
    FAST = 5, /* a batch that fills in less time grows */
    SLOW = 20, /* a batch that takes longer shrinks */
};
enum {
    BATCH_BYTES = 4096,  /* maximum size of a batch between processes */
    SHARE_BYTES = 16384, /* bytes visible to a kernel in one call, if kernels are not fused */
};

_Static_assert(sizeof(struct reader) <= XRT_END_BYTES, "a reader has its place");
_Static_assert(sizeof(struct writer) <= XRT_END_BYTES, "a writer has its place");

static struct mapped { /* by ring: the last mapped area */
    uint64_t offset;
    uint8_t *at;
} *mapped;

/* ring_area maps an area of the ring of an edge. */
uint8_t *ring_area(int edge, uint64_t offset, uint64_t bytes) {
    struct mapped *m = &mapped[x_edges[edge].ring];
    if (m->at && m->offset == offset)
        return m->at;
    uint8_t *area = overrun_reserve(2 * bytes, "a buffer");
    for (uint64_t half = 0; half < 2; half++)
        if (mmap(area + half * bytes, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, XRT_SHARED_FD,
                 (off_t)offset) == MAP_FAILED)
            process_fail("cannot map a buffer");
    overrun_watch(area, 2 * bytes, edge, "its buffer");
    *m = (struct mapped){offset, area};
    return area;
}

static uint64_t atleast1(uint64_t n) { return n > 0 ? n : 1; }

/* ring_batch returns the maximum batch. Between processes it is an eighth of the ring, up to a size that moves
 * efficiently. Within a process it is half a ring: no data move, the other end reads the counts directly, and only
 * the supervisor sees publications. */
uint64_t ring_batch(int edge, uint64_t capacity, bool local) {
#ifdef XRT_EXACT
    (void)edge, (void)capacity, (void)local;
    return 1;
#else
    return atleast1(local ? capacity / 2 : min64(capacity / 8, BATCH_BYTES / x_edges[edge].size));
#endif
}

static void mark_reader(struct reader *r) {
#ifdef XRT_EVENTS
    r->r.mark = 0; /* all releases are recorded */
    return;
#endif
    r->r.mark = r->published + r->batch;
#ifdef XRT_TAPS
    r->r.mark = min64(r->r.mark, r->tap_mark);
#endif
}

static void mark_writer(struct writer *w) {
#ifdef XRT_EVENTS
    w->w.mark = 0;
    return;
#endif
    if (w->first->next) { /* the writers of the other edges of the port must record each send */
        w->w.mark = 0;
        return;
    }
    w->w.mark = w->published + w->batch;
#ifdef XRT_TAPS
    w->w.mark = min64(w->w.mark, w->tap_mark);
#endif
}

/* open_inputs creates the reading ends of a kernel. */
static void open_inputs(struct kernel *k, struct reader **readers) {
#ifdef XRT_EXACT
    uint32_t alone = 0; /* groups of ends outside joins follow the groups of joins */
    for (size_t p = 0; p < k->spec->ins; p++)
        alone = alone > k->spec->in[p].join ? alone : k->spec->in[p].join;
#endif
    for (size_t p = 0; p < k->spec->ins; p++) {
        const struct x_port *port = &k->spec->in[p];
        struct x_input *input = &k->spec->inputs[p];
        input->count = port->count;
        input->ends = process_alloc(port->count, sizeof *input->ends);
        for (size_t j = 0; j < port->count; j++) {
            struct reader *r = shared_at(x_edges[port->edges[j]].reader);
            *r = (struct reader){.edge = port->edges[j], .kernel = k, .batch = 1};
            r->back = x_edges[r->edge].back;
            k->in[k->ins++] = readers[r->edge] = r;
            input->ends[j] = &r->r;
            r->firing = port->firing;
            r->once = port->once;
#ifdef XRT_EXACT
            if (!port->once)
                k->group[k->ins - 1] = port->join > 0 ? port->join : ++alone;
            k->groups = k->groups > k->group[k->ins - 1] ? k->groups : k->group[k->ins - 1];
#endif
        }
        input->now = input->ends[0];
    }
}

/* open_outputs creates the writing ends of a kernel. */
static void open_outputs(struct kernel *k, struct writer **writers) {
    for (size_t p = 0; p < k->spec->outs; p++) {
        const struct x_port *port = &k->spec->out[p];
        struct writer *first = shared_at(x_edges[port->edges[0]].writer), *last = NULL;
        for (size_t j = 0; j < port->count; j++) {
            struct writer *w = shared_at(x_edges[port->edges[j]].writer);
            *w = (struct writer){.edge = port->edges[j], .kernel = k, .batch = 1, .first = first};
            w->back = x_edges[w->edge].back;
            k->out[k->outs++] = writers[w->edge] = w;
            if (last)
                last->next = w;
            last = w;
        }
        k->spec->outputs[p] =
            (struct x_output){.end = &first->w, .firing = 0 - x_edges[first->edge].initial, .last = UINT64_MAX};
        first->firing = port->firing;
    }
}

/* connect_reader connects a reading end to its elements, initial elements first. w is the other end if it is in this
 * process. */
static void connect_reader(struct reader *r, struct writer *w, const uint8_t *data) {
    const struct x_edge *edge = &x_edges[r->edge];
    r->r = (struct x_reader){
        .at = data + edge->first * edge->size, .end = data + edge->bytes, .bytes = edge->bytes, .size = edge->size};
    r->control = shared_at(edge->control);
    r->local = w;
    r->capacity = edge->capacity;
    r->max = ring_batch(r->edge, r->capacity, w);
    if (w) /* nothing needs to be published */
        r->batch = r->max;
#ifdef XRT_EXACT
    r->share = 1;
#else
    uint64_t batch = x_processes[x_self].batch;
    r->share = atleast1((batch > 0 ? batch : SHARE_BYTES) / edge->size);
#endif
#ifdef XRT_TAPS
    r->tap_mark = UINT64_MAX;
#endif
}

/* edge_room returns the number of elements that fit on one edge. */
static uint64_t edge_room(const struct writer *w) { return edge_tail(w) + w->capacity - w->w.head; }

/* connect_writer connects a writing end to its space. r is the other end if it is in this process. Its count starts
 * after the initial elements. */
static void connect_writer(struct writer *w, struct reader *r, uint8_t *data) {
    const struct x_edge *edge = &x_edges[w->edge];
    uint64_t minimum = UINT64_MAX; /* space on all edges of its port */
    for (const struct writer *x = w->first; x; x = x->next)
        minimum = min64(minimum, x_edges[x->edge].capacity - x_edges[x->edge].initial);
    w->w = (struct x_writer){.at = data + (edge->first + edge->initial) * edge->size,
                             .end = data + edge->bytes,
                             .head = edge->initial,
                             .limit = edge->initial + minimum,
                             .bytes = edge->bytes,
                             .size = edge->size};
    w->published = edge->initial;
    w->control = shared_at(edge->control);
    atomic_store(&w->control->head, edge->initial);
    w->local = r;
    w->capacity = edge->capacity;
    w->max = ring_batch(w->edge, w->capacity, r);
    if (r)
        w->batch = w->max;
    if (w == w->first) { /* the kernel writes to this area */
        fence_put(w);
#ifdef XRT_GUARD
        guard_open(w);
#endif
    }
#ifdef XRT_TAPS
    w->tap_mark = UINT64_MAX;
#endif
}

void ring_open(struct kernel *kernels, size_t count) {
    overrun_open();
    mapped = process_alloc(x_edge_count, sizeof *mapped);
    struct reader **readers = process_alloc(x_edge_count, sizeof *readers); /* by edge, NULL if it is in another
                                                                             * process */
    struct writer **writers = process_alloc(x_edge_count, sizeof *writers);
    for (size_t i = 0; i < count; i++) {
        open_inputs(&kernels[i], readers);
        open_outputs(&kernels[i], writers);
    }
    for (size_t e = 0; e < x_edge_count; e++) {
        if (!readers[e] && !writers[e])
            continue;
        uint8_t *data = ring_area((int)e, x_edges[e].data, x_edges[e].bytes);
        if (readers[e] && !writers[e] && x_edges[e].ring == (int)e)
            near_reader(data, x_edges[e].bytes);
        if (readers[e])
            connect_reader(readers[e], writers[e], data);
        if (writers[e])
            connect_writer(writers[e], readers[e], data);
    }
#ifdef XRT_TAPS
    taps_open(kernels, count);
#endif
    fused_open(kernels, count);
#ifdef XRT_EVENTS
    events_open(kernels, count);
#endif
    loop_open(kernels, count);
    for (size_t e = 0; e < x_edge_count; e++) {
        if (readers[e])
            mark_reader(readers[e]);
        if (writers[e])
            mark_writer(writers[e]);
    }
    free(readers);
    free(writers);
}

/* follow adapts a batch to the time that the last batch took. */
static void follow(uint64_t *batch, uint64_t max, uint64_t *stamp) {
    if (max == 1)
        return;
    uint64_t now = clock_ticks(), took = now - *stamp;
    *stamp = now;
    if (took < FAST * x_ticks_per_us)
        *batch = min64(2 * *batch, max);
    else if (took > SLOW * x_ticks_per_us)
        *batch = took > 16 * SLOW * x_ticks_per_us ? 1 : atleast1(*batch / 2);
}

/* Called through X.h. */

static struct reader *reader(struct x_reader *r) { return (struct reader *)r; }

static struct writer *writer(struct x_writer *w) { return (struct writer *)w; }

size_t x_next_end(struct x_input *port) {
    size_t at = 0;
    while (port->ends[at] != port->now)
        at++;
    for (size_t i = 1; i < port->count; i++) {
        struct x_reader *r = port->ends[(at + i) % port->count];
        if (r->visible > r->tail) {
            port->now = r;
            return r->visible - r->tail;
        }
    }
    return 0;
}

void x_released(struct x_reader *end, uint64_t n) {
    struct reader *r = reader(end);
    (void)n;
#ifdef XRT_EVENTS
    events_released(r);
#endif
#ifdef XRT_TAPS
    if (r->r.tail >= r->tap_mark)
        taps_released(r);
#endif
    if (r->r.tail - r->published >= r->batch) {
        edge_give_back(r);
        if (!r->local)
            follow(&r->batch, r->max, &r->stamp);
    }
    mark_reader(r);
}

static void sent(struct writer *w, uint64_t n) {
#if defined(XRT_EVENTS) && !defined(XRT_VIRTUAL)
    uint64_t now = clock_ticks();
    events_sent((size_t)w->edge, w->w.head - n, w->w.head, now);
    if (w->local) /* the other end sees it immediately */
        events_arrived((size_t)w->edge, w->w.head - n, w->w.head, now);
#endif
#ifdef XRT_TAPS
    if (w->w.head >= w->tap_mark)
        taps_sent(w, n);
#else
    (void)n;
#endif
    if (w->w.head - w->published >= w->batch) {
        edge_show(w);
        if (!w->local)
            follow(&w->batch, w->max, &w->stamp);
    }
    mark_writer(w);
}

void x_sent(struct x_writer *end, uint64_t n) {
    struct writer *first = writer(end);
    sent(first, n);
    for (struct writer *w = first->next; w; w = w->next) {
        w->w.head += n;
        w->w.at = first->w.at;
        w->w.limit = w->w.head + (first->w.limit - first->w.head);
        sent(w, n);
    }
}

/* count adds to a counter that only this process writes. */
static void count(_Atomic uint64_t *sum, uint64_t n) {
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + n, memory_order_relaxed);
}

size_t x_room(const struct x_output *port) {
    struct writer *w = writer(port->end);
    return w->fits ? edge_room(w) : ring_room(w);
}

/* has_room reserves space for n elements if there is enough. */
static bool has_room(struct writer *w, uint64_t n) { return w->fits ? fused_reserve(w, n) : ring_room(w) >= n; }

void x_await_room(struct x_writer *end, uint64_t n) {
    struct writer *w = writer(end);
    if (w->fits && w->kernel->state != ENDED && fused_reserve(w, n))
        return;
    for (const struct writer *x = w; x; x = x->next)
        if (n > x->capacity && !x_grows)
            X_fail("requests space for %llu elements, but the buffer has space for only %llu", (unsigned long long)n,
                   (unsigned long long)x->capacity);
    if (has_room(w, n))
        return;
    if (w->kernel->state == ENDED)
        X_fail("sends after its end");
    bool draws = work_ends(w->kernel);
    uint64_t begin = clock_ticks();
    for (struct writer *x = w; x; x = x->next)
        if (edge_room(x) < n) { /* no space on this edge */
            count(&x->control->waits, 1);
            atomic_store_explicit(&x->control->requested, n, memory_order_relaxed);
            atomic_store_explicit(&x->control->blocked_since, begin > 0 ? begin : 1, memory_order_relaxed);
        }
    ring_flush(w->kernel, false);
    do
        sched_await(w->kernel, w, n);
    while (!has_room(w, n));
    uint64_t took = clock_ticks() - begin;
    for (struct writer *x = w; x; x = x->next)
        if (atomic_load_explicit(&x->control->blocked_since, memory_order_relaxed) != 0) {
            atomic_store_explicit(&x->control->blocked_since, 0, memory_order_relaxed);
            atomic_store_explicit(&x->control->requested, 0, memory_order_relaxed);
            count(&x->control->blocked, took);
        }
    w->kernel->blocked += took;
    if (draws) /* the rest of the call also takes its drawn time */
        work_begins(w->kernel);
}

/* if_copied returns an additional error text if a kernel has forked its process. Both processes then use the same
 * edges. */
static const char *if_copied(void) {
    siginfo_t none;
    bool alone = getpid() == x_started_as && waitid(P_ALL, 0, &none, WEXITED | WNOHANG | WNOWAIT) != 0;
    return alone ? "" : "; a copy of the process (fork) may use the same edge";
}

void x_releases_too_many(const struct x_reader *end, uint64_t n) {
    const struct x_edge *e = &x_edges[((const struct reader *)end)->edge];
    X_fail("releases %llu elements, but only %llu are available: kernel %s, input %s%s", (unsigned long long)n,
           (unsigned long long)(end->visible - end->tail), x_kernels[e->to].name, e->in, if_copied());
}

void x_sends_too_many(const struct x_writer *end, uint64_t n) {
    const struct x_edge *e = &x_edges[((const struct writer *)end)->edge];
    X_fail("sends %llu elements, but has space for only %llu: kernel %s, output %s%s", (unsigned long long)n,
           (unsigned long long)(end->limit - end->head), x_kernels[e->from].name, e->out, if_copied());
}

/* For the scheduler. */

uint64_t ring_room(struct writer *w) {
    if (w->kernel->state == WAITS)
        grow_take(w);
    if (w->fits && w->kernel->state != ENDED && (w->block || w->w.head == w->local->r.tail))
        return fused_room(w);
    if (w->kernel->state != ENDED) {
        uint64_t room = edge_room(w);
        for (const struct writer *x = w->next; x; x = x->next)
            room = min64(room, edge_room(x));
        uint64_t limit = w->w.head + room;
        if (limit != w->w.limit) {
            fence_take(w);
            w->w.limit = limit;
            fence_put(w);
        }
    }
    return w->w.limit - w->w.head;
}

void ring_close(struct writer *w) {
    fence_take(w);
    edge_show(w);
    w->w.limit = w->w.head; /* the kernel can send no more elements */
    edge_close(w);
}

/* ring_flush publishes everything that a kernel has sent and released. With wake, it also wakes sleeping processes
 * that could continue. */
void ring_flush(struct kernel *k, bool wake) {
    for (size_t i = 0; i < k->outs; i++)
        if (k->out[i]->published != k->out[i]->w.head) {
            edge_show(k->out[i]);
            mark_writer(k->out[i]);
        }
    for (size_t i = 0; i < k->ins; i++)
        if (k->in[i]->published != k->in[i]->r.tail) {
            edge_give_back(k->in[i]);
            mark_reader(k->in[i]);
        }
    if (wake)
        edge_wake(k);
}
