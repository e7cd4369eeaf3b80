/* xrt.c: the runtime of a deployed application. Each process runs the kernels of
 * one core. Edges are rings in shared memory with one writer and one reader; the
 * data area is mapped twice, back to back, so that every run of elements is
 * contiguous.
 *
 * A process calls its kernels in turn, those nearest the sinks first. A kernel
 * that waits for room lets the others of its process run meanwhile. With nothing
 * to do, the process sleeps until another rings its doorbell. It is rung when the
 * ring is half full, or half empty, and when the other side goes to sleep itself,
 * so that no element is stranded; a sleep lasts a millisecond at the most. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "xrt.h"

enum { SHARED_FD = 3, EXIT_FAILED = 3, SLEEP_NS = 1000000 };

struct ring {
    struct x_ring_control *control;
    uint8_t *data;
    uint64_t head, tail; /* own side exact, other side as last seen */
};

static uint8_t *shared;
static struct ring *rings;
static bool *active, *finished;
static int self;

static struct x_process_control *process_control(int p) {
    return (struct x_process_control *)(shared + x_process_offset) + p;
}

static struct x_kernel_control *kernel_control(size_t k) {
    return (struct x_kernel_control *)(shared + x_kernel_offset) + k;
}

static void fail_text(const char *text) {
    snprintf(process_control(self)->message, X_MESSAGE, "%s", text);
    _exit(EXIT_FAILED);
}

