/* edge_native.c: the ends of an edge on this machine: counts in shared memory, and processes that sleep and are
 * woken.
 *
 * A sleeping reader is woken when the ring is half full, and a sleeping writer when the ring is half empty. Both are
 * also woken if they have not been woken from this edge for HYSTERESIS. The waker's read of the sleep flag is not
 * ordered after its preceding store, because this order would cost more than the store. A missed wake-up is repeated
 * when the waker next publishes, or when it has no more work and checks with a fence. No process sleeps longer than a
 * few milliseconds (sched.c). */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "internal.h"

#ifndef XRT_VIRTUAL

enum { HYSTERESIS = 400 }; /* us */

/* wake wakes a process. A process that carries edges to other hosts also waits for their sockets, and therefore for an
 * eventfd. */
static void wake(int process) {
    struct x_process_control *p = process_control(process);
    if (!atomic_exchange_explicit(&p->sleeping, 0, memory_order_relaxed))
        return;
    const int bell = x_processes[process].bell;
    if (bell > 0) {
        const uint64_t one = 1;
        (void)!write(bell, &one, sizeof one); /* it can only fail if the bell is already rung */
        return;
    }
    atomic_fetch_add_explicit(&p->doorbell, 1, memory_order_release);
    syscall(SYS_futex, &p->doorbell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int process_of(int kernel) { return x_kernels[kernel].process; }

/* taker and giver return the process on this host with the other end of an edge: for its writer, and for its reader. */
static int taker(const struct x_edge *e) { return e->out_carrier > 0 ? e->out_carrier : process_of(e->to); }
static int giver(const struct x_edge *e) { return e->in_carrier > 0 ? e->in_carrier : process_of(e->from); }

static bool sleeps(int process) {
    return atomic_load_explicit(&process_control(process)->sleeping, memory_order_relaxed);
}

/* wake_for wakes a sleeping process if it is worthwhile. amount is the number of elements that it could use now. */
static void wake_for(int process, uint64_t amount, uint64_t capacity, uint64_t *woken) {
    uint64_t now = clock_ticks();
    if (2 * amount >= capacity || now - *woken > HYSTERESIS * x_ticks_per_us) {
        *woken = now;
        wake(process);
    }
}

void edge_wake_writer(int edge, uint64_t room, uint64_t *woken) {
    const struct x_edge *e = &x_edges[edge];
    if (atomic_load_explicit(&ring_control(edge)->blocked_since, memory_order_relaxed) != 0 &&
        sleeps(process_of(e->from)))
        wake_for(process_of(e->from), room, e->capacity, woken);
}

void edge_wake_reader(int edge, uint64_t held, uint64_t *woken) {
    const struct x_edge *e = &x_edges[edge];
    if (sleeps(process_of(e->to)))
        wake_for(process_of(e->to), held, e->capacity, woken);
}

/* awaits_room reports whether the writer waits for space from a reader. A process that sleeps because its
 * inputs are empty is not woken for it: a needless system call costs some microseconds. */
static bool awaits_room(const struct reader *r) {
    if (x_edges[r->edge].in_carrier > 0) /* its host is informed after parts of the buffer (carry.c) */
        return 16 * (r->r.tail - atomic_load_explicit(&r->control->reported, memory_order_relaxed)) >= r->capacity;
    return atomic_load_explicit(&r->control->blocked_since, memory_order_relaxed) != 0;
}

/* taken_of returns the counter of elements that have left the ring on this host. */
static _Atomic uint64_t *taken_of(const struct writer *w) {
    return x_edges[w->edge].out_carrier > 0 ? &w->control->forwarded : &w->control->tail;
}

void edge_show(struct writer *w) {
#ifdef XRT_EVENTS
    if (!w->local)
        events_arrived((size_t)w->edge, w->published, w->w.head, clock_ticks());
#endif
    atomic_store_explicit(&w->control->head, w->w.head, memory_order_release);
    w->published = w->w.head;
    const struct x_edge *edge = &x_edges[w->edge];
    if (!w->local && sleeps(taker(edge))) {
        uint64_t tail = atomic_load_explicit(taken_of(w), memory_order_relaxed);
        wake_for(taker(edge), w->w.head - tail, w->capacity, &w->woken);
    }
}

void edge_give_back(struct reader *r) {
    atomic_store_explicit(&r->control->tail, r->r.tail, memory_order_release);
    r->published = r->r.tail;
    const struct x_edge *edge = &x_edges[r->edge];
    if (!r->local && awaits_room(r) && sleeps(giver(edge))) {
        uint64_t held = atomic_load_explicit(&r->control->head, memory_order_relaxed) - r->r.tail;
        wake_for(giver(edge), r->capacity - held, r->capacity, &r->woken);
    }
}

/* edge_tail_back is like edge_tail for an edge that leads back in a loop. After the end of its reader, elements
 * sent to it are dropped and need no space. */
uint64_t edge_tail_back(const struct writer *w) {
    if (atomic_load_explicit(&kernel_control(x_edges[w->edge].to)->done, memory_order_acquire))
        return w->w.head;
    return w->local ? w->local->r.tail : atomic_load_explicit(&w->control->tail, memory_order_acquire);
}

void edge_close(struct writer *w) {
    atomic_store_explicit(&w->control->closed, 1, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    if (!w->local)
        wake(taker(&x_edges[w->edge]));
}

void edge_wake(struct kernel *k) {
    atomic_thread_fence(memory_order_seq_cst);
    for (size_t i = 0; i < k->outs; i++) {
        struct writer *w = k->out[i];
        if (!w->local &&
            (atomic_load_explicit(taken_of(w), memory_order_relaxed) != w->w.head || copies_unread(k, i)))
            wake(taker(&x_edges[w->edge]));
    }
    for (size_t i = 0; i < k->ins; i++) {
        struct reader *r = k->in[i];
        if (r->local || !awaits_room(r))
            continue;
        uint64_t full = r->r.tail + r->capacity;
        if (atomic_load_explicit(&r->control->head, memory_order_relaxed) != full)
            wake(giver(&x_edges[r->edge]));
    }
}

/* loop_rests checks the edges from outside first, because while one of them is active, the loop is not at rest. It
 * stores the result in memory that only this process writes. */
bool loop_rests(int loop) {
    const struct x_loop *l = &x_loops[loop];
    static uint64_t *seen;
    if (!seen)
        seen = process_alloc(x_edge_count, sizeof *seen);
    for (size_t i = 0; i < l->edge_count; i++)
        if (x_edges[l->edges[i]].loop != loop &&
            !atomic_load_explicit(&ring_control(l->edges[i])->closed, memory_order_acquire))
            return false;
    for (size_t i = 0; i < l->edge_count; i++)
        seen[i] = atomic_load_explicit(&ring_control(l->edges[i])->seen, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    for (size_t i = 0; i < l->edge_count; i++)
        if (atomic_load_explicit(&ring_control(l->edges[i])->head, memory_order_acquire) != seen[i])
            return false;
    return true;
}

void loop_end(int loop) {
    const struct x_loop *l = &x_loops[loop];
    for (size_t i = 0; i < l->edge_count; i++)
        if (x_edges[l->edges[i]].back)
            atomic_store_explicit(&ring_control(l->edges[i])->closed, 1, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    for (size_t i = 0; i < l->kernel_count; i++)
        wake(process_of(l->kernels[i]));
}

#endif
