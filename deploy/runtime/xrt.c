/* xrt.c: one process of a deployed application. ring.c contains the edges, sched.c the scheduler, and taps.c the
 * measurements. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "internal.h"

uint8_t *x_shared;
int x_self;
struct x_process_control *x_here;
pid_t x_started_as;
uint64_t x_ticks_per_us = 1;
double x_seconds_per_tick = 1e-9;

struct x_kernel_control *kernel_control(int k) { return shared_at(x_kernels[k].control); }

struct x_process_control *process_control(int p) {
    return (struct x_process_control *)shared_at(x_process_offset) + p;
}

void process_fail(const char *text) {
    fflush(stdout);
    events_flush();
    snprintf(process_control(x_self)->message, XRT_MESSAGE_BYTES, "%s", text);
    _exit(XRT_EXIT_FAILED);
}

void X_fail(const char *format, ...) {
    char text[XRT_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    process_fail(text);
}

void *process_alloc(size_t count, size_t size) {
    void *p = calloc(count + 1, size); /* one object more, so that the result is never NULL */
    if (!p)
        process_fail("out of memory");
    return p;
}

static void fail_errno(const char *what) {
    char text[XRT_MESSAGE_BYTES];
    snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
    process_fail(text);
}

/* settle pins the process to a processor (-1 for any) and sets its scheduling policy. */
static void settle(int cpu) {
    const struct x_process *p = &x_processes[x_self];
    if (cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0)
            fail_errno("cannot be pinned to its processor");
    }
    if (p->policy != SCHED_OTHER) {
        struct sched_param param = {.sched_priority = p->policy == SCHED_RR ? 1 : 0};
        if (sched_setscheduler(0, p->policy, &param) != 0)
            fail_errno(p->policy == SCHED_RR ? "cannot be scheduled round robin (that needs CAP_SYS_NICE)"
                                             : "cannot set its scheduling policy");
    }
}

/* start_clock stores the first pairs of clock readings, and estimates the clock's rate precisely enough for the
 * runtime's own limits. */
static void start_clock(void) {
    struct clock_pair first = clock_pair();
    struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
    struct clock_pair second = clock_pair();
    if (second.ns > first.ns && second.ticks > first.ticks) {
        x_seconds_per_tick = 1e-9 * (double)(second.ns - first.ns) / (double)(second.ticks - first.ticks);
        x_ticks_per_us = (uint64_t)(1e-6 / x_seconds_per_tick) + 1;
    }
    clock_begins(first, second);
}

void clock_show(struct clock_pair first, struct clock_pair second) {
    struct x_process_control *c = process_control(x_self);
    atomic_store(&c->tick0, first.ticks);
    atomic_store(&c->ns0, first.ns);
    atomic_store(&c->tick1, second.ticks);
    atomic_store(&c->ns1, second.ns);
}

void process_end(void) {
    clock_ends();
    events_flush();
    fflush(NULL); /* before the process counts as done */
    struct x_process_control *c = process_control(x_self);
    atomic_store(&c->kernel, -1);
    atomic_store(&c->done, 1);
    exit(0);
}

/* offer_to_killer asks Linux to end this process first when memory runs out, before the supervisor or
 * another user's process. */
static void offer_to_killer(void) {
    FILE *f = fopen("/proc/self/oom_score_adj", "w");
    if (f) {
        fputs("1000", f);
        fclose(f); /* if it fails, the order does not change */
    }
}

/* map_shared maps the shared memory between margins, so that an overrun of another object cannot reach it. */
static uint8_t *map_shared(void) {
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint8_t *area = mmap(NULL, x_shared_bytes + 2 * MARGIN_BYTES, PROT_NONE, how, -1, 0);
    if (area == MAP_FAILED)
        return area;
    area += MARGIN_BYTES;
    return mmap(area, x_shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, XRT_SHARED_FD, 0);
}

/* number reads one of the program's arguments; -1 if it is not a number. */
static long number(const char *text) {
    char *end = NULL;
    long n = strtol(text, &end, 10);
    return end != text && *end == 0 ? n : -1;
}

/* main runs one process. Its arguments are the number of the process and, in a run over hosts, the processor that its
 * host assigns. */
int main(int argc, char **argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    long self = argc >= 2 ? number(argv[1]) : -1;
    x_shared = map_shared();
    if (self < 0 || (size_t)self >= x_process_count || argc > 3 || x_shared == MAP_FAILED) {
        fprintf(stderr, "%s: start this program with xopt deploy\n", argv[0]);
        return 2;
    }
    x_self = (int)self;
    x_started_as = getpid();
    struct x_process_control *c = x_here = process_control(x_self);
    atomic_store(&c->kernel, -1);
    speech_open();
    forks_open();
    offer_to_killer();
    settle(argc == 3 ? (int)number(argv[2]) : x_processes[x_self].cpu);
    start_clock();
#ifdef XRT_VIRTUAL
    sched_open(); /* this process carries no edges to other hosts */
#else
    const bool carries = x_processes[x_self].carries;
    if (carries)
        carry_open();
    else
        sched_open();
#endif
    atomic_store(&c->ready, 1);
    while (!atomic_load(&run_control()->start)) {
        struct timespec pause = {0, 100000};
        nanosleep(&pause, NULL);
    }
#ifndef XRT_VIRTUAL
    if (carries)
        carry_run();
#endif
    sched_run();
}
