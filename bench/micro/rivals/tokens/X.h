/* X.h: the functions of xopt that kernels use, for frameworks that move tokens from kernel to kernel. The functions
 * operate on the buffers of tokens. They are the functions of xopt's own X.h, so that the same sources compile with
 * the same generated headers of their blocks. */
#ifndef X_H
#define X_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X_fail ends the program with a message. */
void X_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

struct x_input { /* a token's data for an input port */
    const char *at;
    size_t left, size; /* remaining elements; bytes per element */
};

struct x_output { /* a token's data of an output port */
    char *data;
    size_t sent, room, size; /* elements; bytes per element */
    uint64_t before;         /* elements in earlier tokens */
};

void x_grow(struct x_output *port, size_t n);

static inline size_t x_avail(const struct x_input *port) { return port->left; }

static inline const void *x_front(const struct x_input *port) { return port->left > 0 ? port->at : NULL; }

static inline void x_release(struct x_input *port, size_t n) {
    if (n > port->left)
        X_fail("a kernel released %zu elements, but only %zu are available", n, port->left);
    port->at += n * port->size;
    port->left -= n;
}

static inline size_t x_room(const struct x_output *port) { return port->room - port->sent; }

static inline void *x_reserve(struct x_output *port, size_t n) {
    if (n > port->room - port->sent)
        x_grow(port, n);
    return port->data + port->sent * port->size;
}

static inline void x_send(struct x_output *port, size_t n) { port->sent += n; }

static inline uint64_t x_firing(const struct x_output *port) { return port->before + port->sent; }

static inline uint64_t x_firings(const struct x_output *port) {
    (void)port;
    return UINT64_MAX;
}

#ifdef __cplusplus
}
#endif
#endif
