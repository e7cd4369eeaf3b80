/* fused.c: edges between kernels of one process, in memory that is still in its cache.
 *
 * A ring cycles through all of its memory, and every edge has its own ring. Ten edges of 256 KiB use 2.5 MiB, which
 * fits in no near cache. An edge within one process has memory only while it has elements. Its writer uses the most
 * recently returned block, which is returned when the reader has released all elements. In a chain of kernels that
 * run one after the other, two blocks move from edge to edge and stay in the first-level cache.
 *
 * A block contains a batch. A kernel that sends more than a batch waits until its reader has consumed the block. If the
 * reader cannot do so, the content of the block moves to the ring, which has the size in the X files. For example, a
 * join may need more of one input before another input arrives. When the edge is empty, it returns to blocks. If a
 * reader itself waits for space, the writer waits for it, unless that space can depend on the writer's output. Without
 * this wait, a process that is faster than the next process would fill all of its rings, and read each from a farther
 * cache.
 *
 * A batch is limited in time, too. After each pass through the kernels, fused_pace adapts the batch to the time of the
 * pass. Therefore neither the latency nor the work at the end of a run depends on the service times.
 *
 * Addresses in kernels stay valid. An unreleased element stays where it is: a block that was left for a ring is
 * used again only when the edge is empty. Reserved space stays in place until it is sent (reserved), or until the
 * kernel requests space again. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include "internal.h"

#ifndef XRT_VIRTUAL

struct block {
    uint8_t *at;
    size_t watch;       /* index in the watch list of overrun.c */
    struct block *next; /* block that was freed before this one */
};

enum { FIRST_BYTES = 1024 }; /* first batch, before the time of a pass is known */

static struct block *spare; /* most recently freed block */
static uint64_t block_bytes;

static struct kernel *kernels; /* kernels of this process */
static size_t kernel_count;
static uint64_t batch_now, batch_least; /* bytes in a pass; batch_least: with fewer, a reader had too few elements */

/* in_batch returns the number of an edge's elements in a batch of some bytes. */
static uint64_t in_batch(const struct writer *w, uint64_t bytes) {
    uint64_t n = bytes / x_edges[w->edge].size;
    return min64(n > 0 ? n : 1, x_edges[w->edge].capacity);
}

/* fits returns the maximum number of an edge's elements per block; 0 if it stays on its ring. */
static uint64_t fits(const struct writer *w) {
    const struct x_edge *edge = &x_edges[w->edge];
    uint64_t batch = x_processes[x_self].batch;
    if (batch == 0 || !w->local || w->first->next || edge->loop >= 0 || edge->initial > 0 || edge->accept > 0)
        return 0;
    return in_batch(w, batch);
}

/* use_batch sets the number of bytes that pass through the kernels in one pass. */
static void use_batch(uint64_t bytes) {
    batch_now = bytes;
    for (size_t i = 0; i < kernel_count; i++) {
        for (size_t j = 0; j < kernels[i].outs; j++) {
            struct writer *w = kernels[i].out[j];
            if (w->fits > 0)
                w->shows = in_batch(w, bytes);
        }
        for (size_t j = 0; j < kernels[i].ins; j++) {
            struct reader *r = kernels[i].in[j];
            r->share = bytes > r->r.size ? bytes / r->r.size : 1;
        }
    }
}

void fused_pace(uint64_t took, uint64_t turns) {
    const uint64_t long_pass = pass_ticks(turns);
    if (took > long_pass && batch_now > batch_least)
        use_batch(batch_now / 2);
    else if (took < long_pass * 7 / 16 && batch_now < x_processes[x_self].batch)
        use_batch(min64(2 * batch_now, x_processes[x_self].batch));
}

uint64_t fused_batch(void) { return batch_now; }

void fused_open(struct kernel *all, size_t count) {
    kernels = all;
    kernel_count = count;
    batch_now = batch_least = x_processes[x_self].batch;
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
                fused_empty(kernels[i].out[j]);
    batch_least = 1;
    if (batch_now > 0)
        use_batch(batch_now > FIRST_BYTES ? FIRST_BYTES : batch_now);
#else
    (void)fits;
#endif
}

/* new_block returns the most recently returned block, or a new one. */
static struct block *new_block(void) {
    struct block *b = spare;
    if (b) {
        spare = b->next;
        return b;
    }
    b = process_alloc(1, sizeof *b);
    b->at = overrun_reserve(block_bytes, "a block");
    if (mprotect(b->at, block_bytes, PROT_READ | PROT_WRITE) != 0)
        process_fail("out of memory for a block of elements");
    b->watch = overrun_watch(b->at, block_bytes, 0, "its buffer");
    return b;
}

static void free_block(struct block *b) {
    b->next = spare;
    spare = b;
}

static uint64_t queued(const struct writer *w) { return w->w.head - w->local->r.tail; }

/* place moves both ends of an edge to other memory. It copies the elements there, including elements that the kernel
 * may have written to its space. */
static void place(struct writer *w, uint8_t *area, uint64_t bytes, uint64_t offset, uint64_t room) {
    struct reader *r = w->local;
    uint64_t there = queued(w) * w->w.size;
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

/* to_ring moves an edge to its ring. The block that it leaves is returned when the edge is empty, because the
 * reader may still have addresses in it. */
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

/* fused_empty returns the memory of an empty edge, unless its kernel may be writing to reserved space in it. The
 * kernel then has no space and must request it. */
void fused_empty(struct writer *w) {
    if (queued(w) > 0 || w->w.reserved > w->w.head)
        return;
    fence_take(w);
    w->w.limit = w->w.head;
    if (w->left)
        free_block(w->left);
    if (w->block)
        free_block(w->block);
    w->left = w->block = NULL;
}

/* fused_reserve reserves space for n elements if no waiting is necessary. */
bool fused_reserve(struct writer *w, uint64_t n) {
    if (queued(w) > 0)
        return w->block ? w->w.limit - w->w.head >= n : ring_room(w) >= n;
    if (n > w->fits || w->w.reserved > w->w.head + w->fits) {
        to_ring(w);
        return w->w.limit - w->w.head >= n;
    }
    if (w->left) { /* all addresses in it have been released */
        free_block(w->left);
        w->left = NULL;
    }
    struct block *b = w->block ? w->block : new_block();
    place(w, b->at, block_bytes, 0, n > w->shows ? n : w->shows);
    w->block = b;
    overrun_moves(b->watch, w->edge);
    fence_put(w);
    return true;
}

/* fused_room returns the number of elements that a waiting kernel could reserve. */
uint64_t fused_room(struct writer *w) {
    if (queued(w) == 0)
        return w->capacity;
    return w->w.limit - w->w.head;
}

/* fused_spill moves the edge of a kernel that waits for a block to its ring. It reports whether the kernel can
 * continue. */
bool fused_spill(struct kernel *k) {
    struct writer *w = k->waits;
    if (!w->block || w->capacity - queued(w) < k->need)
        return false;
    if (turn_can(w->local->kernel)) /* it consumes more of the block */
        return false;
    /* If the reader also waits for space, only output of this kernel on another edge could help it. */
    if (x_edges[w->edge].only && w->local->kernel->state == WAITS)
        return false;
    to_ring(w);
    if (batch_now < x_processes[x_self].batch) { /* a smaller block is too small for its reader */
        batch_least = min64(2 * batch_now, x_processes[x_self].batch);
        use_batch(batch_least);
    }
    return true;
}

/* fused_stop keeps an edge on its ring, which will grow. */
void fused_stop(struct writer *w) {
    if (w->fits == 0)
        return;
    to_ring(w);
    w->fits = 0;
}

#endif
