/* virtual.c: the scheduler of a virtual run. Kernels run natively, one at a time; when
 * they do is simulated: cores, links and FPGAs go on in the time of the machine that the
 * mapping is for. A turn of a kernel takes the time that it took here, or one that is
 * drawn from what was measured before (Gayen 2008 §3.2, §5.2). What it has sent and
 * released in the turn is shown at its end.
 *
 * Links are servers that the edges on them take turns at. FPGAs are processes that
 * simulate their kernels cycle by cycle; they go on by some cycles at a time, while the
 * cores do the same time, and then both see what the other has done. */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "internal.h"

#ifdef X_VIRTUAL

enum { STACK_BYTES = 8 << 20, CHUNK_BYTES = 4096, IDLE_PS = 1000000 };
#define NEVER UINT64_MAX

struct core {
    struct kernel *running;
    uint64_t until;
    size_t next; /* behind the kernel that has the next turn */
};

struct link {
    int edge; /* of the elements under way, -1 for none */
    size_t hop, next;
    uint64_t elements, until;
};

struct edge {
    uint64_t *passed;  /* elements that were sent, and that have left each link */
    uint64_t freed;    /* that were released */
    uint64_t changed;  /* when the two last changed */
    bool closing;      /* the writer has ended */
};

struct fpga {
    struct x_federate *federate;
    uint64_t cycles, until; /* asked for; when they are over */
    bool over;
};

static struct kernel *kernels;
static size_t count;
static struct core *cores;
static struct link *links;
static struct edge *edges;
static struct fpga *fpgas;
static struct fiber *engine;
static uint64_t now;
static double ps_per_tick; /* of the clock here */

/* The clock. While a kernel runs it is the time at which it began to, and what it has
 * taken since; or what was drawn for it. */

static uint64_t base, began;
static bool timed;  /* the time since began counts */
static double drawn;
static uint64_t empty; /* ticks that a turn takes in which nothing is done: they count not */

uint64_t virtual_ticks(void) {
    uint64_t t = base + (uint64_t)drawn;
    if (!timed)
        return t;
    uint64_t took = clock_real() - began;
    return t + (uint64_t)((double)(took > empty ? took - empty : 0) * ps_per_tick);
}

static void clock_at(uint64_t t, bool runs) {
    base = t;
    drawn = 0;
    timed = runs;
    if (runs)
        began = clock_real();
}

/* Times that are drawn: gamma distributed, by mean and scv. */

static uint64_t random_state;

static double uniform(void) { /* splitmix64, in (0, 1) */
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }

static double gamma_of(double shape) { /* Marsaglia and Tsang 2000 */
    if (shape < 1)
        return gamma_of(shape + 1) * pow(uniform(), 1 / shape);
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = normal(), v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        if (log(uniform()) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v;
    }
}

/* draw is the sum of n numbers of mean 1. */
static double draw(double scv, uint64_t n) {
    return n > 0 && scv > 1e-9 ? gamma_of((double)n / scv) * scv : (double)n;
}

static const struct x_service *service(const struct kernel *k) { return &x_services[k->spec - x_kernels]; }

static uint64_t work(const struct kernel *k) { /* bytes in, of what is not sent once; of a source out */
    uint64_t n = 0;
    if (k->spec->source)
        for (size_t i = 0; i < k->outs; i++)
            if (k->out[i]->first == k->out[i])
                n += k->out[i]->w.head * k->out[i]->w.size;
    for (size_t i = 0; i < k->ins; i++)
        if (!k->in[i]->once)
            n += k->in[i]->r.tail * k->in[i]->r.size;
    return n;
}

/* A call whose time is drawn. */
static bool drawing;
static uint64_t fired, moved; /* before it */
static double before, factor; /* what was drawn for earlier calls of the turn; for this one */
static double *usual;         /* bytes of a firing of each kernel, as far as is known */

/* virtual_work comes before each call of a kernel. The time of a firing of the usual size
 * passes, so that what is measured within the call sees it. */
void virtual_work(struct kernel *k) {
    const struct x_service *s = service(k);
    if (s->byte == 0)
        return;
    virtual_worked(k); /* another call in the same turn */
    drawing = true;
    fired = turn_firings(k);
    moved = work(k);
    before = drawn;
    factor = draw(s->scv, 1);
    drawn += factor * s->byte * usual[k - kernels];
}

/* virtual_worked comes behind them, and where a call waits for room: now it is known what
 * was done. It tells whether the call's time is drawn. */
