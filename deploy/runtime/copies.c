/* copies.c: kernels that run in several copies, and the readers of their output (docs/copies.md).
 *
 * Where a stream enters copies, each copy sees the complete stream, like the readers of a broadcast, and skips the
 * elements of the other copies. Nothing is copied, and the writer is not affected. A free copy claims a batch of
 * firings: as many as it processes in a pass (pass_ticks). Otherwise copies process batches in turn, or the firings
 * with their own keys. A copy sees no element after its current batch. Therefore everything that it sends until the end
 * of its input is the output of the batch, for any number of elements. Then it announces to the readers of its outputs
 * the first and the last firing of the batch, and the number of sent elements. They consume the batches in the order of
 * the firings: the order in which one copy would have sent them.
 *
 * Elements are published before the end of their batch, and elements of the next batch after it. A reader that
 * first checks the published elements, and then finds no end, sees only elements of the current batch.
 *
 * If the number of elements of a batch on an edge is declared (emit), the reader counts without announcements. A
 * kernel of a unit that has only such edges and reads from its own copy runs as if there were no copies (plain). A
 * copied source skips the firing numbers of the other copies. */
#include <string.h>
#include "internal.h"

struct batches { /* the batches of a reading end */
    struct x_batch_queue *queue; /* NULL where the stream divides, and for declared counts */
    uint64_t each;               /* elements in each batch if declared; otherwise 0 */
    struct x_batch next;         /* the current batch, if counts are declared */
    uint64_t popped;             /* consumed batches */
    uint64_t ended;              /* if counts are declared: elements of these batches */
    uint64_t looked, begun;      /* state of the queue at the last check for news */
    uint64_t passed;             /* skipped elements of other copies */
    uint64_t accept;               /* elements per firing where the stream divides */
};

struct gathering { /* an input: the ends of all copies that send to it, or one end where the stream divides */
    struct reader **ends;
    size_t count;
    int *end;                      /* end for each copy that sends to it, -1 for none */
    const struct x_copy *from;     /* one of these copies; NULL where the stream divides */
    bool own;                      /* the sender is the copy with the same number in the same unit */
    uint64_t at;                   /* first firing of the next batch to consume */
};

struct copies {
    const struct x_copy *self; /* NULL if only its inputs come from copies */
    struct gathering *inputs;
    size_t count;
    struct x_batch_queue **reported; /* by output end; NULL if batches are not announced */
    uint64_t turn;               /* number of batches that the copy has opened */
    uint64_t from, to;           /* firings of the current batch, if open */
    uint64_t scanned;            /* firings whose keys have been read */
    bool open, full;             /* full: a reader has not yet consumed the earlier batch ends */
    bool claimed;                /* the copy has claimed a batch in this turn */
    const _Atomic uint64_t **popped; /* batches that each reader of the copy's claims has consumed */
    size_t readers;
    uint64_t leaves;             /* number of batches that a claim leaves for other copies */
    struct kernel **kernels;     /* kernels in this process that process its batches */
    size_t kernel_count;
    uint64_t parts, work;        /* parts of its last claim, and the work of these kernels before it */
};

/* An entry of a log of claims is the number of the first claimed part, and the number of parts. */
enum { LOG_PARTS_SHIFT = 48 };

/* Batches. */

static uint64_t written(const struct x_batch_queue *q) {
    return atomic_load_explicit(&q->written, memory_order_acquire);
}

static bool has_space(struct x_batch_queue *q) {
    return atomic_load_explicit(&q->written, memory_order_relaxed) -
               atomic_load_explicit(&q->read, memory_order_acquire) <
           XRT_BATCHES;
}

/* firing_of_turn returns the first firing of the batch that a copy processes in the given turn. */
static uint64_t firing_of_turn(const struct x_copy *c, uint64_t turn) {
    uint64_t mine = 0;
    for (size_t i = 0; i < c->round; i++)
        mine += c->turns[i] == c->self;
    uint64_t left = turn % mine;
    for (size_t i = 0;; i++)
        if (c->turns[i] == c->self && left-- == 0)
            return (turn / mine * c->round + i) * c->batch;
}

