/* xrt.h: what the generated main.c and the runtime share. The layout of the
 * structures in shared memory is known to the supervisor too. */
#ifndef XRT_H
#define XRT_H

#include <stdatomic.h>
#include <stdbool.h>
#include "X.h"

/* In shared memory. */

enum { X_MESSAGE = 400 };

struct x_run_control { /* 64 bytes */
    _Atomic uint32_t start; /* set by the supervisor when all processes are ready */
    char pad[60];
};

struct x_process_control { /* 512 bytes */
    _Atomic uint32_t ready, sleeping, doorbell, done;
    _Atomic int32_t kernel;   /* whose code is running, -1 for none */
    _Atomic uint32_t waiting; /* that kernel waits for room */
    char pad[512 - 24 - X_MESSAGE];
    char message[X_MESSAGE]; /* of X_fail */
};

struct x_kernel_control { /* 64 bytes */
    _Atomic uint64_t calls, busy; /* busy in ns, without waiting for room */
    _Atomic uint32_t done;
    char pad[44];
};

struct x_ring_control { /* 192 bytes */
    _Alignas(64) _Atomic uint64_t head; /* bytes ever written; the producer's */
    _Atomic uint64_t waits;             /* times that it found no room */
    _Alignas(64) _Atomic uint64_t tail; /* bytes ever released; the consumer's */
    _Alignas(64) _Atomic uint32_t closed;
};

/* Generated. */

struct x_edge {
    uint64_t control, data; /* offsets in shared memory */
    uint64_t ring;          /* bytes of the data area, a power of two */
    uint64_t limit;         /* bytes that may be in it */
    uint32_t element;       /* bytes */
    int producer, consumer; /* processes */
};

struct x_kernel {
    const char *name;
    int process;
    bool source;
    void *instance;
    void (*init)(void *), (*push)(void *), (*drain)(void *), (*destroy)(void *);
    int (*go)(void *);
    struct x_port *in, *out;
    size_t ins, outs;
};

struct x_port {
    const int *edges; /* indices */
    size_t count;     /* an input may have several */
    size_t current;   /* the edge that the front element is on */
};

extern const struct x_edge x_edges[];
extern const size_t x_edge_count;
extern struct x_kernel x_kernels[];
extern const size_t x_kernel_count;
extern const size_t x_process_count;
extern const uint64_t x_shared_bytes, x_process_offset, x_kernel_offset;

#endif
