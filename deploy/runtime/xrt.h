/* xrt.h: the interface between the generated main.c and the runtime. The contents of shared memory are
 * in layout.h, which the supervisor and the simulations of FPGAs share. */
#ifndef XRT_H
#define XRT_H

#include <stdbool.h>
#include "X.h"
#include "layout.h"

/* Generated. */

enum x_wait { XRT_BLOCK, XRT_SPIN_BLOCK, XRT_SPIN, XRT_YIELD };

struct x_process {
    const char *name;
    int cpu; /* -1 for any */
    enum x_wait wait;
    int policy; /* SCHED_OTHER and so on */
    uint64_t batch; /* bytes that pass through its kernels before the next, which are fused; 0: sinks come first */
    bool carries; /* it has no kernels, and carries edges to other hosts (carry.c) */
    int bell;     /* file descriptor of the eventfd that wakes it; 0 where a futex does */
};

enum x_type { XRT_U8, XRT_U16, XRT_U32, XRT_U64, XRT_S8, XRT_S16, XRT_S32, XRT_S64, XRT_F32, XRT_F64, XRT_F128 };

struct x_edge {
    const char *name;
    uint64_t control, data, reader, writer; /* offsets in shared memory: counts, elements, the two ends */
    uint64_t bytes;         /* of the data area, complete pages */
    uint64_t capacity;      /* elements that may be in it */
    uint64_t size;          /* bytes of an element */
    enum x_type type;
    int from, to;         /* kernels */
    const char *out, *in; /* their ports */
    int ring;             /* the edge whose data area this has: the first that leaves the same port */
    uint64_t initial, first; /* elements that it holds at the start; where the first lies, in elements */
    int loop;                /* of x_loops that both of its kernels belong to; -1 for none */
    bool back;               /* of a loop, with initial elements: it ends when the loop rests */
    /* For an edge between hosts: the processes that read its ring on the writer's host and write that on
     * the reader's, with the file descriptors of their sockets. 0 means none: a carrier is never the first
     * process. */
    int out_carrier, in_carrier, out_fd, in_fd;
    uint64_t batches;        /* offset of the queue of a copy's batches; 0 for none */
    uint64_t counted;        /* or how many elements each of its batches has, by declaration; 0 where it tells */
    uint32_t take;           /* where a stream divides among copies: elements of a firing; else 0 */
    bool only;               /* there is no other way from one of its kernels to the other */
};

struct x_copy { /* one of several copies of a kernel */
    int self;
    const int *turns; /* the copy that takes each batch of a round */
    size_t round;
    uint64_t batch; /* firings of a batch, of the kernel where the stream divides */
    bool keyed;     /* there, keys select copies */
    int key;        /* of that kernel: the input with the keys; -1 for others */
    bool plain;     /* it takes from its own copy, or nothing, and all of its edges are counted */
};

struct x_loop { /* kernels that all reach each other */
    const int *edges; /* all that lead to them, also from outside */
    size_t edge_count;
    const int *kernels;
    size_t kernel_count;
};

struct x_port {
    const int *edges;
    size_t count;
    uint32_t firing; /* of an input: elements that a firing consumes; 0 where they do not count firings: they
                      * follow another port of their join, or are sent once. Of an output of a source:
                      * elements that a firing sends; 0 where another port or its calls count firings */
    uint32_t join;   /* of an input: the join that it is in, from 1; 0 for none */
    bool once;  /* of an input: sent at the start only, no work of the kernel's */
};

struct x_kernel {
    const char *name;
    uint64_t control; /* offset in shared memory */
    int process;
    bool source;
    bool by_call; /* a source with several outputs: the output of a call belongs together */
    int loop; /* that it belongs to; -1 for none */
    size_t point; /* its first testpoint among those of all kernels */
    void *instance;
    void (*init)(void *), (*push)(void *), (*drain)(void *), (*destroy)(void *);
    int (*go)(void *);
    struct x_input *inputs;
    const struct x_port *in;
    size_t ins;
    struct x_output *outputs;
    const struct x_port *out;
    size_t outs;
    const struct x_copy *copy; /* NULL where there is one */
};

enum x_tap_kind { XRT_OCCUPANCY, XRT_LATENCY, XRT_VALUE, XRT_SERVICE, XRT_BOUNDARY, XRT_SENT, XRT_TAKEN, XRT_RECORD,
                  XRT_GAP, XRT_BUSY, XRT_AHEAD, XRT_BEHIND, XRT_SIGNAL, XRT_PACKETBYTES, XRT_PACKETTIME };

struct x_step {
    enum x_op op;
    int object; /* an edge, kernel or tap */
    double number;
};

struct x_tap {
    enum x_tap_kind kind;
    int object;     /* an edge; for XRT_SERVICE a kernel; for packets the first edge */
    uint64_t every; /* sample one element in so many; 0: a cheap rate */
    uint64_t frame; /* elements of a data frame; 0 for time frames */
    bool log;       /* bins four to an octave, else linear */
    bool counts;    /* bins of numbers of elements: exact below 64, then sixteen to an octave */
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

struct x_packet_tap { /* a tap on the packets of an edge on one of the links of its route */
    int tap, edge, hop;
};

/* The machine of a virtual run. */

struct x_service { /* of a kernel on a core */
    int core;    /* -1 on an FPGA */
    double byte; /* ps for a byte in (a source: out), drawn; 0 to take the time that it takes */
    double scv;  /* of a firing */
    uint64_t times, count; /* of firings in another run, ps each: offset in shared memory, and number; used in
                            * order, and again from the start. 0 for none */
};

struct x_link {
    double byte;       /* ps for a byte */
    double cost;       /* ps for a transfer */
    uint64_t transfer; /* bytes of one; 0 for an element */
    double latency;    /* ps from its end to the arrival of its data */
    double jitter;     /* ps that it may come later, drawn evenly */
    double flush;      /* ps after which one goes that is not full; 0 for never */
};

struct x_route { /* the links that an edge crosses, in order */
    const int *links;
    size_t count;
    bool inside;  /* an FPGA: nobody else takes part */
    double share; /* the part of the elements that cross: not those for other copies of the reader */
    uint64_t packets; /* offset of the x_packets of each of the links */
};

struct x_fpga {
    int process;
    double period, phase; /* ps, of a cycle, and before the first */
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
extern const struct x_loop x_loops[];
extern const size_t x_loop_count;
extern const struct x_kernel x_kernels[];
extern const size_t x_kernel_count;
extern const struct x_tap x_taps[];
extern const size_t x_tap_count;
extern const struct x_step x_steps[];
extern const struct x_hop x_hops[];
extern const size_t x_hop_count;
extern const struct x_packet_tap x_packet_taps[];
extern const size_t x_packet_tap_count;
extern const uint64_t x_shared_bytes, x_process_offset;
#ifdef XRT_REFERENCE
extern const uint64_t x_reference_offset[], x_reference_slots; /* of each process; turns that are kept */
#endif
extern const uint64_t x_points_offset; /* how often each testpoint was passed, in shared memory */
extern const uint64_t x_events_most;   /* events that are recorded of a series; 0 for all */
extern const bool x_grows; /* rings may become larger (grow.c) */

#endif
