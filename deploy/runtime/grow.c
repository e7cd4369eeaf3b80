/* grow.c: rings that become larger while the application runs.
 *
 * The supervisor assigns another area of shared memory to a ring, or more elements in its current area, and counts the
 * change in grow. The writer switches to it only when it waits for space: the kernel then requests space again, and
 * receives another address. The writer publishes the first element in the new area. Each reader follows when it next
 * checks for elements: it copies the unreleased elements in front of that element, so that all elements are contiguous.
 * In every area, element i of an edge is at byte (first + i) * size, modulo the bytes of the area. Therefore no two
 * copies overlap. Areas stay mapped: a kernel's pointers stay valid. Without growth, the cost for a reader is one check
 * of a line that it has just read.
 *
 * A new value of look requests a check whether every kernel waits. An idle process checks again whether its kernels
 * can continue, and answers with this value. If all processes have answered, and no process has continued since
 * before the question, no process ever will. */
#define _GNU_SOURCE
#include <string.h>
#include "internal.h"

/* Idle processes. */

static uint32_t idle, answered;

static void show_idle(void) { atomic_store_explicit(&process_control(x_self)->idle, idle, memory_order_release); }

void idle_begins(void) {
    if (idle % 2 == 0) {
        idle++;
        show_idle();
    }
}

/* idle_ends must precede any change that other processes can see. */
void idle_ends(void) {
    if (idle % 2 == 1) {
        idle++;
        show_idle();
    }
}

uint32_t idle_asked(void) { return atomic_load_explicit(&run_control()->look, memory_order_acquire); }

bool idle_unanswered(uint32_t look) { return look != answered; }

/* idle_changes must be called when an idle process changes something for which other processes wait. */
void idle_changes(void) {
    if (idle % 2 == 1) {
        idle += 2;
        show_idle();
    }
}

void idle_answers(uint32_t look, struct kernel *kernels, size_t count) {
    if (look == answered)
        return;
    answered = look;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < kernels[i].ins; j++)
            grow_look(kernels[i].in[j]);
    atomic_store_explicit(&process_control(x_self)->looked, look, memory_order_release);
}

/* Rings. */

/* publish announces the new positions of the elements to the reader of an edge. */
static void publish(const struct writer *w) {
    struct x_ring_control *c = w->control;
    atomic_store_explicit(&c->area_offset, atomic_load_explicit(&c->grow_offset, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&c->area_bytes, w->w.bytes, memory_order_relaxed);
    atomic_store_explicit(&c->area_from, w->w.head, memory_order_relaxed);
    atomic_store_explicit(&c->area_capacity, w->capacity, memory_order_relaxed);
    atomic_store_explicit(&c->area, w->area, memory_order_release);
}

/* grow_take moves a port to the memory that the supervisor has assigned. w is its first writer. */
void grow_take(struct writer *w) {
    struct x_ring_control *c = w->control;
    uint32_t grow = atomic_load_explicit(&c->grow, memory_order_acquire);
    if (grow == w->area)
        return;
    fused_stop(w);
    uint64_t bytes = atomic_load_explicit(&c->grow_bytes, memory_order_relaxed);
    bool moves = bytes != w->w.bytes;
    uint8_t *area = w->w.end - w->w.bytes, *at = w->w.at;
    if (moves) {
        fence_take(w);
        area = ring_area(w->edge, atomic_load_explicit(&c->grow_offset, memory_order_relaxed), bytes);
        at = area + (w->w.head + x_edges[w->edge].first) * w->w.size % bytes;
        memcpy(at, w->w.at, (w->w.limit - w->w.head) * w->w.size); /* the kernel may have written to it */
    }
    for (struct writer *x = w; x; x = x->next) {
        if (x->published != x->w.head)
            edge_show(x);
        x->w.at = at;
        x->w.end = area + bytes;
        x->w.bytes = bytes;
        x->area = grow;
        x->capacity = atomic_load_explicit(&x->control->grow_capacity, memory_order_relaxed);
        x->max = ring_batch(x->edge, x->capacity, x->local != NULL);
        publish(x);
    }
    if (moves)
        fence_put(w);
#ifdef XRT_GUARD
    guard_open(w);
#endif
}

void grow_follow(struct reader *r, uint32_t area) {
    struct x_ring_control *c = r->control;
    uint64_t bytes = atomic_load_explicit(&c->area_bytes, memory_order_relaxed);
    if (bytes != r->r.bytes) {
        uint64_t unread = atomic_load_explicit(&c->area_from, memory_order_relaxed) - r->r.tail;
        uint8_t *to = ring_area(r->edge, atomic_load_explicit(&c->area_offset, memory_order_relaxed), bytes);
        uint8_t *at = to + (r->r.tail + x_edges[r->edge].first) * r->r.size % bytes;
        if (!r->local && x_edges[r->edge].ring == r->edge)
            near_reader(to, bytes);
        memcpy(at, r->r.at, unread * r->r.size);
        r->r.at = at;
        r->r.end = to + bytes;
        r->r.bytes = bytes;
    }
    r->capacity = atomic_load_explicit(&c->area_capacity, memory_order_relaxed);
    r->max = ring_batch(r->edge, r->capacity, r->local != NULL);
    r->area = area;
    atomic_store_explicit(&c->follows, area, memory_order_release);
}
