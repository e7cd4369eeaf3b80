/* events.c: the table of a run's events (Gayen 2008 §3.3). The events are the send, the arrival and the consumption of
 * every element, and every pass of a testpoint. Each process writes its own events into a pipe, from which the
 * supervisor reads them. A run in virtual time waits until it can write, and loses no events. A run on this machine
 * does not wait: it stores events that do not fit the pipe in reserved memory. When this memory is full, the process
 * records nothing more, so that its events have no gaps. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "internal.h"
#ifdef XRT_VIRTUAL
#include "virtual.h"
#endif

#ifdef XRT_EVENTS

enum { AT_ONCE = 2048, FULL_PIPE = 1 << 20 }; /* events per write; bytes */
#ifdef XRT_VIRTUAL
enum { KEPT = 16 * AT_ONCE };
#else
enum { KEPT = 1 << 19 };
#endif

static struct x_event *events;
static uint8_t *from, *to, *end; /* the unwritten events, and the end of the buffer */
static uint64_t unwritten;       /* events since the last attempt to write */
static bool stopped;

static void block(bool on) {
    int flags = fcntl(XRT_EVENTS_FD, F_GETFL);
    if (flags >= 0)
        fcntl(XRT_EVENTS_FD, F_SETFL, on ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

/* deliver writes as much as the pipe accepts. A forked copy of the process discards its events. */
static void deliver(void) {
    unwritten = 0;
    if (getpid() != x_started_as)
        stopped = true;
    while (from < to && !stopped) {
        ssize_t n = write(XRT_EVENTS_FD, from, (size_t)(to - from));
        if (n > 0)
            from += n;
        else if (n < 0 && errno == EAGAIN)
            return;
        else if (n == 0 || errno != EINTR)
            stopped = true;
    }
    from = to = (uint8_t *)events;
}

/* room makes space for another event; false if there is none. */
static bool room(void) {
    if (end - to >= (ptrdiff_t)sizeof *events)
        return true;
    deliver();
    if (from > (uint8_t *)events) {
        size_t left = (size_t)(to - from);
        __builtin_memmove(events, from, left);
        from = (uint8_t *)events;
        to = from + left;
    }
    stopped = stopped || end - to < (ptrdiff_t)sizeof *events;
    return !stopped;
}

/* add records count consecutive events of a series at one time. */
static void add(size_t series, enum x_event_kind kind, uint64_t index, uint64_t count, uint64_t time) {
    if (x_events_most > 0 && index + count > x_events_most)
        count = index < x_events_most ? x_events_most - index : 0;
    for (; count > 0 && !stopped && room(); index += UINT32_MAX, count -= min64(count, UINT32_MAX)) {
        uint32_t n = (uint32_t)min64(count, UINT32_MAX);
        struct x_event e = {.time = time, .index = index, .count = n, .what = (uint32_t)(series << 2 | kind)};
        *(struct x_event *)to = e;
        to += sizeof e;
        unwritten++;
    }
#ifndef XRT_VIRTUAL /* in virtual time the engine delivers, so that it does not count as kernel time */
    if (unwritten >= AT_ONCE)
        deliver();
#endif
}

void events_deliver(void) {
    if (unwritten >= AT_ONCE)
        deliver();
}

void events_flush(void) {
    if (!events || from == to)
        return;
    block(true);
    deliver();
#ifndef XRT_VIRTUAL
    block(false);
#endif
}

void events_try(void) {
    if (events && from < to)
        deliver();
}

/* events_open is called when the ends of edges exist. Initial elements of an edge have arrived. */
void events_open(struct kernel *kernels, size_t count) {
    stopped = fcntl(XRT_EVENTS_FD, F_GETFL) < 0; /* no reader: testpoints are only counted */
    events = process_alloc(KEPT, sizeof *events);
    from = to = (uint8_t *)events;
    end = (uint8_t *)(events + KEPT);
    fcntl(XRT_EVENTS_FD, F_SETPIPE_SZ, FULL_PIPE); /* smaller pipes work too */
#ifdef XRT_VIRTUAL
    (void)kernels, (void)count;
    for (size_t e = 0; e < x_edge_count; e++)
        if (!x_routes[e].inside)
            add(e, XRT_AVAILABLE, 0, x_edges[e].initial, 0);
#else
    block(false);
    for (size_t i = 0; i < count; i++) /* the writer of an edge records arrivals */
        for (size_t j = 0; j < kernels[i].outs; j++) {
            size_t e = (size_t)kernels[i].out[j]->edge;
            add(e, XRT_AVAILABLE, 0, x_edges[e].initial, 0);
        }
#endif
}

static uint64_t now(void) {
#ifdef XRT_VIRTUAL
    return virtual_now; /* start of the turn, or its continuation after a wait */
#else
    return clock_ticks();
#endif
}

void events_sent(size_t e, uint64_t before, uint64_t head, uint64_t time) {
    add(e, XRT_OUT, before, head - before, time);
}

void events_arrived(size_t e, uint64_t before, uint64_t head, uint64_t time) {
    add(e, XRT_AVAILABLE, before, head - before, time);
}

/* events_released assumes that a kernel has consumed the elements that it releases. If the kernel has not read an
 * element, the time of the element is the time of the last read or release. */
void events_released(struct reader *r) {
    uint64_t since = r->since;
#ifndef XRT_VIRTUAL
    since = since > r->kernel->called ? since : r->kernel->called;
#else
    since = virtual_now;
#endif
    if (r->looked < r->r.tail) {
        add((size_t)r->edge, XRT_IN, r->looked, r->r.tail - r->looked, since);
        r->looked = r->r.tail;
    }
    r->since = now();
}

/* x_looked is called when a kernel reads the oldest element. */
void x_looked(struct x_reader *end) {
    struct reader *r = (struct reader *)end;
    if (r->looked > r->r.tail)
        return;
    r->since = now();
    add((size_t)r->edge, XRT_IN, r->r.tail, 1, r->since);
    r->looked = r->r.tail + 1;
}

/* Testpoints. */

/* events_turn_begins and events_turn_ends enclose the turn of a kernel in virtual time. If firing times are random,
 * the time of a testpoint within a firing is unknown. It is assumed to be the start or, after a send or a release,
 * the end. */
void events_turn_begins(struct kernel *k) { k->moved = turn_moved(k); }

void events_turn_ends(struct kernel *k, uint64_t time) {
    for (size_t i = 0; i < k->passed; i++)
        add(k->passes[i].series, XRT_POINT, k->passes[i].index, 1, time);
    k->passed = 0;
}

static void passes_later(struct kernel *k, size_t series, uint64_t index) {
    if (k->passed == k->room) {
        size_t more = k->room > 0 ? 2 * k->room : 16;
        struct pass *list = realloc(k->passes, more * sizeof *list);
        if (!list)
            process_fail("out of memory");
        k->passes = list;
        k->room = more;
    }
    k->passes[k->passed++] = (struct pass){series, index};
}

void x_testpoint(unsigned point, unsigned points) {
    struct kernel *k = x_current;
    if (!k)
        X_fail("passes a testpoint outside the functions of a kernel");
    if (point >= points)
        X_fail("passes testpoint %u, but has only %u testpoints", point, points);
    size_t n = k->spec->point + point, series = x_edge_count + n;
    _Atomic uint64_t *passes = (_Atomic uint64_t *)shared_at(x_points_offset) + n;
    uint64_t index = atomic_load_explicit(passes, memory_order_relaxed);
    atomic_store_explicit(passes, index + 1, memory_order_relaxed);
#ifdef XRT_VIRTUAL
    if (time_given(k) && turn_moved(k) != k->moved) {
        passes_later(k, series, index);
        return;
    }
    add(series, XRT_POINT, index, 1, time_given(k) ? virtual_now : virtual_ticks());
#else
    (void)passes_later;
    add(series, XRT_POINT, index, 1, clock_ticks());
#endif
}

#endif
