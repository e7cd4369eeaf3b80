/* overrun.c: kernels that write or read outside of their memory.
 *
 * Memory mapped for kernels is between inaccessible margins. An access past the end of a buffer or of the shared memory
 * hits a margin. The signal handler then reports the kernel and the place.
 *
 * A buffer is larger than its elements by at least eight bytes (layout.go). These bytes follow the last element for
 * which the writer has space, at any position on the ring, and contain a fence. A write beyond the space breaks the
 * fence before it reaches unread elements. The fence is checked when the known space changes, which is once in many
 * elements, and when the kernel ends. If a run ends otherwise, the supervisor checks the fence (intact.go). Only
 * guard.c detects harmless writes within the space. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "internal.h"

#ifdef XRT_ASAN
/* __asan_default_options returns the options of the sanitizers. Faults arrive here first, and reports end the process
 * with a signal. The checks for leaks and for uses after a return do not support switched and abandoned stacks. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "abort_on_error=1:detect_leaks=0:detect_stack_use_after_return=0:allow_user_segv_handler=1:"
           "print_legend=0:color=never";
}
#endif
#ifdef XRT_UBSAN
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) {
    return "abort_on_error=1:halt_on_error=1:print_stacktrace=0:color=never";
}
#endif

struct area {
    const uint8_t *from;
    uint64_t bytes;
    int edge;
    const char *what;
};

static struct area *areas;
static size_t count, maximum;

enum { SIGNALS = 5, STACK_BYTES = 1 << 16 };
static const int signals[SIGNALS] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
static struct sigaction before[SIGNALS];
static uint8_t stack[STACK_BYTES];

/* overrun_firing returns the number of the kernel's current firing, from 1. */
uint64_t overrun_firing(const struct kernel *k) { return turn_firings(k) + 1; }

void overrun_fail(const struct kernel *k, const char *format, ...) {
    struct x_process_control *c = process_control(x_self);
    va_list args;
    va_start(args, format);
    vsnprintf(c->message, XRT_MESSAGE_BYTES, format, args);
    va_end(args);
    atomic_store(&c->kernel, (int)(k->spec - x_kernels));
    _exit(XRT_EXIT_OVERRUN);
}

/* place describes a kernel's end of an edge. */
static const char *place(const struct kernel *k, int edge, char *text, size_t bytes) {
    const struct x_edge *e = &x_edges[edge];
    int self = (int)(k->spec - x_kernels);
    if (e->from == self)
        snprintf(text, bytes, "output %s (edge %s)", e->out, e->name);
    else if (e->to == self)
        snprintf(text, bytes, "input %s (edge %s)", e->in, e->name);
    else
        snprintf(text, bytes, "edge %s of other kernels", e->name);
    return text;
}

static unsigned long long firing(void) { return overrun_firing(x_current); }

/* report ends the process if an address is in a margin of an area. */
static void report(const uint8_t *at, const char *did) {
    char text[200];
    for (size_t i = 0; i < count; i++) {
        const struct area *a = &areas[i];
        const uint8_t *end = a->from + a->bytes;
        if (at >= end && at < end + MARGIN_BYTES)
            overrun_fail(x_current, "%s past the end of %s, %s, in its firing %llu, at byte %llu after the end", did,
                         a->what, place(x_current, a->edge, text, sizeof text), firing(),
                         (unsigned long long)(at - end));
        if (at < a->from && at >= a->from - MARGIN_BYTES)
            overrun_fail(x_current, "%s before the start of %s, %s, in its firing %llu, %llu bytes before the start",
                         did, a->what, place(x_current, a->edge, text, sizeof text), firing(),
                         (unsigned long long)(a->from - at));
    }
    const uint8_t *end = x_shared + x_shared_bytes;
    if ((at >= end && at < end + MARGIN_BYTES) || (at < x_shared && at >= x_shared - MARGIN_BYTES))
        overrun_fail(x_current, "%s outside the shared memory of the processes, in its firing %llu", did, firing());
}

static const char *what_it_did(const void *context) {
#ifdef __x86_64__
    const ucontext_t *c = context;
    return c->uc_mcontext.gregs[REG_ERR] & 2 ? "wrote" : "read";
#else
    (void)context;
    return "wrote or read";
#endif
}

/* on_signal reports the kernel at fault, even if shared memory may have been overwritten. It then performs the
 * earlier action of the signal. */
static void on_signal(int sig, siginfo_t *info, void *context) {
    if (x_current) {
        atomic_store(&process_control(x_self)->kernel, (int)(x_current->spec - x_kernels));
        if ((sig == SIGSEGV || sig == SIGBUS) && info->si_code > 0)
            report(info->si_addr, what_it_did(context));
    }
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == sig) {
            sigaction(sig, &before[i], NULL);
            if (before[i].sa_flags & SA_SIGINFO && before[i].sa_sigaction) {
                before[i].sa_sigaction(sig, info, context);
                return;
            }
        }
    if (info->si_code <= 0)
        raise(sig); /* an asynchronous signal was consumed: send it again. A fault recurs by itself. */
}

void overrun_open(void) {
    stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&s, NULL); /* the kernel's own stack may be exhausted */
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigemptyset(&a.sa_mask);
        sigaction(signals[i], &a, &before[i]);
    }
}

/* overrun_watch registers an area for reports of overruns. The caller provides the margins. */
size_t overrun_watch(const uint8_t *from, uint64_t bytes, int edge, const char *what) {
    if (count == maximum) { /* the handler may be reading the old table, so it stays allocated */
        struct area *more = process_alloc(2 * maximum + 16, sizeof *more);
        if (count > 0)
            memcpy(more, areas, count * sizeof *more);
        areas = more;
        maximum = 2 * maximum + 16;
    }
    areas[count] = (struct area){from, bytes, edge, what};
    return count++;
}

/* overrun_moves records that an area belongs to another edge from now on. */
void overrun_moves(size_t watch, int edge) { areas[watch].edge = edge; }

/* overrun_reserve reserves addresses with margins around them. */
uint8_t *overrun_reserve(uint64_t bytes, const char *what) {
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint8_t *area = mmap(NULL, bytes + 2 * MARGIN_BYTES, PROT_NONE, how, -1, 0);
    if (area == MAP_FAILED) {
        char text[80];
        snprintf(text, sizeof text, "cannot reserve addresses for %s", what);
        process_fail(text);
    }
    return area + MARGIN_BYTES;
}

void overrun_fenced(struct writer *w) {
    char text[200];
    overrun_fail(w->kernel,
                 "wrote beyond its space on %s, in its firing %llu or before (--guard reports the firing)",
                 place(w->kernel, w->edge, text, sizeof text), (unsigned long long)overrun_firing(w->kernel));
}
