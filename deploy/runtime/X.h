/* X.h: the interface for kernels. The typed functions of its ports are in the generated header of its block,
 * X_<BLOCK>.h, which includes this file. Names of blocks become X_<BLOCK>…. The names here start with x_ or XRT_,
 * except X_fail. */
#ifndef XRT_KERNEL_H
#define XRT_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include "ends.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x_float128 is a 128-bit number. Compilers without __float128, such as compilers for ARM, have long double instead. */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 x_float128;
#else
typedef long double x_float128;
#endif

/* X_fail ends the run with a message that names the kernel. */
void X_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* The generated header uses the declarations below. The functions are in this file for inlining: on the usual path
 * they access only the kernel's own end of the edge. */

struct x_input { /* input port: one end, or several that it reads in turn */
    struct x_reader *now, **ends;
    size_t count;
};

struct x_output {
    struct x_writer *end;
    uint64_t firing; /* for a source: head plus firing is the number of the next firing */
    uint64_t last;   /* for a copied source: firing at which its turn ends */
};

size_t x_next_end(struct x_input *port);
#ifdef XRT_EVENTS /* the run records events (events.c) */
void x_looked(struct x_reader *r);
void x_testpoint(unsigned point, unsigned points);
#endif
void x_released(struct x_reader *r, uint64_t n);
void x_sent(struct x_writer *w, uint64_t n);
void x_await_room(struct x_writer *w, uint64_t n);
size_t x_room(const struct x_output *port);
void x_releases_too_many(const struct x_reader *r, uint64_t n) __attribute__((noreturn, cold));
void x_sends_too_many(const struct x_writer *w, uint64_t n) __attribute__((noreturn, cold));

static inline uint64_t x_firing(const struct x_output *port) { return port->end->head + port->firing; }

static inline uint64_t x_firings(const struct x_output *port) { return port->last - x_firing(port); }

static inline size_t x_avail(struct x_input *port) {
    const struct x_reader *r = port->now;
    size_t n = (size_t)(r->visible - r->tail);
    return n > 0 || port->count == 1 ? n : x_next_end(port);
}

static inline const void *x_front(struct x_input *port) {
    if (x_avail(port) == 0)
        return NULL;
#ifdef XRT_EVENTS
    x_looked(port->now);
#endif
    return port->now->at;
}

static inline void x_release(struct x_input *port, size_t n) {
    struct x_reader *r = port->now;
    if (n > r->visible - r->tail)
        x_releases_too_many(r, n);
    r->tail += n;
    r->at += n * r->size;
    if (r->at >= r->end)
        r->at -= r->bytes;
    if (r->tail >= r->mark)
        x_released(r, n);
}

#ifdef XRT_GUARD /* elements are in separate memory (guard.c) */
void *x_reserve(struct x_output *port, size_t n);
void x_send(struct x_output *port, size_t n);
#else
static inline void *x_reserve(struct x_output *port, size_t n) {
    struct x_writer *w = port->end;
    if (w->limit - w->head < n)
        x_await_room(w, n);
    w->reserved = w->head + n;
    return w->at;
}

static inline void x_send(struct x_output *port, size_t n) {
    struct x_writer *w = port->end;
    if (n > w->limit - w->head)
        x_sends_too_many(w, n);
    w->head += n;
    w->at += n * w->size;
    if (w->at >= w->end)
        w->at -= w->bytes;
    if (w->head >= w->mark)
        x_sent(w, n);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
