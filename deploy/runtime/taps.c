/* taps.c: measurements, made at the side of an edge that owns the values. samples.c contains the selection of
 * elements and the destination of samples. A kernel's end of an edge calls the runtime at the same limits as for
 * publication, so that between samples a tap costs nothing. */
#include <string.h>
#include "samples.h"

#ifdef XRT_TAPS

struct hop {
    struct hop *next;
    const struct x_hop *spec;
    struct x_mark_queue *queue;
    struct sampler sampler;
    double carried;       /* weight of marks for which the queue was full */
    bool pending;         /* writer: the next element carries mark; reader: mark is ahead */
    struct x_mark mark;
    struct hop *onward;   /* hop of the next edge */
    struct writer *where; /* writer of the next edge */
    struct tap *tap;
};

/* A service time extends from one release of a kernel to the next, or from the start of its call, without waiting
 * for space. For sources with one output it extends from one send to the next. For sources with several outputs it
 * extends from the end of one call to the end of the next (taps_called). In virtual time a firing with a random or
 * recorded time takes exactly this time (taps_given). */

/* firings returns the number of firings whose input a kernel has consumed (turn_firings), including fractions. For
 * a join, it counts the elements of the first port. */
static double firings(const struct kernel *k) {
    double n = (double)k->fired;
    for (size_t i = 0; i < k->ins; i++)
        if (k->in[i]->firing)
            n += (double)reader_took(k->in[i]) / k->in[i]->firing;
    for (size_t i = 0; i < k->outs; i++)
        if (k->out[i]->firing)
            n += (double)writer_sent(k->out[i]) / k->out[i]->firing;
    return n;
}

static const double ROUNDING = 1e-9; /* rounding error of fractions of firings */

/* timed_left returns the number of elements that complete the timed firing, given the elements per firing. */
static uint64_t timed_left(const struct kernel *k, uint32_t elements) {
    double left = (1 - (firings(k) - k->timing_firings)) * elements;
    uint64_t complete = left > 1 ? (uint64_t)left : 1;
    return left - (double)complete > ROUNDING * elements ? complete + 1 : complete;
}

/* end_service ends a timing when the firing is complete. */
static void end_service(struct kernel *k, uint64_t now) {
    if (!k->timing)
        return;
    double all = firings(k), n = all - k->timing_firings;
    if (n < 1 - ROUNDING)
        return;
    k->timing = false;
    double took = (double)(now - k->timing_from - (k->blocked - k->timing_blocked));
    sample_record(k->service, (uint64_t)(all + ROUNDING) - 1, now, took * x_seconds_per_tick / n, k->timing_weight);
}

/* taps_call precedes a call in which a service is timed. A service starts at the start of its first call, if it has
 * not yet processed any elements. A service of several calls excludes the time between them. */
void taps_call(struct kernel *k, uint64_t begin) {
    if (firings(k) - k->timing_firings > ROUNDING) {
        k->timing_from += begin - k->returned;
        return;
    }
    k->timing_from = begin;
    k->timing_blocked = k->blocked;
}

/* begin_service times the next release or send, on any end. */
static void begin_service(struct kernel *k, struct sampler *s, uint64_t now) {
    if (k->timing) { /* both ends started a timing */
        s->next++;
        return;
    }
    k->timing_weight = sampler_take(s, now);
    k->timing = true;
    k->timing_firings = firings(k);
    for (size_t i = 0; i < k->ins; i++)
        if (k->in[i]->firing) {
            k->in[i]->tap_mark = k->in[i]->r.tail + k->in[i]->firing;
            k->in[i]->r.mark = min64(k->in[i]->r.mark, k->in[i]->tap_mark);
        }
    for (size_t i = 0; i < k->outs; i++)
        if (k->out[i]->firing) {
            k->out[i]->tap_mark = k->out[i]->w.head + k->out[i]->firing;
            k->out[i]->w.mark = min64(k->out[i]->w.mark, k->out[i]->tap_mark);
        }
    k->timing_blocked = k->blocked;
    k->timing_from = clock_ticks();
}

/* taps_called follows a call of a source with several outputs. sent reports whether it sent anything. */
void taps_called(struct kernel *k, bool sent) {
    if (!k->service || k->ends_time || time_given(k))
        return;
    if (!sent && firings(k) - k->timing_firings <= ROUNDING) { /* the call had no work */
        k->timing_from = clock_ticks();
        k->timing_blocked = k->blocked;
        return;
    }
    end_service(k, clock_ticks());
    if (k->sampler.next < turn_firings(k))
        begin_service(k, &k->sampler, clock_ticks());
}

/* taps_given is called when a kernel has completed firings with known times. took is the time of each of the last
 * firings, in seconds. */