/* batch_of_turn returns the first firing of the batch that a copy processes in the given turn; UINT64_MAX if the copy
 * has not claimed it yet. A copy claims a batch before it sends any element of it. firings is the length of the
 * batch. */
static uint64_t batch_of_turn(const struct x_copy *c, uint64_t turn, uint64_t *firings) {
    *firings = c->batch;
    if (!c->claims)
        return firing_of_turn(c, turn);
    struct x_claim_log *log = shared_at(c->log);
    if (turn >= atomic_load_explicit(&log->written, memory_order_acquire))
        return UINT64_MAX;
    uint64_t entry = x_claim_log_numbers(log)[turn % XRT_CLAIMS];
    *firings = (entry >> LOG_PARTS_SHIFT) * c->batch;
    return (entry & ((UINT64_C(1) << LOG_PARTS_SHIFT) - 1)) * c->batch;
}

/* count_batch advances an end with counted batches to the next batch of its copy. */
static void count_batch(const struct reader *r) {
    struct batches *b = r->batches;
    const struct x_copy *from = x_kernels[x_edges[r->edge].from].copy;
    uint64_t firings;
    b->next.from = batch_of_turn(from, b->popped, &firings);
    b->next.to = b->next.from + firings;
    b->next.head = b->ended + firings / from->batch * b->each;
}

/* front returns the next batch of a reading end; NULL until the end of the batch is announced. */
static const struct x_batch *front(const struct reader *r) {
    const struct batches *b = r->batches;
    if (b->each > 0) {
        if (b->next.from == UINT64_MAX)
            count_batch(r);
        return b->next.from == UINT64_MAX ? NULL : &b->next;
    }
    return written(b->queue) > b->popped ? &x_batch_queue_batches(b->queue)[b->popped % XRT_BATCHES] : NULL;
}

static void pop(struct reader *r) {
    r->batches->popped++;
    r->batches->ended = r->batches->next.head;
    atomic_store_explicit(&r->control->popped, r->batches->popped, memory_order_release);
    if (r->batches->each > 0)
        count_batch(r);
    else
        atomic_store_explicit(&r->batches->queue->read, r->batches->popped, memory_order_release);
}

/* begun returns the first firing of the current batch on an end, if keys select copies. It returns UINT64_MAX if there
 * is no batch, or if its firing is not yet known. */
static uint64_t begun(const struct reader *r) {
    const struct batches *b = r->batches;
    const struct x_batch *reported = front(r);
    if (reported)
        return reported->from;
    uint64_t from = atomic_load_explicit(&b->queue->begun, memory_order_acquire) - 1;
    reported = front(r); /* the batch may have ended meanwhile, and another batch may have started */
    return reported ? reported->from : from;
}

/* announce_firing announces to the readers the firing of the elements sent from now on. */
static void announce_firing(struct kernel *k, uint64_t from) {
    for (size_t i = 0; i < k->outs; i++)
        if (k->copies->reported[i])
            atomic_store_explicit(&k->copies->reported[i]->begun, from + 1, memory_order_release);
}

static void announce(struct kernel *k, uint64_t from, uint64_t to) {
    for (size_t i = 0; i < k->outs; i++) {
        struct x_batch_queue *q = k->copies->reported[i];
        if (!q)
            continue;
        uint64_t n = atomic_load_explicit(&q->written, memory_order_relaxed);
        x_batch_queue_batches(q)[n % XRT_BATCHES] = (struct x_batch){.from = from, .to = to, .head = k->out[i]->w.head};
        atomic_store_explicit(&q->written, n + 1, memory_order_release);
    }
}

/* pass_over releases available elements that belong to other copies. */
static void pass_over(struct reader *r, uint64_t until) {
    until = min64(until, r->seen);
    if (until <= r->r.tail)
        return;
    uint64_t n = until - r->r.tail;
    r->r.tail = r->r.visible = until;
    r->r.at += n * r->r.size;
    if (r->r.at >= r->r.end)
        r->r.at -= r->r.bytes;
    r->batches->passed += n;
    atomic_store_explicit(&r->control->passed, r->batches->passed, memory_order_relaxed);
    if (r->r.tail - r->published >= r->batch)
        edge_give_back(r);
}

