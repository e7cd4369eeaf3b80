/* carry.c: a process that carries edges between hosts. It has no kernels.
 *
 * Each host has a separate ring for an edge that leads to another host. On the writer's host a carrier replaces the
 * reader: it sends the published elements directly from the ring. On the reader's host a carrier replaces the writer.
 * It receives directly into the ring, publishes the arrived elements, and acknowledges the elements that the reader has
 * released. Only then does the writer regain their space. The data in flight, in sockets and in both rings, never
 * exceed the buffer of the edge. Therefore the receiver always has space for them, and a slow reader never delays
 * another edge. An edge has its own connection, which was authenticated before this process received it (run/peers.go).
 *
 * A connection carries a sequence of heads, each followed by the data that it announces. Sizes are checked before
 * use, for every sender. Both hosts have the same byte order, which was checked at the start.
 *
 * A carrier runs on the processor of the kernels whose edges it carries: the cost of sending and receiving is load
 * of their core. It sleeps until a socket or its bell, an eventfd, wakes it. It may miss a bell, as kernels do
 * (edge_native.c), so every sleep is short. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include "internal.h"

#ifndef XRT_VIRTUAL

enum {
    CHUNK_BYTES = 1 << 18, /* maximum size announced by one head */
    SLEEP_SHORT_MS = 1,
    SLEEP_LONG_MS = 16,
    ACK_PARTS = 8, /* the buffer has this many parts: the reader's host acknowledges released elements after each part
                     * (flow.AckParts) */
    SILENT_MS = 4000, /* limit for unacknowledged data of a host */
};

enum kind { DATA = 1, MARK, END, ROOM };

/* A head announces data or a count. For DATA, its number is the number of bytes that follow. For MARK, it is the hop of
 * the edge, and an x_mark follows. For END, it is the total number of sent elements. For ROOM, it is the number of
 * released elements. */
struct head {
    uint64_t kind, number;
};

/* A piece is a head with the data that it announces. It may be partly transferred. */
struct piece {
    struct head head;
    struct x_mark mark;
    uint64_t head_done, body_done, body; /* bytes */
    bool active;
};

struct way { /* one edge that this process carries */
    const struct x_edge *edge;
    int number, fd;
    bool out; /* its writer is on this host */
    struct x_ring_control *control;
    uint8_t *data;          /* its ring, mapped twice in a row */
    uint64_t from, bytes;   /* offset of element 0; size of the ring */
    uint64_t moved;         /* bytes sent or received */
    uint64_t reported;          /* acknowledged elements: received from the other host, or sent to it */
    uint64_t woken;
    struct piece sends, gets;
    bool ended; /* END was sent or received */
    bool finished;  /* both directions are complete */
    size_t hops;
    const struct x_hop **hop;
    double *lost; /* by hop: weight of the marks for which its queue was full */
};

static struct way *ways;
static size_t count;
static struct pollfd *polled;

static _Noreturn void lost(const struct way *w, const char *why) {
    char text[XRT_MESSAGE_BYTES];
    snprintf(text, sizeof text, "the connection of edge %s to the other host: %s", w->edge->name, why);
    process_fail(text);
}