bool virtual_worked(struct kernel *k) {
    const struct x_service *s = service(k);
    if (!drawing)
        return false;
    drawing = false;
    uint64_t n = turn_firings(k) - fired;
    double bytes = (double)(work(k) - moved);
    drawn = before;
    if (bytes == 0)
        return true;
    n = n > 0 ? n : 1;
    usual[k - kernels] = bytes / (double)n;
    drawn += (factor + draw(s->scv, n - 1)) / (double)n * s->byte * bytes;
    return true;
}

/* Edges. */

static struct x_ring_control *control_of(size_t e) { return (void *)(x_shared + x_edges[e].control); }

static struct reader *reader_of(size_t e) { return (void *)(x_shared + x_edges[e].reader); }

static struct writer *writer_of(size_t e) { return (void *)(x_shared + x_edges[e].writer); }

uint64_t virtual_arrived(int e) { return edges[e].passed[x_routes[e].count]; }

uint64_t virtual_freed(int e) { return edges[e].freed; }

bool virtual_closed(int e) { return edges[e].closing && virtual_arrived(e) == edges[e].passed[0]; }

/* holds accounts for what an edge has held since it last changed. */
static void holds(size_t e) {
    struct edge *x = &edges[e];
    struct x_ring_control *c = control_of(e);
    uint64_t held = x->passed[0] - x->freed;
    atomic_store_explicit(&c->held, atomic_load_explicit(&c->held, memory_order_relaxed) + held * ((now - x->changed) / 1000), memory_order_relaxed);
    if (held > atomic_load_explicit(&c->most, memory_order_relaxed))
        atomic_store_explicit(&c->most, held, memory_order_relaxed);
    x->changed = now;
}

static void produced(size_t e, uint64_t head) {
    struct edge *x = &edges[e];
    if (x->passed[0] != head) {
        holds(e);
        x->passed[0] = head;
        holds(e);
    }
}

static void released(size_t e, uint64_t tail) {
    struct edge *x = &edges[e];
    if (x->freed != tail) {
        holds(e);
        x->freed = tail;
        if (x_services[x_edges[e].from].core >= 0) /* for the taps at the writer's end */
            atomic_store_explicit(&control_of(e)->tail, tail, memory_order_relaxed);
    }
}

/* Cores. */

static struct fiber *blank;

static void blank_body(void) {
    for (;;)
        fiber_switch(blank, engine);
}

/* empty_turn finds out what reading the clock and switching to a kernel and back take: the
 * least of many tries. */
static void empty_turn(void) {
    blank = fiber_new(STACK_BYTES, blank_body);
    if (!blank)
        process_fail("there is no memory for another stack");
    empty = UINT64_MAX;
    for (int i = 0; i < 3000; i++) {
        uint64_t a = clock_real();
        fiber_switch(engine, blank);
        uint64_t b = clock_real();
        empty = b - a < empty ? b - a : empty;
    }
}

static void body(void) {
    for (;;) {
        turn(x_current);
        fiber_switch(x_current->fiber, engine);
    }
}

/* give gives a kernel a turn, or lets it go on. What it does is seen when it is over. */
static void give(struct core *c, struct kernel *k) {
    if (!k->fiber && !(k->fiber = fiber_new(STACK_BYTES, body)))
        process_fail("there is no memory for another stack");
    k->state = IDLE;
    turn_enter(k);
    clock_at(now, service(k)->byte == 0);
    drawing = false;
    fiber_switch(engine, k->fiber);
    uint64_t end = virtual_ticks();
    turn_leave();
    clock_at(now, false);
    if (end == now && k->spec->source && k->state == IDLE)
        end += IDLE_PS; /* it waits for something outside */
    c->running = k;
    c->until = end;
}

static void done(struct core *c) {
    struct kernel *k = c->running;
    c->running = NULL;
    for (size_t i = 0; i < k->ins; i++)
        released((size_t)k->in[i]->edge, k->in[i]->r.tail);
    for (size_t i = 0; i < k->outs; i++) {
        edges[k->out[i]->edge].closing = k->state == ENDED;
        produced((size_t)k->out[i]->edge, k->out[i]->w.head);
    }
}

/* next_turn gives an idle core's next kernel a turn: those nearest the sinks first, and
 * each in its turn, as sched.c does. */
static bool next_turn(size_t i) {
    struct core *c = &cores[i];
    for (size_t tries = 0; tries < count; tries++) {
        c->next = c->next > 0 ? c->next - 1 : count - 1;
        struct kernel *k = &kernels[c->next];
        if (service(k)->core == (int)i && turn_can(k)) {
            give(c, k);
            return true;
        }
    }
    return false;
}