uint64_t copies_passed(const struct reader *r) { return r->batches->passed; }

/* Division of a stream. */

/* key_of returns the key of a firing: the first number in the element of the key input. */
static uint64_t key_of(const struct reader *r, uint64_t firing) {
    const uint8_t *at = r->r.at + (firing * r->batches->accept - r->r.tail) * r->r.size;
    uint64_t key = 0;
    size_t bytes = 8;
    switch (x_edges[r->edge].type) {
    case XRT_U8: case XRT_S8: bytes = 1; break;
    case XRT_U16: case XRT_S16: bytes = 2; break;
    case XRT_U32: case XRT_S32: bytes = 4; break;
    default: break;
    }
    memcpy(&key, at, bytes);
    return key;
}

/* has_key reports whether the key of a firing belongs to the copy. Consecutive keys go to different copies, and so
 * do multiples of a number (Knuth 1973, 6.4: Fibonacci hashing). */
static bool has_key(const struct x_copy *c, const struct reader *r, uint64_t firing) {
    uint64_t hash = key_of(r, firing) * UINT64_C(0x9e3779b97f4a7c15);
    return c->turns[(hash >> 32) % c->round] == c->self;
}

/* begin_keyed finds the next consecutive firings that belong to the copy. */
static bool begin_keyed(struct copies *c) {
    struct gathering *keys = NULL;
    for (size_t p = 0; p < c->count; p++)
        if (x_kernels[x_edges[c->inputs[p].ends[0]->edge].to].in[c->self->key].edges[0] == c->inputs[p].ends[0]->edge)
            keys = &c->inputs[p];
    struct reader *r = keys->ends[0];
    uint64_t come = r->seen / r->batches->accept, f = c->scanned;
    while (f < come && !has_key(c->self, r, f))
        f++;
    c->scanned = c->from = c->to = f;
    for (size_t p = 0; p < c->count; p++) {
        struct reader *in = c->inputs[p].ends[0];
        pass_over(in, f * in->batches->accept);
    }
    if (f == come)
        return false;
    while (c->to < come && c->to - f < c->self->batch && has_key(c->self, r, c->to))
        c->to++;
    c->scanned = c->to;
    return true;
}

/* Inputs from copies. */

/* sender returns the end of the copy whose batch is consumed next. It is NULL if the copy is not yet known, or if
 * no element of the batch arrives here. */
static struct reader *sender(const struct gathering *g) {
    if (g->own)
        return g->ends[0];
    if (g->from->claims) {
        for (size_t i = 0; i < g->count; i++) {
            const struct reader *r = g->ends[i];
            uint64_t firings;
            if (batch_of_turn(x_kernels[x_edges[r->edge].from].copy, r->batches->popped, &firings) == g->at)
                return g->ends[i];
        }
        return NULL;
    }
    if (g->from->keyed) {
        for (size_t i = 0; i < g->count; i++) {
            if (begun(g->ends[i]) == g->at)
                return g->ends[i];
        }
        return NULL;
    }
    int end = g->end[g->from->turns[g->at / g->from->batch % g->from->round]];
    return end >= 0 ? g->ends[end] : NULL;
}

/* reach skips the batches before batch from on an input from copies other than the kernel's own. */
static void reach(struct gathering *g, uint64_t from) {
    while (g->at < from) {
        struct reader *r = sender(g);
        const struct x_batch *b = r ? front(r) : NULL;
        if (r) {
            pass_over(r, b ? b->head : UINT64_MAX);
            if (!b || r->r.tail != b->head)
                return;
            pop(r);
        }
        g->at += g->from->batch;
    }
}