void taps_given(struct kernel *k, uint64_t fired, double took) {
    if (!k->service || k->sampler.next >= fired)
        return;
    uint64_t now = clock_ticks();
    double weight = 0;
    do
        weight += sampler_take(&k->sampler, now);
    while (k->sampler.fixed && k->sampler.next < fired);
    sample_record(k->service, fired - 1, now, took, weight);
}

/* The writer's side. */

static struct x_mark *mark_at(const struct hop *h, uint64_t n) {
    return x_mark_queue_marks(h->queue) + n % h->spec->slots;
}

static void put_mark(struct hop *h, struct x_mark mark) {
    struct x_mark_queue *q = h->queue;
    uint64_t n = atomic_load_explicit(&q->written, memory_order_relaxed);
    mark.weight += h->carried;
    h->carried = 0;
    if (n - atomic_load_explicit(&q->read, memory_order_acquire) >= h->spec->slots) {
        h->carried = mark.weight; /* the next mark also represents this mark */
        return;
    }
    *mark_at(h, n) = mark;
    struct x_ring_control *c = ring_control(h->spec->edge);
    atomic_store_explicit(&c->marks, atomic_load_explicit(&c->marks, memory_order_relaxed) + 1, memory_order_relaxed);
    atomic_store_explicit(&q->written, n + 1, memory_order_release);
}

static double number(const uint8_t *at, enum x_type type) {
#define READ(TYPE) do { TYPE v; memcpy(&v, at, sizeof v); return (double)v; } while (0)
    switch (type) {
    case XRT_U8: READ(uint8_t);
    case XRT_U16: READ(uint16_t);
    case XRT_U32: READ(uint32_t);
    case XRT_U64: READ(uint64_t);
    case XRT_S8: READ(int8_t);
    case XRT_S16: READ(int16_t);
    case XRT_S32: READ(int32_t);
    case XRT_S64: READ(int64_t);
    case XRT_F32: READ(float);
    case XRT_F64: READ(double);
    case XRT_F128: READ(x_float128);
    }
#undef READ
    return 0;
}

static size_t number_bytes(enum x_type type) {
    static const uint8_t bytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 16};
    return bytes[type];
}

/* behind returns the address of an element in a ring that ends at end. The element is the given number of elements
 * before at. */
static const uint8_t *behind(const uint8_t *at, const uint8_t *end, uint64_t ring, uint64_t elements, uint64_t size) {
    at -= elements * size;
    return at < end - ring ? at + ring : at;
}

static const uint8_t *element_sent(const struct writer *w, uint64_t index) {
    return behind(w->w.at, w->w.end, w->w.bytes, w->w.head - index, x_edges[w->edge].size);
}

static const uint8_t *element_released(const struct reader *r, uint64_t index) {
    return behind(r->r.at, r->r.end, r->r.bytes, r->r.tail - index, x_edges[r->edge].size);
}

/* record_values records every number of one element. */
static void record_values(const struct tap *t, const struct writer *w, uint64_t index, uint64_t now, double weight) {
    const struct x_edge *edge = &x_edges[w->edge];
    const uint8_t *at = element_sent(w, index);
    for (uint64_t i = 0; i < edge->size; i += number_bytes(edge->type))
        sample_record(t, index, now, number(at + i, edge->type), weight);
}

/* record_element stores a copy of an element while there is space. */
static void record_element(struct tap *t, const uint8_t *at) {
    uint64_t size = x_edges[t->spec->object].size;
    uint64_t n = atomic_load_explicit(&t->control->traced, memory_order_relaxed);
    memcpy((uint8_t *)x_tap_control_log(t->control, t->spec->slots, t->spec->bins) + n * size, at, size);
    atomic_store_explicit(&t->control->traced, n + 1, memory_order_release);
    if ((n + 2) * size > t->spec->trace * sizeof(struct x_trace))
        t->sampler.next = UINT64_MAX - 1; /* the log is full */
}

static uint64_t writer_mark(const struct writer *w) {
    uint64_t mark = UINT64_MAX;
    for (const struct tap *t = w->taps; t; t = t->next)
        mark = min64(mark, t->sampler.next + 1);
    for (const struct hop *h = w->hops; h; h = h->next)
        mark = min64(mark, h->spec->first ? h->sampler.next + 1 : h->pending ? w->w.head + 1 : UINT64_MAX);
    if (w->firing && w->kernel->ends_time)
        mark = min64(mark, w->kernel->timing
                               ? w->w.head + timed_left(w->kernel, w->firing)
                               : (w->service.next + 1) * w->firing + x_edges[w->edge].initial);
    return mark;
}

