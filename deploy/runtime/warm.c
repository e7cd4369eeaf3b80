/* warm.c: edges between kernels of one process, in memory that is still in its cache.
 *
 * A ring goes on through all of its memory, and every edge has a ring of its own: ten edges of 256 KiB go through 2.5
 * MiB, which no near cache holds. An edge whose two kernels are in one process has memory only while it holds elements:
 * its writer takes the block that was given back last, and when its reader has released all, the block is given back.
 * In a chain of kernels that run one after the other, two blocks go from edge to edge, and stay in the first cache.
 *
 * A block holds a batch. A kernel that wants to send more waits until its reader has taken what is there. Where that
 * does not happen in the reader's next turn, what the block holds moves to the ring, which has room for as much as the X
 * files say: a join may need more of one input before anything comes on another. When an edge has run empty, it returns
 * to blocks. A reader that waits for space itself is waited for, where what it waits for cannot depend on what comes:
 * else a process that is faster than the next would fill all of its rings, and read each from a farther cache.
 *
 * What kernels know of addresses holds as before. An element that was not released stays where it is: a block that was
 * left for a ring is used again only when the edge is empty. What a kernel has room for stays where it is until it is
 * sent (reserved), or until the kernel asks again. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include "internal.h"

#ifndef XRT_VIRTUAL

struct block {
    uint8_t *at;
    size_t watch;       /* among what overrun.c watches */
    struct block *next; /* the one that was given back before it */
};

static struct block *spare; /* the one that was given back last */
static uint64_t block_bytes;

/* warm_fits is how many elements of an edge a block holds; 0 where it stays on its ring. */
static uint64_t fits(const struct writer *w) {
    const struct x_edge *edge = &x_edges[w->edge];
    uint64_t batch = x_processes[x_self].batch;
    if (batch == 0 || !w->local || w->first->next || edge->loop >= 0 || edge->initial > 0 || edge->take > 0)
        return 0;
    uint64_t n = batch / edge->size;
    return min64(n > 0 ? n : 1, edge->capacity);
}

void warm_open(struct kernel *kernels, size_t count) {
#if !defined(XRT_GUARD) && !defined(XRT_EXACT)
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < kernels[i].outs; j++) {
            struct writer *w = kernels[i].out[j];
            w->fits = fits(w);
            uint64_t bytes = w->fits * w->w.size + XRT_FENCE_BYTES;
            bytes = (bytes + XRT_PAGE_BYTES - 1) / XRT_PAGE_BYTES * XRT_PAGE_BYTES;
            if (w->fits > 0 && bytes > block_bytes)
                block_bytes = bytes;
        }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < kernels[i].outs; j++)
            if (kernels[i].out[j]->fits > 0)
                warm_empty(kernels[i].out[j]);
#else
    (void)kernels, (void)count, (void)fits;
#endif
}

/* take is the block that was given back last, or a new one. */
static struct block *take(void) {
    struct block *b = spare;
    if (b) {
        spare = b->next;
        return b;
    }
    b = process_alloc(1, sizeof *b);
    b->at = overrun_reserve(block_bytes, "a block");
    if (mprotect(b->at, block_bytes, PROT_READ | PROT_WRITE) != 0)
        process_fail("there is no memory for a block of elements");
    b->watch = overrun_watch(b->at, block_bytes, 0, "its buffer");
    return b;
}

static void give(struct block *b) {
    b->next = spare;
    spare = b;
}

static uint64_t held(const struct writer *w) { return w->w.head - w->local->r.tail; }

/* place has both ends of an edge go on in other memory, where what it holds is copied, with what the kernel may have
 * written to the room that it has. */
static void place(struct writer *w, uint8_t *area, uint64_t bytes, uint64_t offset, uint64_t room) {
    struct reader *r = w->local;
    uint64_t there = held(w) * w->w.size;
    uint64_t written = w->w.reserved > w->w.head ? (w->w.reserved - w->w.head) * w->w.size : 0;
    fence_take(w);
    if (there > 0 && area + offset != r->r.at)
        memmove(area + offset, r->r.at, there);
    uint8_t *at = area + offset + there;
    if (at >= area + bytes)
        at -= bytes;
    if (written > 0 && at != w->w.at)
        memmove(at, w->w.at, written);
    r->r.at = area + offset;
    r->r.end = w->w.end = area + bytes;
    r->r.bytes = w->w.bytes = bytes;
    w->w.at = at;
    w->w.limit = w->w.head + room;
}

/* to_ring has an edge go on in its ring. The block that it leaves is given back when the edge is empty, for the reader
 * may know addresses in it. */
static void to_ring(struct writer *w) {
    const struct x_edge *edge = &x_edges[w->edge];
    uint8_t *area = ring_area(w->edge, edge->data, edge->bytes);
    uint64_t tail = w->local->r.tail;
    place(w, area, edge->bytes, (tail + edge->first) * edge->size % edge->bytes, tail + w->capacity - w->w.head);
    if (w->block) {
        w->left = w->block;
        w->block = NULL;
    }
    fence_put(w);
}

/* warm_empty gives back the memory of an edge that is empty, unless its kernel has room there that it may be writing
 * to. The kernel then has no room, and asks. */
void warm_empty(struct writer *w) {
    if (held(w) > 0 || w->w.reserved > w->w.head)
        return;
    fence_take(w);
    w->w.limit = w->w.head;
    if (w->left)
        give(w->left);
    if (w->block)
        give(w->block);
    w->left = w->block = NULL;
}

/* warm_reserve gives a kernel room for n elements, if that needs no waiting. */
bool warm_reserve(struct writer *w, uint64_t n) {
    if (held(w) > 0)
        return w->block ? w->w.limit - w->w.head >= n : ring_room(w) >= n;
    if (n > w->fits || w->w.reserved > w->w.head + w->fits) {
        to_ring(w);
        return w->w.limit - w->w.head >= n;
    }
    if (w->left) { /* nobody knows addresses in it any more */
        give(w->left);
        w->left = NULL;
    }
    struct block *b = w->block ? w->block : take();
    place(w, b->at, block_bytes, 0, w->fits);
    w->block = b;
    overrun_moves(b->watch, w->edge);
    fence_put(w);
    return true;
}

/* warm_room is how many elements a kernel that waits could be given. */
uint64_t warm_room(struct writer *w) {
    if (held(w) == 0)
        return w->capacity;
    return w->w.limit - w->w.head;
}

/* warm_spill gives a kernel that waits for a block the room of the ring, and reports whether it can go on now. */
bool warm_spill(struct kernel *k) {
    struct writer *w = k->waits;
    if (!w->block || w->capacity - held(w) < k->need)
        return false;
    /* Where the reader waits for space itself, nothing that this kernel sends helps it, unless it goes another way. */
    if (x_edges[w->edge].only && w->local->kernel->state == WAITS)
        return false;
    to_ring(w);
    return true;
}

/* warm_stop has an edge stay on its ring: it is about to grow. */
void warm_stop(struct writer *w) {
    if (w->fits == 0)
        return;
    to_ring(w);
    w->fits = 0;
}

#endif