/* came_to_end reports whether all elements of an input's current batch have been consumed. */
static bool came_to_end(const struct copies *c, const struct gathering *g) {
    if (!g->from)
        return g->ends[0]->r.tail == c->to * g->ends[0]->batches->accept;
    if (!g->own && g->at != c->from)
        return false;
    const struct reader *r = sender(g);
    const struct x_batch *b = r ? front(r) : NULL;
    return b && r->r.tail == b->head;
}

/* begin_own starts the batch that the preceding copy of the same unit has started. An ended batch may still be in
 * begun for a moment, and is ignored. */
static bool begin_own(struct copies *c) {
    uint64_t from = begun(c->inputs[0].ends[0]);
    if (from == UINT64_MAX || from < c->to)
        return false;
    c->from = from;
    return true;
}

/* work_of returns the accumulated work of the kernels that process a copy's batches in this process. */
static uint64_t work_of(const struct copies *c) {
    uint64_t sum = 0;
    for (size_t i = 0; i < c->kernel_count; i++)
        sum += c->kernels[i]->busy;
    return sum;
}

/* claimable returns the number of parts that a copy processes in a pass with a turn for each of its kernels. The
 * number at most doubles from claim to claim, because the time of the last claim may be far from the mean. */
static uint64_t claimable(const struct copies *c) {
    const uint64_t work = work_of(c) - c->work;
    uint64_t n = 2 * c->parts;
    if (work > 0)
        n = min64(n, c->parts * pass_ticks(c->kernel_count) / work);
    return min64(n > 0 ? n : 1, c->self->parts);
}

/* claim opens a batch with the first unclaimed parts, if any of their elements have arrived. The copy skips the
 * elements of earlier batches, which belong to other copies. It claims one batch in a turn, and leaves some batches
 * for copies that have their own process. Otherwise a copy in the source's process would claim all parts before
 * another core sees them, although its own core has more work. */
static bool claim(struct copies *c) {
    if (c->claimed)
        return false;
    const uint64_t wanted = claimable(c);
    struct x_claims *claims = shared_at(c->self->claims);
    struct x_claim_log *log = shared_at(c->self->log);
    uint64_t next = atomic_load_explicit(&claims->next, memory_order_relaxed), n;
    do {
        n = c->count == 0 ? wanted : 0; /* all firings of a source are available */
        for (size_t p = 0; p < c->count; p++) {
            struct reader *r = c->inputs[p].ends[0];
            const uint64_t part = c->self->batch * r->batches->accept, first = next * part;
            pass_over(r, first);
            uint64_t left = edge_closed(r) ? 0 : min64(c->leaves * wanted * part, r->capacity / 2);
            if (r->seen > first + left) {
                uint64_t here = (r->seen - first - left + part - 1) / part;
                n = min64(wanted, n > here ? n : here);
            }
        }
        if (n == 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&claims->next, &next, next + n, memory_order_relaxed,
                                                    memory_order_relaxed));
    x_claim_log_numbers(log)[c->turn % XRT_CLAIMS] = next | n << LOG_PARTS_SHIFT;
    c->parts = n;
    c->work = work_of(c);
    atomic_store_explicit(&log->written, c->turn + 1, memory_order_release);
    return c->claimed = true;
}

/* keeps reports whether all readers have consumed the claim that the next claim of a copy replaces. */
static bool keeps(const struct copies *c) {
    for (size_t i = 0; i < c->readers; i++)
        if (c->turn - atomic_load_explicit(c->popped[i], memory_order_acquire) >= XRT_CLAIMS)
            return false;
    return true;
}

/* open_batch opens the next batch of a copy, if there is space to announce its end. */
static bool open_batch(struct kernel *k) {
    struct copies *c = k->copies;
    c->full = !keeps(c);
    for (size_t i = 0; i < k->outs; i++)
        c->full = c->full || (c->reported[i] && !has_space(c->reported[i]));
    if (c->full)
        return false;
    if (c->self->keyed) {
        c->open = c->self->key >= 0 ? begin_keyed(c) : begin_own(c);
        if (c->open)
            announce_firing(k, c->from);
        return c->open;
    }
    if (c->self->claims && c->self->entry && !claim(c))
        return false;
    uint64_t firings, from = batch_of_turn(c->self, c->turn, &firings);
    if (from == UINT64_MAX)
        return false;
    c->turn++;
    c->from = from;
    c->to = c->from + firings;
    return c->open = true;
}

