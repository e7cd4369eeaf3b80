/* hot.h: inline functions for every turn of a kernel. If a message is as large as the first-level cache, only one
 * or two messages pass in a turn. Calls between files would then take as long as copying such a message. */
#ifndef HOT_H
#define HOT_H

#include <stdio.h>
#include <string.h>

/* speech.c: text that a kernel has started to print belongs to it, even if another kernel runs next. */
void speech_flush(void);

static inline void speech_ends(void) {
#ifdef __GLIBC__
    /* Like __fpending, which returns another number for wide characters; speech_flush determines it. */
    if (stdout->_IO_write_ptr != stdout->_IO_write_base || stdout->_mode > 0)
        speech_flush();
#endif
}

#ifndef XRT_VIRTUAL /* edge.h: the ends of an edge on this machine; edge_native.c contains the rest */

static inline uint64_t edge_head(const struct reader *r) {
    return r->local ? r->local->w.head : atomic_load_explicit(&r->control->head, memory_order_acquire);
}

uint64_t edge_tail_back(const struct writer *w);

static inline uint64_t edge_tail(const struct writer *w) {
    if (w->back)
        return edge_tail_back(w);
    return w->local ? w->local->r.tail : atomic_load_explicit(&w->control->tail, memory_order_acquire);
}

static inline bool edge_closed(const struct reader *r) {
    if (r->local && !r->back)
        return r->local->kernel->state == ENDED;
    return atomic_load_explicit(&r->control->closed, memory_order_acquire);
}

#endif

/* overrun.c: the fence after the last element for which a writer has space. */

static inline uint8_t *fence_at(const struct writer *w) { return w->w.at + (w->w.limit - w->w.head) * w->w.size; }

static inline void fence_put(struct writer *w) {
    const uint64_t value = XRT_FENCE;
    uint8_t *at = fence_at(w);
    memcpy(&w->under, at, sizeof w->under);
    memcpy(at, &value, sizeof value);
    __asm__ volatile("" ::: "memory"); /* if this process is killed, the supervisor finds a consistent state */
    w->w.fenced = w->block ? XRT_FENCED_BLOCK : XRT_FENCED_RING;
}

static inline void fence_take(struct writer *w) {
    uint64_t found;
    if (!w->w.fenced)
        return;
    if (w->w.limit - w->w.head > w->capacity)
        process_fail("the counters of its output were overwritten");
    uint8_t *at = fence_at(w);
    memcpy(&found, at, sizeof found);
    if (found != XRT_FENCE)
        overrun_fenced(w);
    w->w.fenced = 0;
    __asm__ volatile("" ::: "memory");
    memcpy(at, &w->under, sizeof w->under);
}

/* turn_can reports whether a turn of a kernel may have work. */
static inline bool turn_can(const struct kernel *k) {
    if (k->state == ENDED)
        return false;
    if (k->state == WAITS)
        return ring_room(k->waits) >= k->need;
    if (k->spec->source)
        return !copies_wait(k) || copies_news(k);
    if (k->again || (k->copies && copies_news(k)))
        return true;
    bool ended = true;
    for (size_t i = 0; i < k->ins; i++) {
        ended = edge_closed(k->in[i]) && ended;
        if (edge_head(k->in[i]) != k->in[i]->seen)
            return true;
    }
#ifdef XRT_VIRTUAL /* a turn without work takes no time, so a waiting kernel gets no turn until something changes */
    if (copies_wait(k))
        return false;
#endif
    return ended;
}

#endif
