/* virtual.c: the scheduler of a virtual run. Kernels run natively, one at a time, at simulated times: cores, links
 * and FPGAs progress in the time of the target machine. A turn of a kernel takes its actual time on this machine,
 * or a random time from an earlier measurement (Gayen 2008 §3.2, §5.2). Elements sent and released in a turn are
 * published at its end.
 *
 * Links are in virtual_links.c. FPGAs are processes that simulate their kernels cycle by cycle. They advance by
 * some cycles at a time, while the cores advance by the same time. Then both exchange their results. */
#define _GNU_SOURCE
#include <time.h>
#include "meet.h"
#include "virtual.h"

#ifdef XRT_VIRTUAL

enum { STACK_BYTES = 8 << 20, IDLE_PS = 1000000 };

struct core {
    struct kernel *running;
    uint64_t until;
    size_t next; /* index after the kernel with the next turn */
};

struct fpga {
    struct x_federate *federate;
    uint64_t cycles, until; /* requested cycles; the time of their end */
    bool finished;
};

static struct kernel *kernels;
static size_t count;
static struct core *cores;
static struct fpga *fpgas;
static bool *stills, *gone; /* by kernel on an FPGA: it could not continue, or had ended, at the last exchange */
static struct fiber *engine;
uint64_t virtual_now;

/* Time at which all consequences of the last movement have ended: current turns, the first turn of each kernel
 * after it, and transfers. A turn that Linux interrupted is long, and meanwhile nothing else may move. */
static uint64_t settled;
static uint64_t noted;  /* movements until then */
static uint64_t *tried; /* by kernel: movements before its last counted turn */

/* Cores. */

static struct fiber *blank;

static void blank_body(void) {
    for (;;)
        fiber_switch(blank, engine);
}

/* empty_turn measures the time of reading the clock and switching to a kernel and back: the minimum of many
 * tries. */
static void empty_turn(void) {
    blank = fiber_new(STACK_BYTES, blank_body);
    if (!blank)
        process_fail("out of memory for another stack");
    uint64_t minimum = UINT64_MAX;
    for (int i = 0; i < 3000; i++) {
        uint64_t a = clock_real();
        fiber_switch(engine, blank);
        minimum = min64(minimum, clock_real() - a);
    }
    time_empty(minimum);
}

static void body(void) {
    for (;;) {
        turn(x_current);
        fiber_switch(x_current->fiber, engine);
    }
}

/* run_turn starts or continues a turn of a kernel. Its effects become visible at the end of the turn. */
static void run_turn(struct core *c, struct kernel *k) {
    if (!k->fiber && !(k->fiber = fiber_new(STACK_BYTES, body)))
        process_fail("out of memory for another stack");
    idle_ends();
    k->state = IDLE;
    turn_enter(k);
#ifdef XRT_REFERENCE
    if (reference_due()) { /* its probes take no virtual time */
        time_at(virtual_now, true);
        reference_turn();
        time_at(virtual_now, false);
    }
#endif
#ifdef XRT_EVENTS
    events_turn_begins(k);
#endif
    time_turn(k);
    uint64_t moved = turn_moved(k);
    fiber_switch(engine, k->fiber);
    uint64_t end = virtual_ticks();
    turn_leave();
    time_at(virtual_now, false);
    /* A source that moved nothing waits for an external event. Other turns with a random time below 1 ps take 1 ps,
     * so that time advances. */
    if (end == virtual_now && k->spec->source && k->state == IDLE)
        end += turn_moved(k) == moved ? IDLE_PS : 1;
    c->running = k;
    c->until = end;
    if (tried[k - kernels] != virtual_moves + 1) {
        tried[k - kernels] = virtual_moves + 1;
        settled = settled > end ? settled : end;
    }
}

static void done(struct core *c) {
    struct kernel *k = c->running;
    c->running = NULL;
#ifdef XRT_EVENTS
    events_turn_ends(k, virtual_now);
#endif
    for (size_t i = 0; i < k->ins; i++) {
        released_until((size_t)k->in[i]->edge, k->in[i]->r.tail);
        passages[k->in[i]->edge].left = x_edges[k->in[i]->edge].back && k->state == ENDED;
    }
    for (size_t i = 0; i < k->outs; i++) {
        passages[k->out[i]->edge].closing = k->state == ENDED;
        sent_until((size_t)k->out[i]->edge, k->out[i]->w.head);
    }
}

/* next_turn starts a turn of an idle core's next kernel. Kernels nearest the sinks come first, in rotation, as in
 * sched.c. If a core finds no kernel that can run, it starts again with the first kernel. */
static bool next_turn(size_t i) {
    struct core *c = &cores[i];
    for (size_t tries = 0; tries < count; tries++) {
        c->next = c->next > 0 ? c->next - 1 : count - 1;
        struct kernel *k = &kernels[c->next];
        if (service_of(k)->core == (int)i && turn_can(k)) {
            run_turn(c, k);
            return true;
        }
    }
    c->next = 0;
    return false;
}

/* FPGAs. */