/* settle_copy ends the consumed batches of a copy and opens the next one. */
static void settle_copy(struct kernel *k) {
    struct copies *c = k->copies;
    while (c->open || open_batch(k)) {
        bool ended = true;
        for (size_t p = 0; p < c->count; p++) {
            struct gathering *g = &c->inputs[p];
            if (!g->from)
                pass_over(g->ends[0], c->from * g->ends[0]->batches->accept);
            else if (!g->own)
                reach(g, c->from);
            ended = ended && came_to_end(c, g);
        }
        if (!ended)
            return;
        for (size_t p = 0; p < c->count; p++) {
            struct gathering *g = &c->inputs[p];
            if (!g->from)
                continue;
            struct reader *r = sender(g);
            const struct x_batch *b = front(r);
            c->to = b->to; /* if keys divide the stream, the consumer learns the range of firings from the batch */
            g->at = b->to;
            pop(r);
        }
        announce(k, c->from, c->to);
        c->open = false;
    }
}

/* copies_settle advances to the next batches after a kernel has consumed elements. */
void copies_settle(struct kernel *k) {
    struct copies *c = k->copies;
    if (c->self) {
        settle_copy(k);
        return;
    }
    for (size_t p = 0; p < c->count; p++) {
        struct gathering *g = &c->inputs[p];
        struct reader *r;
        const struct x_batch *b;
        while ((r = sender(g)) && (b = front(r)) && r->r.tail == b->head) {
            g->at = b->to;
            pop(r);
        }
    }
}

/* copies_source opens the next batch of a copied source, and reports whether there is one. It skips the
 * firing numbers of other copies. */
bool copies_source(struct kernel *k) {
    struct copies *c = k->copies;
    if (c->open)
        return true;
    c->claimed = false;
    if (!open_batch(k))
        return false;
    struct x_output *out = &k->spec->outputs[0];
    out->firing = c->from - out->end->head;
    out->last = c->to;
    return true;
}

/* copies_turned ends the batch of a source that has sent it completely. */
bool copies_turned(struct kernel *k) {
    struct copies *c = k->copies;
    const struct x_output *out = &k->spec->outputs[0];
    if (x_firing(out) < c->to)
        return false;
    if (x_firing(out) > c->to)
        X_fail("sends %llu elements more than the firings of its turn need: a source with copies must request their "
            "number "
               "(X_…_firings), or send one element in each call",
               (unsigned long long)(x_firing(out) - c->to));
    announce(k, c->from, c->to);
    c->open = false;
    return true;
}

/* hide makes an end show no elements, or none after a given element. */
static void hide(struct reader *r, uint64_t behind) {
    uint64_t last = behind > r->r.tail ? behind : r->r.tail;
    r->r.visible = min64(r->r.visible, last);
}

/* copies_look records the announced ends of batches. */
void copies_look(struct kernel *k) {
    struct copies *c = k->copies;
    for (size_t p = 0; p < c->count; p++)
        for (size_t i = 0; i < c->inputs[p].count; i++) {
            struct batches *b = c->inputs[p].ends[i]->batches;
            if (!b->queue)
                continue;
            b->looked = written(b->queue);
            b->begun = atomic_load_explicit(&b->queue->begun, memory_order_acquire);
        }
    c->claimed = false;
    copies_settle(k);
}

/* copies_show restricts the ends of a kernel, which show all arrived elements, to the current batch. ended means that
 * no further elements will arrive. Output that a copy sends after its last batch follows the output of all batches. */