/* Links. */

static bool next_transfer(size_t l) {
    struct link *x = &links[l];
    for (size_t tries = 0; tries < x_edge_count; tries++) {
        size_t e = x->next = (x->next + 1) % x_edge_count;
        const struct x_route *r = &x_routes[e];
        for (size_t h = 0; h < r->count; h++) {
            uint64_t waiting = edges[e].passed[h] - edges[e].passed[h + 1], size = x_edges[e].size;
            if (r->links[h] != (int)l || waiting == 0)
                continue;
            const struct x_link *spec = &x_links[l];
            uint64_t bytes = spec->transfer > 0 ? spec->transfer : spec->cost > 0 ? size : CHUNK_BYTES;
            uint64_t n = bytes / size > 0 ? bytes / size : 1;
            n = n < waiting ? n : waiting;
            double transfers = spec->transfer > 0 ? ceil((double)(n * size) / (double)spec->transfer) : (double)n;
            x->edge = (int)e;
            x->hop = h;
            x->elements = n;
            x->until = now + (uint64_t)(spec->cost * transfers + spec->byte * (double)(n * size));
            return true;
        }
    }
    return false;
}

static void transferred(struct link *x) {
    size_t e = (size_t)x->edge;
    edges[e].passed[x->hop + 1] += x->elements;
    x->edge = -1;
}

/* FPGAs. */

static bool is_on(int kernel, const struct x_fpga *spec) { return x_kernels[kernel].process == spec->process; }

/* go_on shows an FPGA what has come for it, and what room there is, and lets it go on. It
 * sees nothing else until then, so that the same happens in every run. */
static void go_on(struct fpga *f, const struct x_fpga *spec) {
    for (size_t e = 0; e < x_edge_count; e++) {
        if (x_routes[e].inside)
            continue;
        if (is_on(x_edges[e].to, spec)) {
            atomic_store_explicit(&control_of(e)->head, virtual_arrived((int)e), memory_order_relaxed);
            atomic_store_explicit(&control_of(e)->closed, virtual_closed((int)e), memory_order_relaxed);
        }
        if (is_on(x_edges[e].from, spec))
            atomic_store_explicit(&control_of(e)->tail, edges[e].freed, memory_order_relaxed);
    }
    f->cycles += x_machine.quantum;
    f->until = (uint64_t)((double)f->cycles * spec->period);
    atomic_store_explicit(&f->federate->until, f->cycles, memory_order_release);
}

/* exchange waits for an FPGA, and sees what it has done. */
static void exchange(size_t i) {
    struct fpga *f = &fpgas[i];
    for (unsigned tries = 0; atomic_load_explicit(&f->federate->done, memory_order_acquire) < f->cycles; tries++) {
        if (tries < 2000)
            __builtin_ia32_pause();
        else
            sched_yield();
    }
    bool over = true;
    for (size_t k = 0; k < x_kernel_count; k++)
        if (is_on((int)k, &x_fpgas[i]))
            over = over && atomic_load_explicit(&kernel_control((int)k)->done, memory_order_acquire);
    for (size_t e = 0; e < x_edge_count; e++) {
        if (x_routes[e].inside)
            continue;
        if (is_on(x_edges[e].to, &x_fpgas[i]))
            released(e, reader_of(e)->r.tail);
        if (is_on(x_edges[e].from, &x_fpgas[i])) {
            edges[e].closing = atomic_load_explicit(&kernel_control(x_edges[e].from)->done, memory_order_acquire);
            produced(e, writer_of(e)->w.head);
        }
    }
    f->over = over;
    if (over) {
        f->until = NEVER;
        atomic_store_explicit(&f->federate->stop, 1, memory_order_release);
    } else
        go_on(f, &x_fpgas[i]);
}

/* The run. */

static struct x_run_control *run_control(void) { return (struct x_run_control *)x_shared; }

static void pause_us(long us) {
    struct timespec t = {0, 1000 * us};
    nanosleep(&t, NULL);
}

static uint64_t next_frame, frame, limit; /* ps; 0 for none */

/* reach lets time go on to t, with the frames that end until then. The supervisor counts
 * what happened in a frame before the next begins. */