/* released returns the number of elements that the reader has released, as visible to this process. */
static uint64_t released(const struct writer *w) {
    return w->local ? w->local->r.tail : atomic_load_explicit(&w->control->tail, memory_order_acquire);
}

/* seconds_blocked returns the time for which a writer has waited for space. */
static double seconds_blocked(const struct writer *w) {
    return (double)atomic_load_explicit(&w->control->blocked, memory_order_relaxed) * x_seconds_per_tick;
}

void taps_sent(struct writer *w, uint64_t n) {
    uint64_t now = clock_ticks(), head = w->w.head;
    bool times = w->firing && w->kernel->ends_time;
    if (times)
        end_service(w->kernel, now);
    uint64_t tail = w->taps ? released(w) : 0;
    for (struct tap *t = w->taps; t; t = t->next)
        while (t->sampler.next < head) {
            uint64_t index = t->sampler.next;
            double weight = sampler_take(&t->sampler, now);
            if (t->spec->kind == XRT_RECORD)
                record_element(t, element_sent(w, index));
            else if (t->spec->kind == XRT_VALUE)
                record_values(t, w, index, now, weight);
            else if (t->spec->kind == XRT_OCCUPANCY)
                sample_record(t, index, now, (double)(index - tail), weight);
            else if (t->spec->kind == XRT_SENT)
                sample_record(t, index, now, 1, weight);
            else
                sample_record(t, index, now, seconds_blocked(w), weight);
        }
    for (struct hop *h = w->hops; h; h = h->next) {
        while (h->spec->first && h->sampler.next < head) {
            uint64_t index = h->sampler.next;
            put_mark(h, (struct x_mark){index, now, sampler_take(&h->sampler, now)});
        }
        if (h->pending) {
            h->pending = false;
            put_mark(h, (struct x_mark){head - n, h->mark.origin, h->mark.weight});
        }
    }
    if (times && w->service.next < writer_sent(w) / w->firing)
        begin_service(w->kernel, &w->service, now);
    w->tap_mark = writer_mark(w);
}

/* The reader's side. */

static void look_ahead(struct hop *h) {
    struct x_mark_queue *q = h->queue;
    uint64_t n = atomic_load_explicit(&q->read, memory_order_relaxed);
    h->pending = n != atomic_load_explicit(&q->written, memory_order_acquire);
    if (h->pending)
        h->mark = *mark_at(h, n);
}

static uint64_t reader_mark(const struct reader *r) {
    uint64_t mark = UINT64_MAX;
    for (const struct tap *t = r->taps; t; t = t->next)
        mark = min64(mark, t->sampler.next + 1);
    for (const struct hop *h = r->hops; h; h = h->next)
        if (h->pending)
            mark = min64(mark, h->mark.index + 1);
    if (r->firing && r->kernel->ends_time)
        mark = min64(mark, r->kernel->timing ? r->r.tail + timed_left(r->kernel, r->firing)
                                             : (r->service.next + 1) * r->firing);
    return mark;
}

void taps_look(struct reader *r, uint64_t marks) {
    r->marks = marks;
    for (struct hop *h = r->hops; h; h = h->next)
        if (!h->pending)
            look_ahead(h);
    r->tap_mark = reader_mark(r);
    r->r.mark = min64(r->published + r->batch, r->tap_mark);
}

void taps_released(struct reader *r) {
    uint64_t now = clock_ticks(), tail = r->r.tail;
    bool times = r->firing && r->kernel->ends_time;
    if (times)
        end_service(r->kernel, now);
    for (struct tap *t = r->taps; t; t = t->next)
        while (t->sampler.next < tail) {
            uint64_t index = t->sampler.next;
            double weight = sampler_take(&t->sampler, now);
            if (t->spec->kind == XRT_RECORD)
                record_element(t, element_released(r, index));
            else
                sample_record(t, index, now, 1, weight);
        }
    for (struct hop *h = r->hops; h; h = h->next)
        while (h->pending && h->mark.index < tail) {
            if (h->onward) { /* the next element sent on that edge carries the mark */
                h->onward->pending = true;
                h->onward->mark = h->mark;
                h->where->tap_mark = min64(h->where->tap_mark, h->where->w.head + 1);
                h->where->w.mark = min64(h->where->w.mark, h->where->tap_mark);
            } else {
                double took = (double)(int64_t)(now - h->mark.origin) * x_seconds_per_tick;
                sample_record(h->tap, h->mark.index, now, took, h->mark.weight);
            }
            atomic_fetch_add_explicit(&h->queue->read, 1, memory_order_release);
            look_ahead(h);
        }
    if (times && r->service.next < tail / r->firing)
        begin_service(r->kernel, &r->service, now);
    r->tap_mark = reader_mark(r);
}