void copies_show(struct kernel *k, bool ended) {
    struct copies *c = k->copies;
    for (size_t p = 0; p < c->count; p++) {
        struct gathering *g = &c->inputs[p];
        if (!g->from) {
            hide(g->ends[0], c->open ? c->to * g->ends[0]->batches->accept : 0);
            continue;
        }
        struct reader *now = !c->self || (c->open && (g->own || g->at == c->from)) ? sender(g) : NULL;
        for (size_t i = 0; i < g->count && ended && !c->self && !(now && now->seen > now->r.tail); i++)
            if (g->ends[i]->seen > g->ends[i]->r.tail)
                now = g->ends[i];
        for (size_t i = 0; i < g->count; i++) {
            const struct x_batch *b = g->ends[i] == now ? front(now) : NULL;
            if (g->ends[i] != now)
                hide(g->ends[i], 0);
            else if (b)
                hide(now, b->head);
        }
    }
}

/* copies_news reports whether batch ends have arrived, or there is space again to announce batch ends. */
bool copies_news(const struct kernel *k) {
    const struct copies *c = k->copies;
    for (size_t p = 0; p < c->count; p++)
        for (size_t i = 0; i < c->inputs[p].count; i++) {
            const struct batches *b = c->inputs[p].ends[i]->batches;
            if (b->queue && (written(b->queue) != b->looked ||
                             atomic_load_explicit(&b->queue->begun, memory_order_relaxed) != b->begun))
                return true;
        }
    if (!c->full)
        return false;
    for (size_t i = 0; i < k->outs; i++)
        if (c->reported[i] && !has_space(c->reported[i]))
            return false;
    return keeps(c);
}

bool copies_full(const struct kernel *k) { return k->copies->full; }

/* copies_unread reports whether the reader of an output has not consumed all batch ends. */
bool copies_unread(const struct kernel *k, size_t out) {
    struct x_batch_queue *q = k->copies ? k->copies->reported[out] : NULL;
    return q && written(q) != atomic_load_explicit(&q->read, memory_order_relaxed);
}

/* copies_end announces the last batch, which may be incomplete, when a copy ends. The readers have consumed the
 * earlier batches, or will, so there is always space for an open batch. */
void copies_end(struct kernel *k) {
    struct copies *c = k->copies;
    if (c->self && c->open)
        announce(k, c->from, c->to);
    c->open = false;
}

/* copies_kept ends the run if a kernel has not sent the declared number of elements. */
void copies_kept(const struct kernel *k) {
    if (!k->spec->copy || !k->spec->copy->plain)
        return;
    for (size_t i = 0; i < k->ins; i++)
        for (size_t j = 0; j < k->outs && !k->in[i]->once; j++) {
            const uint64_t in = x_edges[k->in[i]->edge].counted, out = x_edges[k->out[j]->edge].counted;
            const uint64_t took = k->in[i]->r.tail, sent = k->out[j]->w.head;
            if (took * out != sent * in)
                X_fail("sent %llu elements on %s for %llu consumed elements, but its emit states %llu elements for "
                    "%llu. xopt orders the output of copies by the emit: correct the emit or the kernel",
                       (unsigned long long)sent, x_edges[k->out[j]->edge].out, (unsigned long long)took,
                       (unsigned long long)out, (unsigned long long)in);
        }
}

/* gathers creates an input that comes from copies, or at which the stream divides. */
static void gathers(struct gathering *g, struct kernel *k, struct reader **ends, size_t count) {
    const struct x_edge *first = &x_edges[ends[0]->edge];
    const struct x_copy *self = k->spec->copy;
    *g = (struct gathering){.ends = ends, .count = count, .from = x_kernels[first->from].copy};
    if (first->accept > 0 && !g->from)
        return;
    g->own = self && first->accept == 0;
    size_t senders = 0;
    for (size_t i = 0; i < g->from->round; i++)
        if ((size_t)g->from->turns[i] >= senders)
            senders = (size_t)g->from->turns[i] + 1;
    g->end = process_alloc(senders, sizeof *g->end);
    for (size_t i = 0; i < senders; i++)
        g->end[i] = -1;
    for (size_t i = 0; i < count; i++)
        g->end[x_kernels[x_edges[ends[i]->edge].from].copy->self] = (int)i;
}

