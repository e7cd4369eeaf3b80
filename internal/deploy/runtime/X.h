/* X.h: what every kernel may use. The typed functions of its ports stand in the
 * generated header of its block, X_<BLOCK>.h, which includes this file. */
#ifndef X_H
#define X_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X_fail ends the run with a message that names the kernel. */
void X_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* x_port is one port of one kernel. Kernels use the functions of their header. */
struct x_port;
size_t x_avail(struct x_port *port);             /* elements to read, contiguous */
const void *x_front(struct x_port *port);        /* the oldest of them, or NULL */
void x_release(struct x_port *port, size_t n);   /* done with the n oldest */
size_t x_room(struct x_port *port);              /* elements that can be written now */
void *x_reserve(struct x_port *port, size_t n);  /* room for n, contiguous; waits */
void x_send(struct x_port *port, size_t n);      /* send what was written there */
struct x_port *x_port_at(struct x_port *first, size_t i);

#ifdef __cplusplus
}
#endif

#endif