static void reach(uint64_t t) {
    while (frame > 0 && next_frame <= t) {
        now = next_frame;
        atomic_store(&run_control()->now, now);
        uint32_t ended = atomic_fetch_add(&run_control()->ended, 1) + 1;
        while (atomic_load(&run_control()->frame) < ended)
            pause_us(50);
        next_frame += frame;
    }
    now = t;
    atomic_store_explicit(&run_control()->now, now, memory_order_relaxed);
    if (limit > 0 && now >= limit) {
        for (size_t e = 0; e < x_edge_count; e++)
            holds(e);
        atomic_store(&run_control()->over, 1);
        for (;;)
            pause_us(100000); /* the supervisor ends it */
    }
}

static bool any_left(void) {
    for (size_t i = 0; i < count; i++)
        if (kernels[i].state != ENDED)
            return true;
    for (size_t i = 0; i < x_machine.fpgas; i++)
        if (!fpgas[i].over)
            return true;
    return false;
}

static void step(void) {
    bool more = true;
    while (more) { /* what begins now */
        more = false;
        for (size_t i = 0; i < x_machine.cores; i++)
            if (!cores[i].running)
                next_turn(i);
        for (size_t l = 0; l < x_machine.links; l++)
            if (links[l].edge < 0)
                next_transfer(l);
        for (size_t i = 0; i < x_machine.cores; i++)
            if (cores[i].running && cores[i].until <= now) { /* it took no time */
                done(&cores[i]);
                more = true;
            }
        for (size_t l = 0; l < x_machine.links; l++)
            if (links[l].edge >= 0 && links[l].until <= now) {
                transferred(&links[l]);
                more = true;
            }
    }
    uint64_t t = NEVER;
    for (size_t i = 0; i < x_machine.cores; i++)
        if (cores[i].running && cores[i].until < t)
            t = cores[i].until;
    for (size_t l = 0; l < x_machine.links; l++)
        if (links[l].edge >= 0 && links[l].until < t)
            t = links[l].until;
    for (size_t i = 0; i < x_machine.fpgas; i++)
        if (!fpgas[i].over && fpgas[i].until < t)
            t = fpgas[i].until;
    if (t == NEVER) {
        if (any_left())
            pause_us(10000); /* nothing can go on any more: the supervisor sees that, and says where */
        return;
    }
    if (limit > 0 && t > limit)
        t = limit;
    reach(t);
    for (size_t i = 0; i < x_machine.cores; i++)
        if (cores[i].running && cores[i].until <= now)
            done(&cores[i]);
    for (size_t l = 0; l < x_machine.links; l++)
        if (links[l].edge >= 0 && links[l].until <= now)
            transferred(&links[l]);
    for (size_t i = 0; i < x_machine.fpgas; i++)
        if (!fpgas[i].over && fpgas[i].until <= now)
            exchange(i);
}

void sched_open(void) {
    ps_per_tick = x_seconds_per_tick * 1e12;
    x_seconds_per_tick = 1e-12;
    x_ticks_per_us = 1000000;
    random_state = x_machine.seed;
    edges = process_alloc(x_edge_count, sizeof *edges);
    for (size_t e = 0; e < x_edge_count; e++) {
        edges[e].passed = process_alloc(x_routes[e].count + 1, sizeof *edges[e].passed);
    }
    cores = process_alloc(x_machine.cores, sizeof *cores);
    links = process_alloc(x_machine.links, sizeof *links);
    for (size_t l = 0; l < x_machine.links; l++)
        links[l].edge = -1;
    fpgas = process_alloc(x_machine.fpgas, sizeof *fpgas);
    for (size_t i = 0; i < x_machine.fpgas; i++)
        fpgas[i].federate = (void *)(x_shared + x_fpgas[i].offset);
    kernels = turn_open(&count);
    usual = process_alloc(count, sizeof *usual);
}

void sched_run(void) {
    engine = fiber_self();
    if (!engine)
        process_fail("out of memory");
    empty_turn();
    next_frame = frame = run_control()->length;
    limit = run_control()->limit;
    for (size_t i = 0; i < x_machine.fpgas; i++)
        go_on(&fpgas[i], &x_fpgas[i]);
    while (any_left())
        step();
    for (size_t i = 0; i < count; i++) {
        turn_enter(&kernels[i]);
        kernels[i].spec->destroy(kernels[i].spec->instance);
    }
    atomic_store(&run_control()->now, now);
    process_end();
}

void sched_await(struct kernel *k, struct writer *w, uint64_t n) {
    if (!atomic_load(&run_control()->start))
        X_fail("waits for room before the run has begun");
    k->state = WAITS;
    k->waits = w;
    k->need = n;
    fiber_switch(k->fiber, engine);
}

#endif