/* alone reports whether a process has only copies of kernels whose stream divides at the given copy. */
static bool alone(int process, const struct x_copy *c) {
    for (size_t i = 0; i < x_kernel_count; i++)
        if (x_kernels[i].process == process && (!x_kernels[i].copy || x_kernels[i].copy->claims != c->claims))
            return false;
    return true;
}

enum { LEAVES = 4 }; /* batches for each copy with its own process: with fewer batches, the copy waits */

/* leaves returns the number of batches that a kernel leaves for copies with their own process; 0 if the kernel is such
 * a copy. */
static uint64_t leaves(const struct x_kernel *k) {
    uint64_t n = 0;
    if (!k->copy || !k->copy->claims || alone(k->process, k->copy))
        return 0;
    for (size_t i = 0; i < x_kernel_count; i++) {
        const struct x_copy *c = x_kernels[i].copy;
        if (c && c->entry && c->claims == k->copy->claims && alone(x_kernels[i].process, c))
            n += LEAVES;
    }
    return n;
}

/* reads_claims reports whether the reader of an edge needs the claims of a copy to find its batches. */
static bool reads_claims(const struct x_edge *e, const struct x_copy *c) {
    const struct x_copy *from = x_kernels[e->from].copy, *to = x_kernels[e->to].copy;
    return (e->batches || e->counted) && from && from->log == c->log && !(to && to->plain);
}

/* find_readers finds the readers of the claims of a copy. */
static void find_readers(struct copies *c) {
    if (!c->self || !c->self->entry || !c->self->claims)
        return;
    c->popped = process_alloc(x_edge_count, sizeof *c->popped);
    for (size_t e = 0; e < x_edge_count; e++)
        if (reads_claims(&x_edges[e], c->self)) {
            const struct x_ring_control *control = shared_at(x_edges[e].control);
            c->popped[c->readers++] = &control->popped;
        }
}

/* find_kernels finds the kernels of a process that process the batches of a copy. */
static void find_kernels(struct copies *c, struct kernel *kernels, size_t count) {
    c->kernels = process_alloc(count, sizeof *c->kernels);
    for (size_t i = 0; i < count; i++)
        if (c->self && kernels[i].spec->copy && kernels[i].spec->copy->log == c->self->log)
            c->kernels[c->kernel_count++] = &kernels[i];
}

void copies_open(struct kernel *k, struct kernel *kernels, size_t count) {
    if (k->spec->copy && k->spec->copy->plain && !k->spec->source)
        return;
    struct copies c = {.self = k->spec->copy, .leaves = leaves(k->spec)};
    c.inputs = process_alloc(k->spec->ins, sizeof *c.inputs);
    c.reported = process_alloc(k->outs, sizeof *c.reported);
    struct reader **ends = k->in;
    for (size_t p = 0; p < k->spec->ins; p++) {
        const struct x_port *port = &k->spec->in[p];
        const struct x_edge *edge = &x_edges[port->edges[0]];
        const bool gathered = edge->batches || edge->accept || edge->counted;
        if (gathered)
            gathers(&c.inputs[c.count++], k, ends, port->count);
        for (size_t i = 0; i < port->count && gathered; i++) {
            const struct x_edge *e = &x_edges[port->edges[i]];
            ends[i]->batches = process_alloc(1, sizeof *ends[i]->batches);
            *ends[i]->batches = (struct batches){
                .queue = e->batches ? shared_at(e->batches) : NULL, .accept = e->accept, .each = e->counted};
            if (e->counted)
                count_batch(ends[i]);
        }
        ends += port->count;
    }
    for (size_t i = 0; i < k->outs; i++) {
        const struct x_edge *e = &x_edges[k->out[i]->edge];
        c.reported[i] = c.self && e->batches ? shared_at(e->batches) : NULL;
    }
    if (!c.self && c.count == 0)
        return;
    k->copies = process_alloc(1, sizeof *k->copies);
    find_readers(&c);
    find_kernels(&c, kernels, count);
    c.parts = 1;
    *k->copies = c;
}
