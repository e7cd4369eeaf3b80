/* sched.c: the kernels of one process take turns, those nearest the sinks first
 * (Gayen 2008 §2.2.1: go in turn, push when data has arrived; consumers first, so
 * that rings run empty before they are filled).
 *
 * A kernel that waits for room keeps its stack and the scheduler goes on with
 * another, so that one that waits never keeps the others from what they could do,
 * in whatever order the rings become free. When nothing can run, the process shows
 * all that it has, and waits in the way chosen for its core. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "internal.h"

enum {
    STACK_BYTES = 8 << 20,
    SPIN_US = 500,         /* before sleeping: waking across cores costs whoever sends some microseconds */
    SLEEP_SHORT_US = 1000, /* a sleep ends by itself: see ring.c */
    SLEEP_LONG_US = 16000,
#ifdef X_EXACT
    BURST = 1,
#else
    BURST = 256,         /* calls of go in a turn, at the most */
#endif
    BURST_BYTES = 16384, /* that it may send in them */
    BURST_SHORT_US = 20, /* a turn that takes less grows */
    BURST_LONG_US = 50,
    CALL_LONG_US = 2000, /* a kernel that takes longer is shown less at once */
    CALL_SHORT_US = 200,
};

/* Binary logarithms of factors on what a kernel is shown in a call. It begins with
 * little, for nobody knows yet how long it takes. */
#ifdef X_EXACT
enum { SHARE_LEAST = 0, SHARE_FIRST = 0, SHARE_MOST = 24 };
#else
enum { SHARE_LEAST = -24, SHARE_FIRST = -8, SHARE_MOST = 24 };
#endif

static struct kernel *kernels;
static size_t count, left;
struct kernel *x_current;

static struct fiber *running;
static struct fiber **spare;
static size_t spares;

void sched_open(void) {
    for (size_t i = 0; i < x_kernel_count; i++)
        count += x_kernels[i].process == x_self;
    left = count;
    kernels = process_alloc(count, sizeof *kernels);
    spare = process_alloc(count + 1, sizeof *spare);
    struct kernel *k = kernels;
    for (size_t i = 0; i < x_kernel_count; i++) {
        const struct x_kernel *spec = &x_kernels[i];
        if (spec->process != x_self)
            continue;
        size_t ends = 0;
        for (size_t p = 0; p < spec->ins; p++)
            ends += spec->in[p].count;
        *k = (struct kernel){.spec = spec, .control = (struct x_kernel_control *)(x_shared + x_kernel_offset) + i, .burst = 1, .share = SHARE_FIRST, .least = SHARE_LEAST};
        k->in = process_alloc(ends, sizeof *k->in);
        k->out = process_alloc(spec->outs, sizeof *k->out);
        k++;
    }
    ring_open(kernels, count);
    for (size_t i = 0; i < count; i++) {
        x_current = &kernels[i];
        atomic_store_explicit(&process_control(x_self)->kernel, (int)(x_current->spec - x_kernels), memory_order_relaxed);
        x_current->spec->init(x_current->spec->instance);
    }
    x_current = NULL;
    atomic_store_explicit(&process_control(x_self)->kernel, -1, memory_order_relaxed);
}

static void enter(struct kernel *k) {
    x_current = k;
    atomic_store_explicit(&process_control(x_self)->kernel, (int)(k->spec - x_kernels), memory_order_relaxed);
}

/* account ends what began at begin; blocked was the kernel's waiting by then. */
static uint64_t account(struct kernel *k, uint64_t begin, uint64_t blocked, uint64_t calls) {
    uint64_t took = clock_ticks() - begin - (k->blocked - blocked);
    k->busy += took;
    k->calls += calls;
    atomic_store_explicit(&k->control->busy, k->busy, memory_order_relaxed);
    atomic_store_explicit(&k->control->calls, k->calls, memory_order_relaxed);
    if (took >= BURST_SHORT_US * x_ticks_per_us)
        ring_flush(k, false); /* what it has sent does not wait for the other kernels */
    return took;
}

static void begin_timing(struct kernel *k, uint64_t begin) {
#ifdef X_TAPS
    if (k->timing) { /* a service is timed from the start of its call, if that is later */
        k->timing_from = begin;
        k->timing_blocked = k->blocked;
    }
#else
    (void)k, (void)begin;
#endif
}

