/* turn.c: a turn of a kernel. The scheduler (sched.c or virtual.c) decides which kernel has a turn, and when. */
#define _GNU_SOURCE
#include "internal.h"

enum {
#ifdef XRT_EXACT
    BURST = 1,
#else
    BURST = 256,         /* maximum calls of go in a turn */
#endif
    BURST_BYTES = 16384, /* maximum bytes sent in a turn, if kernels are not fused */
    BURST_SHORT_US = 20, /* shorter turns grow */
    BURST_LONG_US = 50,
    CALL_LONG_US = 2000, /* a kernel with longer calls sees fewer elements per call */
    CALL_SHORT_US = 200,
};

/* Binary logarithms of factors for the number of visible elements in a call. The first factor is small, because the
 * time of a call is not yet known. */
#ifdef XRT_EXACT
enum { SHARE_LEAST = 0, SHARE_FIRST = 0, SHARE_MOST = 24 };
#else
enum { SHARE_LEAST = -24, SHARE_FIRST = -8, SHARE_MOST = 24 };
#endif

struct kernel *x_current;

/* turn_open creates the kernels of this process and calls their init functions. */
struct kernel *turn_open(size_t *kernel_count) {
    size_t count = 0;
    for (size_t i = 0; i < x_kernel_count; i++)
        count += x_kernels[i].process == x_self;
    struct kernel *kernels = process_alloc(count, sizeof *kernels), *k = kernels;
    for (size_t i = 0; i < x_kernel_count; i++) {
        const struct x_kernel *spec = &x_kernels[i];
        if (spec->process != x_self)
            continue;
        size_t ends = 0;
        for (size_t p = 0; p < spec->ins; p++)
            ends += spec->in[p].count;
        size_t begins = 0;
        for (size_t p = 0; p < spec->outs; p++)
            begins += spec->out[p].count;
        *k = (struct kernel){
            .spec = spec, .number = (int)i, .control = kernel_control((int)i), .burst = 1, .share = SHARE_FIRST,
            .minimum = SHARE_LEAST};
        k->in = process_alloc(ends, sizeof *k->in);
        k->out = process_alloc(begins, sizeof *k->out);
#ifdef XRT_EXACT
        k->group = process_alloc(ends, sizeof *k->group);
#endif
        k++;
    }
    ring_open(kernels, count);
    for (size_t i = 0; i < count; i++)
        copies_open(&kernels[i], kernels, count);
    for (size_t i = 0; i < count; i++) {
        turn_enter(&kernels[i]);
        x_current->spec->init(x_current->spec->instance);
    }
    turn_leave();
    *kernel_count = count;
    return kernels;
}

void turn_enter(struct kernel *k) {
    speech_ends();
    x_current = k;
    atomic_store_explicit(&x_here->kernel, k->number, memory_order_relaxed);
}

void turn_leave(void) {
    speech_ends();
    x_current = NULL;
    atomic_store_explicit(&x_here->kernel, -1, memory_order_relaxed);
}

/* account records a call that started at begin. blocked is the kernel's waiting time at its start. */
static uint64_t account(struct kernel *k, uint64_t begin, uint64_t blocked, uint64_t calls) {
    uint64_t end = clock_ticks(), took = end - begin - (k->blocked - blocked);
#ifdef XRT_TAPS
    k->returned = end;
#endif
    k->busy += took;
    k->calls += calls;
    atomic_store_explicit(&k->control->busy, k->busy, memory_order_relaxed);
    atomic_store_explicit(&k->control->calls, k->calls, memory_order_relaxed);
    if (took >= BURST_SHORT_US * x_ticks_per_us)
        ring_flush(k, false); /* so that its output does not wait for the other kernels */
    return took;
}

static void begin_timing(struct kernel *k, uint64_t begin) {
#ifdef XRT_EVENTS
    k->called = begin;
#endif
#ifdef XRT_TAPS
    if (k->timing)
        taps_call(k, begin);
#else
    (void)k, (void)begin;
#endif
}

static void end_kernel(struct kernel *k) {
    copies_kept(k);
    if (k->copies)
        copies_end(k);
    ring_flush(k, true);
    k->state = ENDED;
    for (size_t i = 0; i < k->outs; i++)
        ring_close(k->out[i]);
    atomic_store(&k->control->done, 1);
}

uint64_t turn_moved(const struct kernel *k) {
    uint64_t sum = 0;
    for (size_t i = 0; i < k->ins; i++)
        sum += k->in[i]->r.tail;
    for (size_t i = 0; i < k->outs; i++)
        sum += k->out[i]->w.head;
    return sum;
}

