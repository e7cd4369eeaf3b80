/* guard.c: the checks of xopt deploy --guard. A kernel does not write to the ring, but to separate
 * memory. An inaccessible page starts directly after the last requested byte, and a canary precedes
 * the first requested byte. The elements are copied to the ring when they are sent. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include "internal.h"

#ifdef XRT_GUARD

enum { CANARY_BYTES = 256, CANARY = 0xb7 };

struct given {
    uint8_t *end;   /* start of the inaccessible page */
    uint8_t *front; /* start of the last requested elements, after the canary */
    uint8_t *at;    /* the first unsent element */
    uint64_t left;  /* number of elements from at */
};

static struct given *givens; /* by edge */

void guard_open(struct writer *w) {
    if (!givens)
        givens = process_alloc(x_edge_count, sizeof *givens);
    uint64_t bytes = (w->capacity * w->w.size + CANARY_BYTES + XRT_PAGE_BYTES - 1) / XRT_PAGE_BYTES * XRT_PAGE_BYTES;
    uint8_t *area = overrun_reserve(bytes, "a guarded buffer");
    if (mprotect(area, bytes, PROT_READ | PROT_WRITE) != 0)
        process_fail("out of memory for a guarded buffer");
    overrun_watch(area, bytes, w->edge, "the elements that it had requested space for");
    uint8_t *end = area + bytes;
    if (givens[w->edge].end) { /* the ring has grown; memory requested before stays valid */
        givens[w->edge].end = end;
        return;
    }
    givens[w->edge] = (struct given){.end = end, .front = end, .at = end};
    memset(end - CANARY_BYTES, CANARY, CANARY_BYTES);
}

/* look checks the canary. */
static void look(const struct writer *w, const struct given *g) {
    for (uint64_t i = 1; i <= CANARY_BYTES; i++)
        if (g->front[-(int64_t)i] != CANARY)
            overrun_fail(w->kernel,
                         "wrote before the start of the elements that it had requested, output %s (edge %s), "
                         "in its firing %llu or before",
                         x_edges[w->edge].out, x_edges[w->edge].name, (unsigned long long)overrun_firing(w->kernel));
}

void *x_reserve(struct x_output *port, size_t n) {
    struct x_writer *x = port->end;
    struct writer *w = (struct writer *)x;
    if (x->limit - x->head < n)
        x_await_room(x, n);
    struct given *g = &givens[w->edge];
    if (n <= g->left) /* the kernel may have written more than it now requests */
        return g->at;
    look(w, g);
    uint8_t *at = g->end - n * x->size;
    memmove(at, g->at, g->left * x->size);
    memset(at - CANARY_BYTES, CANARY, CANARY_BYTES);
    g->front = g->at = at;
    g->left = n;
    return at;
}

void x_send(struct x_output *port, size_t n) {
    struct x_writer *x = port->end;
    struct writer *w = (struct writer *)x;
    struct given *g = &givens[w->edge];
    if (n > x->limit - x->head)
        x_sends_too_many(x, n);
    look(w, g);
    uint64_t copied = n < g->left ? n : g->left;
    memcpy(x->at, g->at, copied * x->size);
    g->at += copied * x->size;
    g->left -= copied;
    x->head += n;
    x->at += n * x->size;
    if (x->at >= x->end)
        x->at -= x->bytes;
    if (x->head >= x->mark)
        x_sent(x, n);
}

#endif
