/* xrt.h: what the generated main.c, the runtime and the supervisor agree on. The
 * supervisor knows the layout of the structures in shared memory by offset. */
#ifndef XRT_H
#define XRT_H

#include <stdatomic.h>
#include <stdbool.h>
#include "X.h"

/* In shared memory. Each cache line has one writer, and so has each pair of lines that a
 * processor fetches together; what one process alone writes often (the ends of its edges,
 * the counters of its kernels) lies in pages of its own, for processors fetch ahead within
 * a page. Times are in ticks of the clock in clock.h. */

enum { X_MESSAGE = 320 };

/* How the runtime ends a process: its kernel has called X_fail; it has written or read
 * where it may not; what others show of themselves cannot be. The message says more. */
enum { X_EXIT_FAILED = 3, X_EXIT_OVERRUN = 4 };

/* X_FENCE stands behind the last element that a writer has room for (overrun.c). */
#define X_FENCE 0xc3a5e97bd1f08d6bu

struct x_run_control { /* 128 bytes */
    _Atomic uint32_t start; /* set by the supervisor when all processes are ready */
    char pad[60];
    _Atomic uint32_t frame; /* the time frame that taps count into */
    _Atomic uint32_t over;  /* a virtual run has reached its limit */
    _Atomic uint64_t now;   /* of a virtual run, in ps */
    _Atomic uint32_t ended; /* time frames that have ended in it */
    uint32_t unused;
    uint64_t limit, length; /* of it, and of a time frame, in ps; 0 for none */
    char pad2[24];
};

struct x_process_control { /* 640 bytes */
    char pad[64];
    _Atomic uint32_t ready, done;
    _Atomic int32_t kernel; /* whose code is running, -1 for none */
    _Atomic uint32_t resolution; /* of the clock: ticks from one reading to the next */
    /* The clock against CLOCK_MONOTONIC in ns: twice at the start, and at the end, which
     * counts once done is set. */
    _Atomic uint64_t tick0, ns0, tick1, ns1, tick2, ns2;
    _Atomic uint64_t sleeps;
    char pad3[56];
    char message[X_MESSAGE]; /* of X_fail */
    _Alignas(128) _Atomic uint32_t sleeping; /* read by other processes, as is doorbell */
    _Atomic uint32_t doorbell;
};

struct x_kernel_control { /* 64 bytes */
    _Atomic uint64_t calls, busy; /* busy without waiting for room */
    _Atomic uint32_t done;
    char pad[44];
};

struct x_ring_control { /* 256 bytes */
    _Alignas(128) _Atomic uint64_t head; /* elements ever sent */
    _Atomic uint64_t waits;             /* times that the writer found no room */
    _Atomic uint64_t blocked;           /* how long it has waited then */
    _Atomic uint64_t blocked_since;     /* 0 when it does not wait */
    _Atomic uint32_t closed;
    _Atomic uint64_t marks;             /* marks put on elements */
    _Alignas(128) _Atomic uint64_t tail; /* elements ever released */
    _Atomic uint64_t held;              /* in a virtual run: elements times ps, and the most */
    _Atomic uint64_t most;
};

struct x_mark { /* an element whose latency is taken */
    uint64_t index;  /* on the edge */
    uint64_t origin; /* when it, or what it was made from, entered the path */
    double weight;   /* elements that it stands for */
};

struct x_mark_queue { /* 128 bytes, then marks; from the writer of an edge to its reader */
    _Alignas(64) _Atomic uint64_t written;
    _Alignas(64) _Atomic uint64_t read;
};

struct x_tap_control { /* 128 bytes, then slots, then the trace, or what is recorded */
    _Alignas(64) _Atomic uint64_t traced; /* entries ever written; elements recorded */
    _Atomic uint64_t lost;                /* entries that found the trace full */
    _Atomic uint64_t latest;              /* bits of the value sampled last */
    _Atomic uint32_t known;               /* whether there is one */
    _Alignas(64) _Atomic uint64_t drained; /* entries read by the supervisor */
};

struct x_tap_slot { /* 80 bytes, then the bins; what was measured in one frame */
    _Atomic uint64_t frame; /* its number plus one */
    uint64_t samples;
    double weight; /* elements that the samples stand for */
    double sum, squares, min, max;
    double below, above; /* weight outside the bins */
    uint64_t unused;
};

struct x_trace { /* 24 bytes */
    uint64_t index, tick;
    double value;
};

/* Generated. */

enum x_wait { X_BLOCK, X_SPIN_BLOCK, X_SPIN, X_YIELD };

struct x_process {
    const char *name;
    int cpu; /* -1 for any */
    enum x_wait wait;
    int policy; /* SCHED_OTHER and so on */
};

enum x_type { X_U8, X_U16, X_U32, X_U64, X_S8, X_S16, X_S32, X_S64, X_F32, X_F64, X_F128 };