/* Start. */

/* sampler_behind returns a sampler whose first element follows the initial elements. */
static struct sampler sampler_behind(uint64_t every, uint64_t initial) {
    struct sampler s = sampler_new(every);
    s.next += initial;
    s.last += initial;
    return s;
}

struct tap *tap_new(const struct x_tap *spec, uint64_t initial) {
    struct tap *t = process_alloc(1, sizeof *t);
    *t = (struct tap){
        .spec = spec, .control = shared_at(spec->offset), .sampler = sampler_behind(spec->every, initial)};
    t->sampler.regular = spec->kind == XRT_BOUNDARY;
    return t;
}

static void add_tap(struct tap **list, const struct x_tap *spec, uint64_t initial) {
    struct tap *t = tap_new(spec, initial);
    t->next = *list;
    *list = t;
}

static struct hop *hop_new(size_t i) {
    struct hop *h = process_alloc(1, sizeof *h);
    *h = (struct hop){.spec = &x_hops[i], .queue = shared_at(x_hops[i].offset)};
    h->sampler = sampler_behind(x_taps[x_hops[i].tap].every, x_edges[x_hops[i].edge].initial);
    return h;
}

/* of_engine reports whether the engine of a virtual run samples a tap (virtual_taps.c). */
static bool of_engine(const struct x_tap *spec) {
#ifdef XRT_VIRTUAL
    if (spec->kind == XRT_OCCUPANCY)
        return true;
#endif
    return spec->kind >= XRT_GAP;
}

/* of_reader reports whether the reader of an edge has a tap: for its counts and, where an FPGA writes,
 * its recorded elements. */
static bool of_reader(const struct x_tap *spec) {
#ifdef XRT_VIRTUAL
    if (spec->kind == XRT_RECORD)
        return x_services[x_edges[spec->object].from].core < 0;
#endif
    return spec->kind == XRT_TAKEN;
}

void taps_open(struct kernel *kernels, size_t count) {
    struct hop *sending[x_hop_count + 1];
    struct writer *senders[x_hop_count + 1];
    for (size_t i = 0; i < count; i++) {
        struct kernel *k = &kernels[i];
        for (size_t j = 0; j < x_tap_count; j++) {
            const struct x_tap *spec = &x_taps[j];
            if (spec->kind == XRT_SERVICE && spec->object == (int)(k->spec - x_kernels)) {
                k->service = tap_new(spec, 0);
                k->sampler = sampler_new(spec->every);
                k->ends_time = !k->spec->by_call && !time_given(k);
                for (size_t e = 0; e < k->ins; e++)
                    k->in[e]->service = sampler_new(spec->every);
                for (size_t e = 0; e < k->outs; e++)
                    k->out[e]->service = sampler_new(spec->every);
            }
            for (size_t e = 0; e < k->outs; e++)
                if (spec->kind != XRT_SERVICE && spec->kind != XRT_LATENCY && !of_reader(spec) && !of_engine(spec) &&
                    spec->object == k->out[e]->edge)
                    add_tap(&k->out[e]->taps, spec, x_edges[spec->object].initial);
            for (size_t e = 0; e < k->ins; e++)
                if (of_reader(spec) && spec->object == k->in[e]->edge)
                    add_tap(&k->in[e]->taps, spec, spec->kind == XRT_RECORD ? x_edges[spec->object].initial : 0);
        }
        for (size_t j = 0; j < x_hop_count; j++)
            for (size_t e = 0; e < k->outs; e++)
                if (x_hops[j].edge == k->out[e]->edge) {
                    struct hop *h = hop_new(j);
                    h->next = k->out[e]->hops;
                    k->out[e]->hops = sending[j] = h;
                    senders[j] = k->out[e];
                }
    }
    for (size_t i = 0; i < count; i++) {
        struct kernel *k = &kernels[i];
        for (size_t j = 0; j < x_hop_count; j++)
            for (size_t e = 0; e < k->ins; e++)
                if (x_hops[j].edge == k->in[e]->edge) {
                    struct hop *h = hop_new(j);
                    h->next = k->in[e]->hops;
                    k->in[e]->hops = h;
                    if (x_hops[j].next >= 0) {
                        h->onward = sending[x_hops[j].next];
                        h->where = senders[x_hops[j].next];
                    } else {
                        h->tap = tap_new(&x_taps[x_hops[j].tap], 0);
                    }
                }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t e = 0; e < kernels[i].ins; e++)
            kernels[i].in[e]->tap_mark = reader_mark(kernels[i].in[e]);
        for (size_t e = 0; e < kernels[i].outs; e++)
            kernels[i].out[e]->tap_mark = writer_mark(kernels[i].out[e]);
    }
}

#endif