static void end_kernel(struct kernel *k) {
    ring_flush(k, true);
    k->state = ENDED;
    left--;
    for (size_t i = 0; i < k->outs; i++)
        ring_close(k->out[i]);
    atomic_store(&k->control->done, 1);
}

static uint64_t moved(const struct kernel *k) {
    uint64_t sum = 0;
    for (size_t i = 0; i < k->ins; i++)
        sum += k->in[i]->r.tail;
    for (size_t i = 0; i < k->outs; i++)
        sum += k->out[i]->w.head;
    return sum;
}

static uint64_t sent_bytes(const struct kernel *k) {
    uint64_t sum = 0;
    for (size_t i = 0; i < k->outs; i++)
        sum += k->out[i]->w.head * k->out[i]->w.size;
    return sum;
}

/* turn_source calls go for as long as that is short. */
static bool turn_source(struct kernel *k) {
    uint64_t begin = clock_ticks(), blocked = k->blocked, bytes = sent_bytes(k), calls = 0;
    int over = 0;
    enter(k);
    begin_timing(k, begin);
    while (calls < k->burst && !over && k->blocked == blocked) {
        over = k->spec->go(k->spec->instance);
        calls++;
    }
    uint64_t took = account(k, begin, blocked, calls);
    bytes = sent_bytes(k) - bytes;
    if (bytes == 0)
        ring_flush(k, true); /* it may pause */
    if (k->burst < BURST && took < BURST_SHORT_US * x_ticks_per_us && bytes < BURST_BYTES / 2)
        k->burst *= 2;
    else if (k->burst > 1 && (took > BURST_LONG_US * x_ticks_per_us || bytes > BURST_BYTES))
        k->burst /= 2;
    if (over)
        end_kernel(k);
    return true;
}

/* share is how many elements a reader shows its kernel in one call. */
static uint64_t share(const struct reader *r) {
    int s = r->kernel->share;
    uint64_t n = s >= 0 ? r->share << s : r->share >> -s;
    return n > 0 ? n : 1;
}

/* fit makes the share of a kernel smaller when its calls are long, as far as it
 * still does something with what it is shown. */
static void fit(struct kernel *k, uint64_t took) {
    if (took > CALL_LONG_US * x_ticks_per_us && k->share > k->least)
        k->share--;
    else if (took < CALL_SHORT_US * x_ticks_per_us && k->share < 0)
        k->share++;
}

/* turn_push shows a kernel what has arrived and calls push; when that can do
 * nothing more and all inputs have ended, the kernel has. */
static bool turn_push(struct kernel *k) {
    bool ended = true, hidden = false;
    uint64_t shown = 0;
    for (size_t i = 0; i < k->ins; i++) {
        struct reader *r = k->in[i];
        ended = ring_closed(r) && ended;
        r->seen = ring_head(r);
        uint64_t here = r->seen - r->r.tail, most = share(r);
        hidden = hidden || here > most;
        r->r.visible = r->r.tail + (here < most ? here : most);
        shown += r->r.visible - r->r.tail;
#ifdef X_TAPS
        taps_shown(r);
#endif
    }
    k->again = false;
    enter(k);
    if (shown > 0) {
        uint64_t before = moved(k), begin = clock_ticks(), blocked = k->blocked;
        begin_timing(k, begin);
        k->spec->push(k->spec->instance);
        uint64_t took = account(k, begin, blocked, 1);
        if (moved(k) != before) {
            for (size_t i = 0; i < k->ins; i++)
                k->again = k->again || k->in[i]->seen > k->in[i]->r.tail;
            k->again = k->again || ended;
            fit(k, took);
            return true;
        }
        if (hidden && k->share < SHARE_MOST) { /* it needs more at once */
            k->least = ++k->share;
            k->again = true;
            return true;
        }
    }
    if (!ended)
        return false;
    if (k->spec->drain) { /* what is left can never be consumed */
        uint64_t begin = clock_ticks(), blocked = k->blocked;
        begin_timing(k, begin);
        k->spec->drain(k->spec->instance);
        account(k, begin, blocked, 1);
    }
    end_kernel(k);
    return true;
}