/* turn_firings returns the number of firings of a kernel. It counts the rounds of its joins. For a source it counts
 * the firings of emit, the elements of its only output, or the calls with output. */
uint64_t turn_firings(const struct kernel *k) {
    uint64_t n = k->fired;
    for (size_t i = 0; i < k->ins; i++)
        if (k->in[i]->firing)
            n += reader_took(k->in[i]) / k->in[i]->firing;
    for (size_t i = 0; i < k->outs; i++)
        if (k->out[i]->firing)
            n += writer_sent(k->out[i]) / k->out[i]->firing;
    return n;
}

static uint64_t sent_bytes(const struct kernel *k) {
    uint64_t sum = 0;
    for (size_t i = 0; i < k->outs; i++)
        if (k->out[i]->first == k->out[i]) /* a broadcast port sends each element once */
            sum += k->out[i]->w.head * k->out[i]->w.size;
    return sum;
}

/* batch_bytes returns the number of bytes that a source sends in a turn. */
static uint64_t batch_bytes(void) {
    uint64_t batch = fused_batch();
    return batch > 0 ? batch : BURST_BYTES;
}

/* free_empty is called at the end of a turn. It returns the memory of empty edges. */
static void free_empty(struct kernel *k) {
    for (size_t i = 0; i < k->ins; i++) {
        struct writer *w = k->in[i]->local;
        if (w && w->fits && w->w.head == w->local->r.tail)
            fused_empty(w);
    }
}

/* counts_calls reports whether the firings of a source can only be counted by its calls. */
static bool counts_calls(const struct kernel *k) {
    for (size_t i = 0; i < k->outs; i++)
        if (k->out[i]->firing)
            return false;
    return k->spec->by_call;
}

/* source_called follows each call of a source with several outputs. before is the number of elements sent before
 * the call. */
static void source_called(struct kernel *k, uint64_t before) {
    bool any = turn_moved(k) != before;
    k->fired += any && counts_calls(k);
    work_ends(k);
#ifdef XRT_TAPS
    taps_called(k, any);
#endif
    atomic_store_explicit(&k->control->fired, k->fired, memory_order_relaxed); /* its input has been recorded by now */
}

/* turn_source calls go until the turn is long enough. */
static bool turn_source(struct kernel *k) {
    uint64_t begin = clock_ticks(), blocked = k->blocked, bytes = sent_bytes(k), calls = 0;
    int finished = 0;
    bool turns = false; /* its turn among copies has ended */
    if (k->copies && !copies_source(k))
        return false;
    turn_enter(k);
    begin_timing(k, begin);
    while (calls < k->burst && !finished && !turns && k->blocked == blocked) {
        uint64_t before = k->spec->by_call ? turn_moved(k) : 0;
        work_begins(k);
        finished = k->spec->go(k->spec->instance);
        calls++;
        if (k->spec->by_call)
            source_called(k, before);
        turns = k->copies && copies_turned(k);
    }
    work_ends(k);
    uint64_t took = account(k, begin, blocked, calls);
    bytes = sent_bytes(k) - bytes;
    const uint64_t maximum = batch_bytes();
    if (bytes == 0)
        ring_flush(k, true); /* it may block */
    if (k->burst < BURST && took < BURST_SHORT_US * x_ticks_per_us && bytes < maximum / 2)
        k->burst *= 2;
    else if (k->burst > 1 && (took > BURST_LONG_US * x_ticks_per_us || bytes > maximum))
        k->burst /= 2;
    if (finished)
        end_kernel(k);
    return true;
}

/* share returns the number of elements that a kernel sees on a reader in one call. */
static uint64_t share(const struct reader *r) {
    int s = r->kernel->share;
    uint64_t n = s >= 0 ? r->share << s : r->share >> -s;
    return n > 0 ? n : 1;
}

/* fit reduces the share of a kernel with long calls, but leaves enough elements for it to work. */
static void fit(struct kernel *k, uint64_t took) {
    if (took > CALL_LONG_US * x_ticks_per_us && k->share > k->minimum)
        k->share--;
    else if (took < CALL_SHORT_US * x_ticks_per_us && k->share < 0)
        k->share++;
}

/* push lets a kernel consume the visible elements, and reports whether it did any work. took is its time. */
static bool push(struct kernel *k, uint64_t *took) {
    uint64_t before = turn_moved(k), begin = clock_ticks(), blocked = k->blocked;
    begin_timing(k, begin);
    work_begins(k);
    k->spec->push(k->spec->instance);
    work_ends(k);
    *took = account(k, begin, blocked, 1);
    free_empty(k);
    return turn_moved(k) != before;
}