static bool is_on(int kernel, const struct x_fpga *spec) { return x_kernels[kernel].process == spec->process; }

/* continue_fpga shows an FPGA its arrived elements and its free space, and lets it continue. The FPGA sees later changes
 * only at the next exchange, so that all runs are equal. */
static void continue_fpga(struct fpga *f, const struct x_fpga *spec) {
    for (size_t e = 0; e < x_edge_count; e++) {
        struct x_ring_control *c = ring_control((int)e);
        if (x_routes[e].inside) {
            if (x_edges[e].back && is_on(x_edges[e].to, spec))
                atomic_store_explicit(&c->closed, finished(e), memory_order_relaxed);
            continue;
        }
        if (is_on(x_edges[e].to, spec)) {
            if (atomic_load_explicit(&c->head, memory_order_relaxed) != arrived(e))
                stills[x_edges[e].to] = false;
            atomic_store_explicit(&c->head, arrived(e), memory_order_relaxed);
            atomic_store_explicit(&c->closed, finished(e), memory_order_relaxed);
        }
        if (is_on(x_edges[e].from, spec)) {
            if (atomic_load_explicit(&c->tail, memory_order_relaxed) != freed_of(e))
                stills[x_edges[e].from] = false;
            atomic_store_explicit(&c->tail, freed_of(e), memory_order_relaxed);
        }
    }
    f->cycles += x_machine.quantum;
    f->until = (uint64_t)(spec->phase + (double)f->cycles * spec->period);
    atomic_store(&f->federate->until, f->cycles);
    x_wake(&f->federate->waits);
}

/* exchange waits for an FPGA, and reads its results. */
static void exchange(size_t i) {
    struct fpga *f = &fpgas[i];
    for (unsigned tries = 0; atomic_load(&f->federate->done) < f->cycles;)
        x_wait(&tries, &f->federate->awaited);
    bool finished = true;
    for (size_t k = 0; k < x_kernel_count; k++)
        if (is_on((int)k, &x_fpgas[i])) {
            gone[k] = atomic_load_explicit(&kernel_control((int)k)->done, memory_order_acquire);
            stills[k] = atomic_load_explicit(&kernel_control((int)k)->still, memory_order_acquire);
            finished = finished && gone[k];
        }
    for (size_t e = 0; e < x_edge_count; e++) {
        if (x_routes[e].inside)
            continue;
        if (is_on(x_edges[e].to, &x_fpgas[i])) {
            released_until(e, reader_seen((int)e)->tail);
            passages[e].left = x_edges[e].back && gone[x_edges[e].to];
        }
        if (is_on(x_edges[e].from, &x_fpgas[i])) {
            passages[e].closing = gone[x_edges[e].from];
            sent_until(e, writer_seen((int)e)->head);
        }
    }
    f->finished = finished;
    if (finished) {
        f->until = NEVER;
        atomic_store(&f->federate->stop, 1);
        x_wake(&f->federate->waits);
    } else
        continue_fpga(f, &x_fpgas[i]);
}

/* Loops. */

/* at_rest reports whether a kernel of a loop cannot continue with its input. */
static bool at_rest(int kernel) {
    if (x_services[kernel].core < 0)
        return stills[kernel];
    for (size_t i = 0; i < count; i++)
        if (kernels[i].spec == &x_kernels[kernel]) {
            const struct kernel *k = &kernels[i];
            return cores[x_services[kernel].core].running != k && k->state == IDLE && !turn_can(k);
        }
    return false;
}

bool loop_rests(int loop) {
    const struct x_loop *l = &x_loops[loop];
    for (size_t i = 0; i < l->edge_count; i++) {
        size_t e = (size_t)l->edges[i];
        bool contained = x_edges[e].loop == loop;
        if (x_routes[e].inside ? !contained && !gone[x_edges[e].from] : !contained && !finished(e))
            return false;
        if (!x_routes[e].inside && arrived(e) != passages[e].passed[0])
            return false; /* an element is in flight */
        if (!x_routes[e].inside && x_services[x_edges[e].to].core < 0 &&
            atomic_load_explicit(&ring_control((int)e)->head, memory_order_relaxed) != arrived(e))
            return false; /* the FPGA has not received it yet */
    }
    for (size_t i = 0; i < l->kernel_count; i++)
        if (!at_rest(l->kernels[i]))
            return false;
    return true;
}

void loop_end(int loop) {
    const struct x_loop *l = &x_loops[loop];
    for (size_t i = 0; i < l->edge_count; i++)
        passages[l->edges[i]].rested = x_edges[l->edges[i]].back;
}

/* The run. */

static void pause_us(long us) {
    struct timespec t = {0, 1000 * us};
    nanosleep(&t, NULL);
}

static uint64_t next_frame, frame, limit; /* ps; 0: none */

/* reach advances the time to t and ends the frames before it. The supervisor reads the counts of a frame before the
 * next one starts. */
