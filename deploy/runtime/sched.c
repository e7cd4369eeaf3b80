/* sched.c: the kernels of one process take turns (Gayen 2008 §2.2.1: go in turn, push when data has arrived). By
 * default the kernels nearest the sinks run first, so that rings are emptied before they are filled. If kernels are
 * fused, the kernels nearest the sources run first. A batch then goes from kernel to kernel while it is in the cache
 * (fused.c). Before the next batch, all started work continues, with the kernels nearest the sinks first.
 *
 * A kernel that waits for space keeps its stack, and the scheduler continues with another kernel. So a waiting
 * kernel never blocks other kernels, in whatever order the rings become free. If no kernel can run, the process
 * publishes everything and waits in the way selected for its core. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "internal.h"

#ifndef XRT_VIRTUAL

enum {
    STACK_BYTES = 8 << 20,
    SPIN_US = 500,         /* time of spinning before a sleep, because waking a process on another core costs the
                            * waker some microseconds */
    SLEEP_SHORT_US = 1000, /* sleeps have a time limit: see ring.c */
    SLEEP_LONG_US = 16000,
    FLUSH_US = 50, /* a longer pass publishes its elements at its end; publishing takes less than 1 % of it */
    LOOK = 256, /* spins between checks whether a loop is at rest */
};

static struct kernel *kernels;
static size_t count;

static struct fiber *running;
static struct fiber **spare;
static size_t spares;

void sched_open(void) {
    kernels = turn_open(&count);
#ifdef XRT_REFERENCE
    reference_open();
#endif
    spare = process_alloc(count + 1, sizeof *spare);
}

static bool any_left(void) {
    for (size_t i = 0; i < count; i++)
        if (kernels[i].state != ENDED)
            return true;
    return false;
}

static bool any_can_run(void) {
    for (size_t i = 0; i < count; i++)
        if (turn_can(&kernels[i]))
            return true;
    return false;
}

static uint64_t pass_begin, pass_turns; /* start in ticks, and number of turns, of the current pass */

/* resume switches to a kernel that has waited. The current stack is then unused, because the kernel's stack
 * contains the scheduler that called it. */
static void resume(struct kernel *k) {
    struct fiber *here = running;
    k->state = IDLE;
    running = k->fiber;
    turn_enter(k);
    spare[spares++] = here;
    fiber_switch(here, running);
}

/* give_turn runs a turn of a kernel if it may have work, and reports whether it did any work. */
static bool give_turn(struct kernel *k) {
    if (!turn_can(k))
        return false;
#ifdef XRT_REFERENCE
    if (reference_due())
        reference_turn();
    reference_beat();
#endif
    pass_turns++;
    if (k->state == WAITS)
        resume(k); /* does not return */
    return turn(k);
}

/* next_turn is the kernel that follows on the way to the sinks. A waiting kernel leaves it to the scheduler on
 * another stack. */
static size_t next_turn;

/* fused_turns moves a batch through the kernels. Each kernel continues with the output of the previous kernel. */
static bool fused_turns(void) {
    bool any = next_turn > 0; /* earlier kernels had their turns on another stack */
    while (next_turn < count)
        any = give_turn(&kernels[next_turn++]) || any;
    next_turn = 0;
    for (size_t i = count; i-- > 0;)
        if (kernels[i].state == WAITS && (turn_can(&kernels[i]) || fused_spill(&kernels[i]))) {
            next_turn = i;
            return true;
        }
    uint64_t now = clock_ticks(), took = now - pass_begin;
    if (any)
        fused_pace(took, pass_turns);
    for (size_t i = 0; i < count && took > FLUSH_US * x_ticks_per_us; i++)
        ring_flush(&kernels[i], false);
    pass_begin = now;
    pass_turns = 0;
    return any;
}

static bool turns(void) {
    if (x_processes[x_self].batch > 0)
        return fused_turns();
    bool any = false;
    for (size_t i = count; i-- > 0;) /* sinks are last in the table */
        any = give_turn(&kernels[i]) || any;
    return any;
}

/* none_can_run is the negation of any_can_run for an idle process. It also answers the supervisor. */
static bool none_can_run(void) {
    uint32_t look = idle_asked();
    if (idle_unanswered(look))
        loop_look();
    if (any_can_run())
        return false;
    idle_answers(look, kernels, count);
    return true;
}

static void sleep_us(unsigned us) {
    struct x_process_control *c = process_control(x_self);
    uint32_t bell = atomic_load_explicit(&c->doorbell, memory_order_acquire);
    atomic_store_explicit(&c->sleeping, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (none_can_run()) {
        struct timespec limit = {0, (long)us * 1000};
        atomic_fetch_add_explicit(&c->sleeps, 1, memory_order_relaxed);
        syscall(SYS_futex, &c->doorbell, FUTEX_WAIT, bell, &limit, NULL, 0);
    }
    atomic_store_explicit(&c->sleeping, 0, memory_order_relaxed);
}

static void await_any(void) {
    enum x_wait how = x_processes[x_self].wait;
    if (how == XRT_YIELD || how == XRT_SPIN) {
        for (unsigned tries = 1; none_can_run(); tries++) {
            if (how == XRT_YIELD)
                sched_yield();
            else
                x_pause();
            if (tries % LOOK == 0)
                loop_look();
        }
        return;
    }
    if (how == XRT_SPIN_BLOCK) {
        unsigned tries = 1;
        for (uint64_t begin = clock_ticks(); clock_ticks() - begin < SPIN_US * x_ticks_per_us; tries++) {
            if (!none_can_run())
                return;
            x_pause();
            if (tries % LOOK == 0)
                loop_look();
        }
    }
    for (unsigned us = SLEEP_SHORT_US; none_can_run(); us = us < SLEEP_LONG_US ? 2 * us : us) {
        sleep_us(us);
        loop_look();
    }
}

/* idle waits until a kernel can run. */
static void idle(void) {
    turn_leave();
    for (size_t i = 0; i < count; i++)
        ring_flush(&kernels[i], true);
    events_try();
    loop_look();
    idle_begins();
    await_any();
    idle_ends();
    pass_begin = clock_ticks();
    pass_turns = 0;
}

static void run(void) {
    while (any_left())
        if (!turns())
            idle();
    for (size_t i = 0; i < count; i++) {
        turn_enter(&kernels[i]);
        kernels[i].spec->destroy(kernels[i].spec->instance);
    }
    process_end();
}

/* new_stack creates a stack for the scheduler to continue on. */
static struct fiber *new_stack(void) {
    if (spares > 0) {
        struct fiber *f = spare[--spares];
        fiber_restart(f, run);
        return f;
    }
    struct fiber *f = fiber_new(STACK_BYTES, run);
    if (!f)
        process_fail("out of memory for another stack");
    return f;
}

void sched_run(void) {
    struct fiber *first = fiber_self();
    if (!first)
        process_fail("out of memory");
    running = new_stack();
    fiber_switch(first, running);
    abort(); /* no stack switches back */
}

void sched_await(struct kernel *k, struct writer *w, uint64_t n) {
    if (!atomic_load(&run_control()->start))
        X_fail("waits for space before the start of the run");
    k->state = WAITS;
    k->waits = w;
    k->need = n;
    k->fiber = running;
    running = new_stack();
    fiber_switch(k->fiber, running);
}

#endif