/* can_run tells whether a turn of a kernel may do something. */
static bool can_run(const struct kernel *k) {
    switch (k->state) {
    case ENDED:
        return false;
    case WAITS:
        return ring_room(k->waits) >= k->need;
    case IDLE:
        break;
    }
    if (k->spec->source || k->again)
        return true;
    bool ended = true;
    for (size_t i = 0; i < k->ins; i++) {
        ended = ring_closed(k->in[i]) && ended;
        if (ring_head(k->in[i]) != k->in[i]->seen)
            return true;
    }
    return ended;
}

static bool any_can_run(void) {
    for (size_t i = 0; i < count; i++)
        if (can_run(&kernels[i]))
            return true;
    return false;
}

/* resume goes back to a kernel that has waited; what runs now is not needed any
 * more, because the kernel's stack holds a scheduler too, which called it. */
static void resume(struct kernel *k) {
    struct fiber *here = running;
    k->state = IDLE;
    running = k->fiber;
    enter(k);
    spare[spares++] = here;
    fiber_switch(here, running);
}

static bool turn(void) {
    bool any = false;
    for (size_t i = count; i-- > 0;) { /* sinks come last in the table */
        struct kernel *k = &kernels[i];
        if (!can_run(k))
            continue;
        if (k->state == WAITS)
            resume(k); /* does not return */
        any = (k->spec->source ? turn_source(k) : turn_push(k)) || any;
    }
    return any;
}

static void sleep_us(unsigned us) {
    struct x_process_control *c = process_control(x_self);
    uint32_t bell = atomic_load_explicit(&c->doorbell, memory_order_acquire);
    atomic_store_explicit(&c->sleeping, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (!any_can_run()) {
        struct timespec limit = {0, (long)us * 1000};
        atomic_fetch_add_explicit(&c->sleeps, 1, memory_order_relaxed);
        syscall(SYS_futex, &c->doorbell, FUTEX_WAIT, bell, &limit, NULL, 0);
    }
    atomic_store_explicit(&c->sleeping, 0, memory_order_relaxed);
}

/* idle waits until a kernel can run. */
static void idle(void) {
    x_current = NULL;
    atomic_store_explicit(&process_control(x_self)->kernel, -1, memory_order_relaxed);
    for (size_t i = 0; i < count; i++)
        ring_flush(&kernels[i], true);
    enum x_wait how = x_processes[x_self].wait;
    if (how == X_YIELD || how == X_SPIN) {
        while (!any_can_run())
            if (how == X_YIELD)
                sched_yield();
            else
                __builtin_ia32_pause();
        return;
    }
    if (how == X_SPIN_BLOCK)
        for (uint64_t begin = clock_ticks(); clock_ticks() - begin < SPIN_US * x_ticks_per_us;) {
            if (any_can_run())
                return;
            __builtin_ia32_pause();
        }
    for (unsigned us = SLEEP_SHORT_US; !any_can_run(); us = us < SLEEP_LONG_US ? 2 * us : us)
        sleep_us(us);
}

static void run(void) {
    while (left > 0)
        if (!turn())
            idle();
    for (size_t i = 0; i < count; i++) {
        enter(&kernels[i]);
        kernels[i].spec->destroy(kernels[i].spec->instance);
    }
    process_end();
}

/* new_stack makes the one to go on with. */
static struct fiber *new_stack(void) {
    if (spares > 0) {
        struct fiber *f = spare[--spares];
        fiber_restart(f, run);
        return f;
    }
    struct fiber *f = fiber_new(STACK_BYTES, run);
    if (!f)
        process_fail("there is no memory for another stack");
    return f;
}

void sched_run(void) {
    struct fiber *first = fiber_self();
    if (!first)
        process_fail("out of memory");
    running = new_stack();
    fiber_switch(first, running);
    abort(); /* nobody switches back */
}

void sched_await(struct kernel *k, struct writer *w, uint64_t n) {
    if (!atomic_load(&((struct x_run_control *)x_shared)->start))
        X_fail("waits for room before the run has begun");
    k->state = WAITS;
    k->waits = w;
    k->need = n;
    k->fiber = running;
    running = new_stack();
    fiber_switch(k->fiber, running);
}