void X_fail(const char *format, ...) {
    char text[X_MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fail_text(text);
    abort();
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ring_doorbell wakes a process if it sleeps. */
static void ring_doorbell(int p) {
    struct x_process_control *c = process_control(p);
    atomic_thread_fence(memory_order_seq_cst);
    if (p != self && atomic_load_explicit(&c->sleeping, memory_order_relaxed)) {
        atomic_fetch_add(&c->doorbell, 1);
        syscall(SYS_futex, &c->doorbell, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

/* Ports. */

static uint64_t filled(int e) { /* bytes to read; for the reader */
    struct ring *r = &rings[e];
    r->head = atomic_load_explicit(&r->control->head, memory_order_acquire);
    return r->head - r->tail;
}

static uint64_t unfilled(int e) { /* bytes to write; for the writer */
    struct ring *r = &rings[e];
    r->tail = atomic_load_explicit(&r->control->tail, memory_order_acquire);
    return x_edges[e].limit - (r->head - r->tail);
}

size_t x_avail(struct x_port *port) {
    for (size_t i = 0; i < port->count; i++) {
        int e = port->edges[port->current];
        uint64_t bytes = filled(e);
        if (bytes > 0)
            return bytes / x_edges[e].element;
        port->current = (port->current + 1) % port->count;
    }
    return 0;
}

const void *x_front(struct x_port *port) {
    if (x_avail(port) == 0)
        return NULL;
    int e = port->edges[port->current];
    return rings[e].data + (rings[e].tail & (x_edges[e].ring - 1));
}

void x_release(struct x_port *port, size_t n) {
    int e = port->edges[port->current];
    struct ring *r = &rings[e];
    uint64_t bytes = (uint64_t)n * x_edges[e].element;
    if (bytes > r->head - r->tail)
        X_fail("releases %zu elements where %llu are there", n, (unsigned long long)((r->head - r->tail) / x_edges[e].element));
    r->tail += bytes;
    atomic_store_explicit(&r->control->tail, r->tail, memory_order_release);
    if (2 * (r->head - r->tail) <= x_edges[e].limit)
        ring_doorbell(x_edges[e].producer);
}

static bool run_once(void);
static void sleep_a_little(void);

size_t x_room(struct x_port *port) {
    int e = port->edges[0];
    return unfilled(e) / x_edges[e].element;
}

static bool all_others_done(int reader) {
    return atomic_load(&process_control(reader)->done);
}

void *x_reserve(struct x_port *port, size_t n) {
    int e = port->edges[0];
    struct ring *r = &rings[e];
    uint64_t bytes = (uint64_t)n * x_edges[e].element;
    if (bytes > x_edges[e].limit)
        X_fail("asks for room for %zu elements where the buffer holds %llu", n, (unsigned long long)(x_edges[e].limit / x_edges[e].element));
    if (x_edges[e].limit - (r->head - r->tail) < bytes && unfilled(e) < bytes) {
        struct x_process_control *c = process_control(self);
        uint32_t outer = atomic_load_explicit(&c->waiting, memory_order_relaxed);
        atomic_fetch_add_explicit(&r->control->waits, 1, memory_order_relaxed);
        while (unfilled(e) < bytes) {
            atomic_store_explicit(&c->waiting, 1, memory_order_relaxed);
            if (x_edges[e].consumer != self && all_others_done(x_edges[e].consumer))
                X_fail("sends to a kernel that has ended");
            if (!run_once())
                sleep_a_little();
        }
        atomic_store_explicit(&c->waiting, outer, memory_order_relaxed);
    }
    return r->data + (r->head & (x_edges[e].ring - 1));
}

void x_send(struct x_port *port, size_t n) {
    int e = port->edges[0];
    struct ring *r = &rings[e];
    uint64_t bytes = (uint64_t)n * x_edges[e].element;
    if (bytes > x_edges[e].limit - (r->head - r->tail) && bytes > unfilled(e))
        X_fail("sends %zu elements that it has not reserved", n);
    r->head += bytes;
    atomic_store_explicit(&r->control->head, r->head, memory_order_release);
    if (2 * (r->head - r->tail) >= x_edges[e].limit)
        ring_doorbell(x_edges[e].consumer);
}

struct x_port *x_port_at(struct x_port *first, size_t i) { return first + i; }

/* Scheduling. */

static bool closed(const struct x_port *port) {
    for (size_t i = 0; i < port->count; i++)
        if (!atomic_load_explicit(&rings[port->edges[i]].control->closed, memory_order_acquire))
            return false;
    return true;
}

static void finish(size_t k) {
    struct x_kernel *kernel = &x_kernels[k];
    finished[k] = true;
    atomic_store(&kernel_control(k)->done, 1);
    for (size_t o = 0; o < kernel->outs; o++)
        for (size_t i = 0; i < kernel->out[o].count; i++) {
            int e = kernel->out[o].edges[i];
            atomic_store_explicit(&rings[e].control->closed, 1, memory_order_release);
            ring_doorbell(x_edges[e].consumer);
        }
}

/* moved sums what a kernel has read and written, to see whether a call did
 * anything. */
static uint64_t moved(const struct x_kernel *kernel) {
    uint64_t sum = 0;
    for (size_t p = 0; p < kernel->ins; p++)
        for (size_t i = 0; i < kernel->in[p].count; i++)
            sum += rings[kernel->in[p].edges[i]].tail;
    for (size_t p = 0; p < kernel->outs; p++)
        sum += rings[kernel->out[p].edges[0]].head;
    return sum;
}

static uint64_t nested; /* ns spent in other kernels while one waits for room */

/* call runs one function of a kernel and accounts for its time. */
static int call(size_t k, int which) {
    struct x_kernel *kernel = &x_kernels[k];
    struct x_kernel_control *c = kernel_control(k);
    struct x_process_control *p = process_control(self);
    int before = atomic_load_explicit(&p->kernel, memory_order_relaxed), result = 0;
    uint64_t outer = nested, begin = now();
    nested = 0;
    active[k] = true;
    uint32_t waiting = atomic_load_explicit(&p->waiting, memory_order_relaxed);
    atomic_store_explicit(&p->waiting, 0, memory_order_relaxed);
    atomic_store_explicit(&p->kernel, (int)k, memory_order_relaxed);
    switch (which) {
    case 0: kernel->push(kernel->instance); break;
    case 1: result = kernel->go(kernel->instance); break;
    default: if (kernel->drain) kernel->drain(kernel->instance);
    }
    atomic_store_explicit(&p->kernel, before, memory_order_relaxed);
    atomic_store_explicit(&p->waiting, waiting, memory_order_relaxed);
    active[k] = false;
    uint64_t whole = now() - begin;
    atomic_fetch_add_explicit(&c->busy, whole - nested, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->calls, 1, memory_order_relaxed);
    nested = outer + whole;
    return result;
}

/* run_kernel gives a kernel a turn; it returns whether that did anything. */
static bool run_kernel(size_t k) {
    struct x_kernel *kernel = &x_kernels[k];
    if (kernel->source) {
        for (size_t o = 0; o < kernel->outs; o++)
            if (x_room(&kernel->out[o]) == 0)
                return false;
        if (call(k, 1))
            finish(k);
        return true;
    }
    bool ended = true;
    for (size_t p = 0; p < kernel->ins; p++)
        ended = ended && closed(&kernel->in[p]);
    size_t available = 0;
    for (size_t p = 0; p < kernel->ins; p++)
        available += x_avail(&kernel->in[p]);
    if (available > 0) {
        uint64_t before = moved(kernel);
        call(k, 0);
        if (moved(kernel) != before)
            return true;
    }
    if (!ended)
        return false;
    call(k, 2); /* what is left can never be consumed */
    finish(k);
    return true;
}

static bool run_once(void) {
    bool any = false;
    for (size_t i = x_kernel_count; i-- > 0;) /* sinks come last in the table */
        if (x_kernels[i].process == self && !active[i] && !finished[i])
            any = run_kernel(i) || any;
    return any;
}

/* sleep_a_little first rings for what lies in the rings, then sleeps until rung. */
static void sleep_a_little(void) {
    struct x_process_control *c = process_control(self);
    for (size_t e = 0; e < x_edge_count; e++) {
        if (x_edges[e].producer == self && x_edges[e].consumer != self)
            ring_doorbell(x_edges[e].consumer);
        else if (x_edges[e].consumer == self && x_edges[e].producer != self)
            ring_doorbell(x_edges[e].producer);
    }
    uint32_t seen = atomic_load(&c->doorbell);
    atomic_store(&c->sleeping, 1);
    atomic_thread_fence(memory_order_seq_cst);
    if (!run_once()) {
        struct timespec limit = {0, SLEEP_NS};
        uint64_t begin = now();
        syscall(SYS_futex, &c->doorbell, FUTEX_WAIT, seen, &limit, NULL, 0);
        nested += now() - begin; /* waiting is no kernel's work */
    }
    atomic_store(&c->sleeping, 0);
}

/* Start. */

static void map_ring(size_t e) {
    const struct x_edge *edge = &x_edges[e];
    rings[e].control = (struct x_ring_control *)(shared + edge->control);
    uint8_t *area = mmap(NULL, 2 * edge->ring, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED)
        fail_text("cannot reserve addresses for a buffer");
    for (int half = 0; half < 2; half++)
        if (mmap(area + (uint64_t)half * edge->ring, edge->ring, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, SHARED_FD, (off_t)edge->data) == MAP_FAILED)
            fail_text("cannot map a buffer");
    rings[e].data = area;
}

int main(int argc, char **argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc != 3) {
        fprintf(stderr, "%s: this program is started by xopt deploy\n", argv[0]);
        return 2;
    }
    self = atoi(argv[1]);
    int cpu = atoi(argv[2]);
    shared = mmap(NULL, x_shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);
    if (shared == MAP_FAILED) {
        fprintf(stderr, "%s: this program is started by xopt deploy\n", argv[0]);
        return 2;
    }
    struct x_process_control *c = process_control(self);
    atomic_store(&c->kernel, -1);
    if (cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0)
            fail_text("cannot be pinned to its core");
    }
    rings = calloc(x_edge_count + 1, sizeof *rings);
    active = calloc(x_kernel_count, sizeof *active);
    finished = calloc(x_kernel_count, sizeof *finished);
    if (!rings || !active || !finished)
        fail_text("out of memory");
    for (size_t e = 0; e < x_edge_count; e++)
        if (x_edges[e].producer == self || x_edges[e].consumer == self)
            map_ring(e);
    for (size_t k = 0; k < x_kernel_count; k++)
        if (x_kernels[k].process == self) {
            atomic_store(&c->kernel, (int)k);
            x_kernels[k].init(x_kernels[k].instance);
        }
    atomic_store(&c->kernel, -1);
    atomic_store(&c->ready, 1);
    struct x_run_control *run = (struct x_run_control *)shared;
    while (!atomic_load(&run->start)) {
        struct timespec pause = {0, 100000};
        nanosleep(&pause, NULL);
    }
    for (;;) {
        bool left = false;
        for (size_t k = 0; k < x_kernel_count; k++)
            left = left || (x_kernels[k].process == self && !finished[k]);
        if (!left)
            break;
        if (!run_once())
            sleep_a_little();
    }
    for (size_t k = 0; k < x_kernel_count; k++)
        if (x_kernels[k].process == self) {
            atomic_store(&c->kernel, (int)k);
            x_kernels[k].destroy(x_kernels[k].instance);
        }
    atomic_store(&c->kernel, -1);
    atomic_store(&c->done, 1);
    return 0;
}