/* map_twice maps the ring of an edge twice in a row, so that its content never wraps. */
static uint8_t *map_twice(const struct x_edge *e) {
    uint8_t *at = mmap(NULL, 2 * e->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        process_fail("out of memory for a buffer");
    for (uint64_t half = 0; half < 2; half++)
        if (mmap(at + half * e->bytes, e->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, XRT_SHARED_FD,
                 (off_t)e->data) == MAP_FAILED)
            process_fail("cannot map a buffer");
    return at;
}

static void set(const struct way *w, int level, int option, int value) {
    if (setsockopt(w->fd, level, option, &value, sizeof value) != 0)
        lost(w, strerror(errno));
}

static void open_way(struct way *w, int number, int fd, bool out) {
    const struct x_edge *e = &x_edges[number];
    *w = (struct way){.edge = e, .number = number, .fd = fd, .out = out, .control = ring_control(number)};
    w->data = map_twice(e);
    w->from = e->first * e->size;
    w->bytes = e->bytes;
    if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
        lost(w, strerror(errno));
    set(w, IPPROTO_TCP, TCP_NODELAY, 1);
    /* Detect that a host has ended or is disconnected, even without data in flight. */
    set(w, IPPROTO_TCP, TCP_USER_TIMEOUT, SILENT_MS);
    set(w, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(w, IPPROTO_TCP, TCP_KEEPIDLE, 1);
    set(w, IPPROTO_TCP, TCP_KEEPINTVL, 1);
    set(w, IPPROTO_TCP, TCP_KEEPCNT, SILENT_MS / 1000);
    w->hop = process_alloc(x_hop_count, sizeof *w->hop);
    w->lost = process_alloc(x_hop_count, sizeof *w->lost);
    for (size_t h = 0; h < x_hop_count; h++)
        if (x_hops[h].edge == number)
            w->hop[w->hops++] = &x_hops[h];
}

void carry_open(void) {
    ways = process_alloc(2 * x_edge_count, sizeof *ways);
    for (size_t e = 0; e < x_edge_count; e++) {
        if (x_edges[e].out_carrier == x_self)
            open_way(&ways[count++], (int)e, x_edges[e].out_fd, true);
        if (x_edges[e].in_carrier == x_self)
            open_way(&ways[count++], (int)e, x_edges[e].in_fd, false);
    }
    polled = process_alloc(count + 1, sizeof *polled);
}

/* ring_at returns the address of a byte, counted from the start of the edge's stream. */
static uint8_t *ring_at(const struct way *w, uint64_t byte) { return w->data + (w->from + byte) % w->bytes; }

static uint64_t elements(const struct way *w) { return w->moved / w->edge->size; }

/* blocked reports whether a socket cannot transfer more now. An error ends the run. */
static bool blocked(const struct way *w, ssize_t n) {
    if (n >= 0)
        return false;
    if (errno == EAGAIN || errno == EINTR)
        return true;
    lost(w, strerror(errno));
}

/* clock_offset returns the offset of this host's clock. The times of marks are in ns of CLOCK_MONOTONIC, the tick of a
 * run over hosts. Between hosts, marks have times of the controller's clock. The part of the run on this host stores
 * the offset of the host's clock. */
static uint64_t clock_offset(void) {
    return (uint64_t)atomic_load_explicit(&run_control()->clock_offset, memory_order_relaxed);
}

/* Sending. */

/* push continues to send a piece, and reports whether it is complete. */
static bool push(struct way *w, struct piece *p) {
    while (p->active) {
        struct iovec parts[2];
        int n = 0;
        if (p->head_done < sizeof p->head)
            parts[n++] = (struct iovec){(uint8_t *)&p->head + p->head_done, sizeof p->head - p->head_done};
        if (p->body_done < p->body)
            parts[n++] = (struct iovec){
                (p->head.kind == MARK ? (uint8_t *)&p->mark : ring_at(w, w->moved)) +
                    (p->head.kind == MARK ? p->body_done : 0),
                p->body - p->body_done};
        struct msghdr m = {.msg_iov = parts, .msg_iovlen = (size_t)n};
        ssize_t sent = sendmsg(w->fd, &m, MSG_NOSIGNAL);
        if (blocked(w, sent))
            return false;
        uint64_t head = min64((uint64_t)sent, sizeof p->head - p->head_done), body = (uint64_t)sent - head;
        p->head_done += head;
        p->body_done += body;
        if (p->head.kind == DATA) {
            w->moved += body;
            atomic_store_explicit(&w->control->forwarded, elements(w), memory_order_relaxed);
        }
        p->active = p->head_done < sizeof p->head || p->body_done < p->body;
    }
    return true;
}

static void begin_piece(struct piece *p, enum kind kind, uint64_t number, uint64_t body) {
    *p = (struct piece){.head = {kind, number}, .body = body, .active = true};
}

/* next_mark starts to send a mark that the writer has attached to an element; false if there is none. */
static bool next_mark(struct way *w) {
    for (size_t i = 0; i < w->hops; i++) {
        struct x_mark_queue *q = shared_at(w->hop[i]->offset);
        uint64_t n = atomic_load_explicit(&q->read, memory_order_relaxed);
        if (n == atomic_load_explicit(&q->written, memory_order_acquire))
            continue;
        begin_piece(&w->sends, MARK, i, sizeof w->sends.mark);
        w->sends.mark = x_mark_queue_marks(q)[n % w->hop[i]->slots];
        w->sends.mark.origin += clock_offset();
        atomic_store_explicit(&q->read, n + 1, memory_order_release);
        return true;
    }
    return false;
}

/* send_out sends the elements that the writer has published, each mark before its element. It reports whether it
 * sent anything. */
static bool send_out(struct way *w) {
    bool any = false;
    while (push(w, &w->sends) && !w->ended) {
        bool closed = atomic_load_explicit(&w->control->closed, memory_order_acquire); /* read before head */
        uint64_t head = atomic_load_explicit(&w->control->head, memory_order_acquire);
        uint64_t bytes = head * w->edge->size - w->moved;
        if (next_mark(w)) {
        } else if (bytes > w->edge->capacity * w->edge->size) {
            lost(w, "the counts of its buffer were overwritten");
        } else if (bytes > 0) {
            bytes = min64(bytes, CHUNK_BYTES);
            begin_piece(&w->sends, DATA, bytes, bytes);
        } else if (closed) {
            begin_piece(&w->sends, END, head, 0);
            w->ended = true;
        } else {
            return any;
        }
        any = true;
    }
    return any;
}

/* send_room acknowledges the elements that the reader has released to the writer's host. */
static bool send_room(struct way *w, bool all) {
    if (!push(w, &w->sends))
        return false;
    uint64_t tail = atomic_load_explicit(&w->control->tail, memory_order_acquire), more = tail - w->reported;
    if (more == 0 || (!all && ACK_PARTS * more < w->edge->capacity))
        return false;
    if (tail > elements(w))
        lost(w, "the counts of its buffer were overwritten");
    w->reported = tail;
    atomic_store_explicit(&w->control->reported, tail, memory_order_relaxed);
    begin_piece(&w->sends, ROOM, tail, 0);
    push(w, &w->sends);
    return true;
}

/* Receiving. */

/* read_head checks and stores the data of a head. */
static void read_head(struct way *w) {
    struct piece *p = &w->gets;
    uint64_t n = p->head.number;
    if (w->out ? p->head.kind != ROOM : p->head.kind != DATA && p->head.kind != MARK && p->head.kind != END)
        lost(w, "it sent a message of an unknown kind");
    switch (p->head.kind) {
    case DATA: {
        uint64_t room = (w->reported + w->edge->capacity) * w->edge->size - w->moved;
        if (w->ended || n == 0 || n > CHUNK_BYTES || n > room)
            lost(w, "it sent more elements than there is space for");
        p->body = n;
        break;
    }
    case MARK:
        if (n >= w->hops)
            lost(w, "it sent a mark of a path that does not contain the edge");
        p->body = sizeof p->mark;
        break;
    case END:
        if (w->ended || w->moved != n * w->edge->size)
            lost(w, "it ended the stream with a different number of elements than it had sent");
        break;
    default:
        if (n < w->reported || n > elements(w))
            lost(w, "it acknowledged an impossible number of elements");
    }
}

/* forward_mark forwards a mark to the reader. If the reader's queue is full, the next mark represents this mark too. */
static void forward_mark(struct way *w) {
    struct piece *p = &w->gets;
    size_t i = p->head.number;
    struct x_mark_queue *q = shared_at(w->hop[i]->offset);
    uint64_t n = atomic_load_explicit(&q->written, memory_order_relaxed);
    struct x_mark m = p->mark;
    m.origin -= clock_offset();
    m.weight += w->lost[i];
    if (n - atomic_load_explicit(&q->read, memory_order_acquire) >= w->hop[i]->slots) {
        w->lost[i] = m.weight;
        return;
    }
    w->lost[i] = 0;
    x_mark_queue_marks(q)[n % w->hop[i]->slots] = m;
    atomic_store_explicit(&w->control->marks, atomic_load_explicit(&w->control->marks, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    atomic_store_explicit(&q->written, n + 1, memory_order_release);
}

/* finish_piece is called when a piece is complete. */
static void finish_piece(struct way *w) {
    struct piece *p = &w->gets;
    switch (p->head.kind) {
    case MARK:
        forward_mark(w);
        break;
    case END:
        w->ended = true;
        atomic_store_explicit(&w->control->closed, 1, memory_order_release);
        edge_wake_reader(w->number, w->edge->capacity, &w->woken);
        break;
    case ROOM: {
        w->reported = p->head.number;
        atomic_store_explicit(&w->control->tail, w->reported, memory_order_release);
        uint64_t held = atomic_load_explicit(&w->control->head, memory_order_relaxed) - w->reported;
        edge_wake_writer(w->number, w->edge->capacity - held, &w->woken);
        break;
    }
    default:
        break;
    }
    *p = (struct piece){0};
}

/* count_received counts received bytes: first the bytes of the current piece, then the bytes of the next head. */
static void count_received(struct way *w, uint64_t n, struct head *behind) {
    struct piece *p = &w->gets;
    if (p->head_done < sizeof p->head) { /* nothing after the head was requested */
        p->head_done += n;
        if (p->head_done == sizeof p->head)
            read_head(w);
        n = 0;
    }
    uint64_t body = min64(n, p->body - p->body_done);
    p->body_done += body;
    if (p->head.kind == DATA && body > 0) {
        w->moved += body;
        atomic_store_explicit(&w->control->head, elements(w), memory_order_release);
    }
    if (p->head_done < sizeof p->head || p->body_done < p->body)
        return;
    n -= body;
    finish_piece(w);
    if (n > 0) {
        w->gets.head = *behind;
        w->gets.head_done = 0;
        count_received(w, n, NULL); /* only the head has arrived */
    }
}

/* receive reads the arrived data, with elements directly into the ring. It reports whether data arrived. */
static bool receive(struct way *w) {
    bool any = false;
    while (!w->finished) {
        struct piece *p = &w->gets;
        struct head behind;
        struct iovec parts[2];
        int n = 1;
        if (p->head_done < sizeof p->head) {
            parts[0] = (struct iovec){(uint8_t *)&p->head + p->head_done, sizeof p->head - p->head_done};
        } else {
            uint8_t *to = p->head.kind == MARK ? (uint8_t *)&p->mark + p->body_done : ring_at(w, w->moved);
            parts[0] = (struct iovec){to, p->body - p->body_done};
            parts[n++] = (struct iovec){&behind, sizeof behind};
        }
        ssize_t got = readv(w->fd, parts, n);
        if (blocked(w, got))
            break;
        if (got == 0) { /* the other host has closed it */
            if (!w->ended || p->head_done > 0)
                lost(w, "it was closed before the end of the stream");
            w->finished = true;
            return true;
        }
        any = true;
        count_received(w, (uint64_t)got, &behind);
    }
    if (any && !w->out) {
        uint64_t tail = atomic_load_explicit(&w->control->tail, memory_order_relaxed);
        edge_wake_reader(w->number, elements(w) - tail, &w->woken);
    }
    return any;
}

/* close_read ends an edge whose reader has ended or has consumed everything. */
static bool close_read(struct way *w) {
    bool done = atomic_load_explicit(&kernel_control(w->edge->to)->done, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&w->control->tail, memory_order_acquire);
    if (!w->ended || (!done && tail != elements(w)))
        return false;
    while (send_room(w, true)) {
    }
    if (w->sends.active)
        return false;
    shutdown(w->fd, SHUT_WR);
    w->finished = true;
    return true;
}

/* carry does all possible work for one edge, and reports whether there was any work. If all is set, it also
 * acknowledges the last released elements. */
static bool carry(struct way *w, bool all) {
    if (w->finished)
        return false;
    if (w->out) {
        bool any = receive(w);
        return send_out(w) || any;
    }
    bool any = receive(w);
    any = send_room(w, all) || any;
    return close_read(w) || any;
}

static bool carry_all(bool all) {
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = carry(&ways[i], all) || any;
    return any;
}

/* wake_others wakes sleeping processes that could continue, before this process sleeps. */
static void wake_others(void) {
    atomic_thread_fence(memory_order_seq_cst);
    for (size_t i = 0; i < count; i++) {
        struct way *w = &ways[i];
        uint64_t head = atomic_load_explicit(&w->control->head, memory_order_relaxed);
        uint64_t tail = atomic_load_explicit(&w->control->tail, memory_order_relaxed), at_once = 0;
        if (w->out && head - tail < w->edge->capacity)
            edge_wake_writer(w->number, w->edge->capacity, &at_once);
        if (!w->out && head != tail)
            edge_wake_reader(w->number, w->edge->capacity, &at_once);
    }
}

/* rest waits for a socket, the bell or the timeout. */
static void rest(int ms) {
    const int bell = x_processes[x_self].bell;
    struct x_process_control *c = process_control(x_self);
    size_t n = 0;
    polled[n++] = (struct pollfd){bell, POLLIN, 0};
    for (size_t i = 0; i < count; i++)
        if (!ways[i].finished)
            polled[n++] = (struct pollfd){ways[i].fd, (short)(POLLIN | (ways[i].sends.active ? POLLOUT : 0)), 0};
    atomic_fetch_add_explicit(&c->sleeps, 1, memory_order_relaxed);
    if (poll(polled, n, ms) > 0 && polled[0].revents) {
        uint64_t rung;
        (void)!read(bell, &rung, sizeof rung); /* it does not block, and the value is irrelevant */
    }
}

static bool all_over(void) {
    for (size_t i = 0; i < count; i++)
        if (!ways[i].finished)
            return false;
    return true;
}

void carry_run(void) {
    struct x_process_control *c = process_control(x_self);
    int ms = SLEEP_SHORT_MS;
    while (!all_over()) {
        if (carry_all(false)) {
            ms = SLEEP_SHORT_MS;
            continue;
        }
        wake_others();
        atomic_store_explicit(&c->sleeping, 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        bool any = carry_all(ms > SLEEP_SHORT_MS); /* arrived data; after a long sleep, also the last released
                                                    * elements */
        if (!any)
            rest(ms);
        atomic_store_explicit(&c->sleeping, 0, memory_order_relaxed);
        ms = any ? SLEEP_SHORT_MS : ms < SLEEP_LONG_MS ? 2 * ms : ms;
    }
    process_end();
}

#endif
