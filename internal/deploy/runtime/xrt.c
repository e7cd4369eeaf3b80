/* xrt.c: one process of a deployed application. ring.c holds the edges, sched.c
 * the scheduler, taps.c what is measured. */
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

enum { SHARED_FD = 3 };

uint8_t *x_shared;
int x_self;
pid_t x_started_as;
uint64_t x_ticks_per_us = 1;
double x_seconds_per_tick = 1e-9;

struct x_kernel_control *kernel_control(int k) { return (struct x_kernel_control *)(x_shared + x_kernels[k].control); }

struct x_process_control *process_control(int p) {
    return (struct x_process_control *)(x_shared + x_process_offset) + p;
}

void process_fail(const char *text) {
    fflush(stdout);
    snprintf(process_control(x_self)->message, X_MESSAGE, "%s", text);
    _exit(X_EXIT_FAILED);
}

void X_fail(const char *format, ...) {
    char text[X_MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    process_fail(text);
}

void *process_alloc(size_t count, size_t size) {
    void *p = calloc(count + 1, size); /* one more, so that none is NULL */
    if (!p)
        process_fail("out of memory");
    return p;
}

static void fail_errno(const char *what) {
    char text[X_MESSAGE];
    snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
    process_fail(text);
}

/* settle goes to the processor and takes the scheduling policy chosen. */
static void settle(void) {
    const struct x_process *p = &x_processes[x_self];
    if (p->cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(p->cpu, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0)
            fail_errno("cannot be pinned to its processor");
    }
    if (p->policy != SCHED_OTHER) {
        struct sched_param param = {.sched_priority = p->policy == SCHED_RR ? 1 : 0};
        if (sched_setscheduler(0, p->policy, &param) != 0)
            fail_errno(p->policy == SCHED_RR ? "cannot be scheduled round robin (that needs CAP_SYS_NICE)" : "cannot take its scheduling policy");
    }
}

#ifndef X_VIRTUAL
/* resolve finds out what the clock shows of nothing at all: the median of some readings, one
 * behind the other. No less can be told from nothing. */
static void resolve(void) {
    enum { READINGS = 101, MOST = 4096 };
    uint64_t least[READINGS];
    for (size_t i = 0; i < READINGS; i++) {
        uint64_t before = clock_ticks(), took = clock_ticks() - before;
        size_t at = i;
        for (; at > 0 && least[at - 1] > took; at--)
            least[at] = least[at - 1];
        least[at] = took;
    }
    uint64_t median = least[READINGS / 2];
    atomic_store(&process_control(x_self)->resolution, (uint32_t)(median < MOST ? median : MOST));
}
#endif

/* start_clock takes the first pair of the clock and learns its rate well enough
 * for the runtime's own limits. */
static void start_clock(void) {
    struct x_process_control *c = process_control(x_self);
    uint64_t t0, n0, t1, n1;
    clock_pair(&t0, &n0);
    struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
    clock_pair(&t1, &n1);
    if (n1 > n0 && t1 > t0) {
        x_seconds_per_tick = 1e-9 * (double)(n1 - n0) / (double)(t1 - t0);
        x_ticks_per_us = (uint64_t)(1e-6 / x_seconds_per_tick) + 1;
    }
#ifdef X_VIRTUAL
    t0 = n0 = 0; /* ticks are ps */
    t1 = 1000000000000u;
    n1 = 1000000000u;
#endif
    atomic_store(&c->tick0, t0);
    atomic_store(&c->ns0, n0);
    atomic_store(&c->tick1, t1);
    atomic_store(&c->ns1, n1);
#ifndef X_VIRTUAL
    resolve();
#endif
}

static void end_clock(void) {
#ifdef X_VIRTUAL
    return;
#endif
    struct x_process_control *c = process_control(x_self);
    uint64_t t, n;
    clock_pair(&t, &n);
    atomic_store(&c->tick2, t);
    atomic_store(&c->ns2, n);
}

void process_end(void) {
    end_clock();
    fflush(NULL); /* before this counts as done */
    struct x_process_control *c = process_control(x_self);
    atomic_store(&c->kernel, -1);
    atomic_store(&c->done, 1);
    exit(0);
}

/* offer_to_killer asks Linux to end this process first, not the supervisor or
 * somebody else's, when memory runs out. */
static void offer_to_killer(void) {
    FILE *f = fopen("/proc/self/oom_score_adj", "w");
    if (f) {
        fputs("1000", f);
        fclose(f); /* if it fails, the order stays as it is */
    }
}

/* map_shared maps the shared memory between margins, so that what runs past the end of
 * something else does not run into it. */
static uint8_t *map_shared(void) {
    uint8_t *area = mmap(NULL, x_shared_bytes + 2 * MARGIN_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED)
        return area;
    return mmap(area + MARGIN_BYTES, x_shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, SHARED_FD, 0);
}

int main(int argc, char **argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char *end = NULL;
    long self = argc == 2 ? strtol(argv[1], &end, 10) : -1;
    x_shared = map_shared();
    if (self < 0 || *end || (size_t)self >= x_process_count || x_shared == MAP_FAILED) {
        fprintf(stderr, "%s: this program is started by xopt deploy\n", argv[0]);
        return 2;
    }
    x_self = (int)self;
    x_started_as = getpid();
    struct x_process_control *c = process_control(x_self);
    atomic_store(&c->kernel, -1);
    speech_open();
    offer_to_killer();
    settle();
    start_clock();
    sched_open();
    atomic_store(&c->ready, 1);
    struct x_run_control *run = (struct x_run_control *)x_shared;
    while (!atomic_load(&run->start)) {
        struct timespec pause = {0, 100000};
        nanosleep(&pause, NULL);
    }
    sched_run();
}