#ifdef XRT_EXACT
/* show_group shows a kernel the elements of one group of its inputs; of all groups if group is 0. */
static void show_group(struct kernel *k, const uint64_t *visible, uint32_t group) {
    for (size_t i = 0; i < k->ins; i++) {
        bool is = group == 0 || k->group[i] == group || k->group[i] == 0;
        k->in[i]->r.visible = is ? visible[i] : k->in[i]->r.tail;
    }
    k->shown = group;
}

/* next_group returns the group with elements that follows a group in rotation; 0 for none. */
static uint32_t next_group(const struct kernel *k, const uint64_t *visible, uint32_t before) {
    uint32_t next = 0, nearest = k->groups;
    for (size_t i = 0; i < k->ins; i++) {
        uint32_t away = (k->group[i] + 2 * k->groups - before - 1) % k->groups;
        if (k->group[i] > 0 && visible[i] > k->in[i]->r.tail && away < nearest) {
            nearest = away;
            next = k->group[i];
        }
    }
    return next;
}

/* push_group lets a kernel consume from one group of its inputs, in rotation if several have elements. The result is
 * one firing with its own time. several is set if the kernel has no work with any single group. A kernel in a loop sees
 * all groups, because it may have to consume the feedback first. */
static bool push_group(struct kernel *k, uint64_t *took, bool *several) {
    if (k->groups < 2 || k->together || k->spec->loop >= 0 || k->copies)
        return false;
    uint64_t visible[k->ins + 1];
    for (size_t i = 0; i < k->ins; i++)
        visible[i] = k->in[i]->r.visible;
    uint32_t first = next_group(k, visible, k->last), g = first;
    *several = first > 0 && next_group(k, visible, first) != first;
    if (*several)
        do {
            show_group(k, visible, g);
            if (push(k, took)) {
                k->last = g;
                return true;
            }
            g = next_group(k, visible, g);
        } while (g != first);
    show_group(k, visible, *several ? 0 : first);
    return false;
}
#endif

/* push_shown lets a kernel consume the visible elements. If it consumes from several groups of inputs together, it
 * sees all groups from then on. */
static bool push_shown(struct kernel *k, uint64_t *took) {
#ifdef XRT_EXACT
    bool several = false;
    if (push_group(k, took, &several))
        return true;
    bool moved = push(k, took);
    k->together = k->together || (moved && several);
    return moved;
#else
    return push(k, took);
#endif
}

/* turn_push shows the arrived elements to a kernel and calls push. When push can do no more work and all inputs
 * have ended, the kernel ends. */
static bool turn_push(struct kernel *k) {
    bool ended = true, hidden = false;
    uint64_t shown = 0;
    for (size_t i = 0; i < k->ins; i++) {
        struct reader *r = k->in[i];
        ended = edge_closed(r) && ended;
        r->seen = edge_head(r);
        grow_look(r);
        uint64_t here = r->seen - r->r.tail, maximum = share(r);
        hidden = hidden || here > maximum;
        r->r.visible = r->r.tail + (here < maximum ? here : maximum);
        shown += r->r.visible - r->r.tail;
#ifdef XRT_TAPS
        taps_shown(r);
#endif
    }
    if (k->copies) {
        copies_look(k);
        for (size_t i = 0; i < k->ins; i++)
            k->in[i]->r.visible = k->in[i]->r.tail + min64(k->in[i]->seen - k->in[i]->r.tail, share(k->in[i]));
        copies_show(k, ended);
        shown = 0;
        for (size_t i = 0; i < k->ins; i++)
            shown += k->in[i]->r.visible - k->in[i]->r.tail;
    }
    k->again = false;
    turn_enter(k);
    if (shown > 0) {
        uint64_t took = 0;
        if (push_shown(k, &took)) {
            if (k->copies)
                copies_settle(k);
            for (size_t i = 0; i < k->ins; i++)
                k->again = k->again || k->in[i]->seen > k->in[i]->r.tail;
            k->again = k->again || ended;
            fit(k, took);
            if (!k->again && k->spec->loop >= 0)
                loop_show(k);
            return true;
        }
        if (hidden && k->share < SHARE_MOST) { /* it needs more elements per call */
            k->minimum = ++k->share;
            k->again = true;
            return true;
        }
    }
    if (!ended || copies_wait(k)) {
        if (k->spec->loop >= 0)
            loop_show(k);
        return false;
    }
    if (k->spec->drain) { /* the remaining elements can never be consumed */
        uint64_t begin = clock_ticks(), blocked = k->blocked;
        begin_timing(k, begin);
        k->spec->drain(k->spec->instance);
        account(k, begin, blocked, 1);
    }
    end_kernel(k);
    return true;
}

bool turn(struct kernel *k) { return k->spec->source ? turn_source(k) : turn_push(k); }