struct x_edge {
    const char *name;
    uint64_t control, data, reader, writer; /* offsets in shared memory: counts, elements, the two ends */
    uint64_t bytes;         /* of the data area, whole pages */
    uint64_t capacity;      /* elements that may be in it */
    uint64_t size;          /* bytes of an element */
    enum x_type type;
    int from, to;         /* kernels */
    const char *out, *in; /* their ports */
    int ring;             /* the edge whose data area this has: the first that leaves the same port */
};

struct x_port {
    const int *edges;
    size_t count;
    uint32_t firing; /* of an input: elements that a firing takes; 0 where they do not count firings: they
                        follow another port of their join, or are sent once */
    bool once;  /* of an input: sent at the start only, no work of the kernel's */
};

struct x_kernel {
    const char *name;
    uint64_t control; /* offset in shared memory */
    int process;
    bool source;
    void *instance;
    void (*init)(void *), (*push)(void *), (*drain)(void *), (*destroy)(void *);
    int (*go)(void *);
    struct x_input *inputs;
    const struct x_port *in;
    size_t ins;
    struct x_output *outputs;
    const struct x_port *out;
    size_t outs;
};

enum x_tap_kind { X_OCCUPANCY, X_LATENCY, X_VALUE, X_SERVICE, X_BOUNDARY, X_SENT, X_TAKEN, X_RECORD };

/* A condition is a program in postfix over a stack of numbers; NaN is unknown. */
enum x_op { X_NUMBER, X_HELD, X_WAITING, X_RUNNING, X_LATEST, X_THIS, X_LESS, X_LESS_EQUAL, X_EQUAL, X_NOT, X_AND, X_OR };

struct x_step {
    enum x_op op;
    int object; /* an edge, kernel or tap */
    double number;
};

struct x_tap {
    enum x_tap_kind kind;
    int object;     /* an edge; for X_SERVICE a kernel */
    uint64_t every; /* take one element in so many; 0: as many as are cheap */
    uint64_t frame; /* elements of a data frame; 0 for time frames */
    bool log;       /* bins four to an octave, else linear */
    double low, width;
    uint32_t bins, slots, trace;
    uint64_t offset; /* in shared memory */
    uint32_t when, steps; /* the condition on samples, in x_steps; no steps for none */
};

struct x_hop { /* one edge of a path whose latency is taken */
    int edge, tap;
    int next;        /* the hop that follows, -1 at the end of the path */
    bool first;
    uint32_t slots;  /* of its queue */
    uint64_t offset; /* in shared memory */
};

/* Of a virtual run: how its machine is made. */

struct x_service { /* of a kernel on a core */
    int core;    /* -1 on an FPGA */
    double byte; /* ps for a byte in (a source: out), drawn; 0 to take the time that it takes */
    double scv;  /* of a firing */
};

struct x_link {
    double byte;       /* ps for a byte */
    double cost;       /* ps for a transfer */
    uint64_t transfer; /* bytes of one; 0 for an element */
};

struct x_route { /* the links that an edge crosses, in order */
    const int *links;
    size_t count;
    bool inside; /* an FPGA: nobody else takes part */
};

struct x_federate { /* 64 bytes in shared memory, and a process of its own */
    _Atomic uint64_t until, done; /* cycles: asked for, and simulated */
    _Atomic uint32_t stop;
    char pad[44];
};

struct x_fpga {
    int process;
    double period; /* ps */
    uint64_t offset; /* of its x_federate */
};

struct x_machine {
    size_t cores, links, fpgas;
    uint64_t quantum;      /* cycles between exchanges with an FPGA */
    uint64_t seed;
};

extern const struct x_machine x_machine;
extern const struct x_service x_services[];
extern const struct x_link x_links[];
extern const struct x_route x_routes[];
extern const struct x_fpga x_fpgas[];

extern const struct x_process x_processes[];
extern const size_t x_process_count;
extern const struct x_edge x_edges[];
extern const size_t x_edge_count;
extern const struct x_kernel x_kernels[];
extern const size_t x_kernel_count;
extern const struct x_tap x_taps[];
extern const size_t x_tap_count;
extern const struct x_step x_steps[];
extern const struct x_hop x_hops[];
extern const size_t x_hop_count;
extern const uint64_t x_shared_bytes, x_process_offset;

_Static_assert(sizeof(struct x_run_control) == 128, "layout");
_Static_assert(sizeof(struct x_process_control) == 640, "layout");
_Static_assert(sizeof(struct x_kernel_control) == 64, "layout");
_Static_assert(sizeof(struct x_ring_control) == 256, "layout");
_Static_assert(sizeof(struct x_federate) == 64, "layout");
_Static_assert(sizeof(struct x_mark_queue) == 128 && sizeof(struct x_mark) == 24, "layout");
_Static_assert(sizeof(struct x_tap_control) == 128, "layout");
_Static_assert(sizeof(struct x_tap_slot) == 80, "layout");
_Static_assert(sizeof(struct x_trace) == 24, "layout");
_Static_assert(offsetof(struct x_reader, tail) == 16, "layout");
_Static_assert(offsetof(struct x_writer, head) == 16, "layout");
_Static_assert(offsetof(struct x_writer, limit) == 24 && offsetof(struct x_writer, fenced) == 56, "layout");

#endif