static void reach(uint64_t t) {
    pulses_until(t);
    while (frame > 0 && next_frame <= t) {
        virtual_now = next_frame;
        atomic_store(&run_control()->now, virtual_now);
        uint32_t ended = atomic_fetch_add(&run_control()->ended, 1) + 1;
        while (atomic_load(&run_control()->frame) < ended)
            pause_us(50);
        next_frame += frame;
    }
    virtual_now = t;
    atomic_store_explicit(&run_control()->now, virtual_now, memory_order_relaxed);
    if (limit > 0 && virtual_now >= limit) {
        for (size_t e = 0; e < x_edge_count; e++)
            account_held(e);
        events_flush();
        atomic_store(&run_control()->finished, 1);
        for (;;)
            pause_us(100000); /* the supervisor ends the process */
    }
}

static bool any_left(void) {
    for (size_t i = 0; i < count; i++)
        if (kernels[i].state != ENDED)
            return true;
    for (size_t i = 0; i < x_machine.fpgas; i++)
        if (!fpgas[i].finished)
            return true;
    return false;
}

/* sources_over reports whether all sources have ended and no FPGA can continue. */
static bool sources_over(void) {
    for (size_t k = 0; k < x_kernel_count; k++)
        if (x_services[k].core < 0 && !(x_kernels[k].source ? gone[k] : stills[k] || gone[k]))
            return false;
    for (size_t i = 0; i < count; i++)
        if (kernels[i].spec->source && kernels[i].state != ENDED)
            return false;
    return true;
}

/* settle records movements and the time of the next transfer; NEVER for none. */
static void settle(uint64_t transfer) {
    if (noted != virtual_moves) {
        noted = virtual_moves;
        for (size_t i = 0; i < x_machine.cores; i++)
            if (cores[i].running && cores[i].until > settled)
                settled = cores[i].until;
    }
    if (transfer != NEVER && transfer > settled)
        settled = transfer;
    atomic_store_explicit(&run_control()->settled, settled, memory_order_relaxed);
}

static void step(void) {
    uint32_t look = idle_asked();
    loop_look();
    bool more = true;
    while (more) { /* kernels that can start now */
        more = false;
        for (size_t i = 0; i < x_machine.cores; i++)
            if (!cores[i].running)
                next_turn(i);
        links_begin();
        for (size_t i = 0; i < x_machine.cores; i++)
            if (cores[i].running && cores[i].until <= virtual_now) { /* its turn took no time */
                done(&cores[i]);
                more = true;
            }
        more = links_end() || more;
    }
    uint64_t t = links_next();
    settle(t);
    for (size_t i = 0; i < x_machine.cores; i++)
        if (cores[i].running && cores[i].until < t)
            t = cores[i].until;
    if (t == NEVER && sources_over() && links_flush())
        return;
    for (size_t i = 0; i < x_machine.fpgas; i++)
        if (!fpgas[i].finished && fpgas[i].until < t)
            t = fpgas[i].until;
    if (t == NEVER) {
        if (any_left()) { /* nothing can continue: the supervisor detects and reports it */
            idle_begins();
            idle_answers(look, kernels, count);
            events_flush();
            pause_us(1000);
        }
        return;
    }
    if (limit > 0 && t > limit)
        t = limit;
    reach(t);
    for (size_t i = 0; i < x_machine.cores; i++)
        if (cores[i].running && cores[i].until <= virtual_now)
            done(&cores[i]);
    links_end();
    for (size_t i = 0; i < x_machine.fpgas; i++)
        if (!fpgas[i].finished && fpgas[i].until <= virtual_now)
            exchange(i);
#ifdef XRT_EVENTS
    events_deliver();
#endif
}

void sched_open(void) {
    passages_open();
    cores = process_alloc(x_machine.cores, sizeof *cores);
    links_open();
    monitors_open();
    fpgas = process_alloc(x_machine.fpgas, sizeof *fpgas);
    for (size_t i = 0; i < x_machine.fpgas; i++)
        fpgas[i].federate = shared_at(x_fpgas[i].offset);
    stills = process_alloc(x_kernel_count, sizeof *stills);
    gone = process_alloc(x_kernel_count, sizeof *gone);
    time_open();
    kernels = turn_open(&count);
    tried = process_alloc(count, sizeof *tried);
    time_kernels(kernels, count);
#ifdef XRT_REFERENCE
    reference_open();
#endif
}

void sched_run(void) {
    engine = fiber_self();
    if (!engine)
        process_fail("out of memory");
    empty_turn();
    next_frame = frame = run_control()->frame_length;
    limit = run_control()->limit;
    for (size_t i = 0; i < x_machine.fpgas; i++)
        continue_fpga(&fpgas[i], &x_fpgas[i]);
    while (any_left())
        step();
    for (size_t i = 0; i < count; i++) {
        turn_enter(&kernels[i]);
        kernels[i].spec->destroy(kernels[i].spec->instance);
    }
    atomic_store(&run_control()->now, virtual_now);
    process_end();
}

void sched_await(struct kernel *k, struct writer *w, uint64_t n) {
    if (!atomic_load(&run_control()->start))
        X_fail("waits for space before the start of the run");
    k->state = WAITS;
    k->waits = w;
    k->need = n;
    fiber_switch(k->fiber, engine);
}

#endif
