/* xrt.h: the interface between the generated main.c and the runtime. layout.h defines the contents of shared memory,
 * for the supervisor and the simulations of FPGAs, too. */
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
    int policy; /* such as SCHED_OTHER */
    uint64_t batch; /* bytes that pass through its fused kernels in one pass; 0: kernels nearest the sinks run first */
    bool carries; /* it has no kernels, and carries edges to other hosts (carry.c) */
    int bell;     /* eventfd that wakes it; 0 if a futex does */
};

enum x_type { XRT_U8, XRT_U16, XRT_U32, XRT_U64, XRT_S8, XRT_S16, XRT_S32, XRT_S64, XRT_F32, XRT_F64, XRT_F128 };

struct x_edge {
    const char *name;
    uint64_t control, data, reader, writer; /* offsets in shared memory: counts, elements, both ends */
    uint64_t bytes;         /* size of the data area: full pages */
    uint64_t capacity;      /* capacity in elements */
    uint64_t size;          /* bytes of an element */
    enum x_type type;
    int from, to;         /* indices of the kernels */
    const char *out, *in; /* ports of the kernels */
    int ring;             /* the edge that owns the data area: the first of its port */
    uint64_t initial, first; /* number of initial elements; offset of the first of them, in elements */
    int loop;                /* index in x_loops of the loop of both kernels; -1 for none */
    bool back;               /* closes a loop, with initial elements: it ends when the loop is at rest */
    /* For an edge between hosts, out_carrier is the process that reads its ring on the writer's host, and in_carrier
     * the process that writes its ring on the reader's host. out_fd and in_fd are the file descriptors of their
     * sockets. 0 means none, because a carrier is never the first process. */
    int out_carrier, in_carrier, out_fd, in_fd;
    uint64_t batches;        /* offset of the queue of a copy's batches; 0 for none */
    uint64_t counted;        /* declared number of elements in each of its batches; 0 if it announces batches */
    uint32_t accept;           /* if copies divide the stream: elements per firing; otherwise 0 */
    bool only;               /* it is the only path between its kernels */
};

struct x_copy { /* one of several copies of a kernel */
    int self;
    const int *turns; /* the copy that processes each batch of a round */
    size_t round;
    uint64_t batch; /* firings in a batch, for the kernel where the stream divides; if copies claim, in a part */
    uint64_t parts; /* if copies claim: maximum number of parts in a batch */
    bool keyed;     /* keys select copies where the stream divides */
    int key;        /* input that contains the keys, where the stream divides; -1 for other kernels */
    bool plain;     /* it reads from its own copy or nothing, and all its edges have declared counts */
    bool entry;     /* the stream divides here */
    uint64_t claims; /* offset of an x_claims if free copies claim batches; 0 if turns select the copies */
    uint64_t log;    /* offset of the x_claim_log of this copy */
};

struct x_loop { /* kernels that can all reach each other */
    const int *edges; /* all edges to its kernels, including edges from outside */
    size_t edge_count;
    const int *kernels;
    size_t kernel_count;
};

struct x_port {
    const int *edges;
    size_t count;
    /* Elements per firing, for inputs and for outputs of sources; 0 if another port counts the firings. Data sent
     * once do not count either. */
    uint32_t firing;
    uint32_t join;   /* for an input: number of its join, from 1; 0 for none */
    bool once;  /* for an input: its data are sent once, at the start */
};

struct x_kernel {
    const char *name;
    uint64_t control; /* offset in shared memory */
    int process;
    bool source;
    bool by_call; /* a source with several outputs whose firings are its calls */
    int loop; /* its loop; -1 for none */
    size_t point; /* index of its first testpoint among the testpoints of all kernels */
    void *instance;
    void (*init)(void *), (*push)(void *), (*drain)(void *), (*destroy)(void *);
    int (*go)(void *);
    struct x_input *inputs;
    const struct x_port *in;
    size_t ins;
    struct x_output *outputs;
    const struct x_port *out;
    size_t outs;
    const struct x_copy *copy; /* NULL without copies */
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
    uint64_t every; /* sampling interval in elements; 0: a rate with low overhead */
    uint64_t frame; /* elements in a data frame; 0 for time frames */
    bool log;       /* logarithmic bins, four per octave; otherwise linear */
    bool counts;    /* bins for numbers of elements: exact below 64, then sixteen per octave */
    double low, width;
    uint32_t bins, slots, trace;
    uint64_t offset; /* offset in shared memory */
    uint32_t when, steps; /* range of the condition in x_steps; no steps if unconditional */
};

struct x_hop { /* one edge of a path whose latency is measured */
    int edge, tap;
    int next;        /* next hop, -1 at the end of the path */
    bool first;
    uint32_t slots;  /* slots of its queue */
    uint64_t offset; /* offset in shared memory */
};

struct x_packet_tap { /* a tap on the packets of an edge on one of the links of its route */
    int tap, edge, hop;
};

/* The machine of a virtual run. */

struct x_service { /* service times of a kernel on a core */
    int core;    /* -1 on an FPGA */
    double byte; /* mean ps per input byte (for a source: output byte); 0 to use the actual time */
    double scv;  /* scv of the time of a firing */
    /* Times of firings in another run in ps: offset in shared memory, and number. They are used in order,
     * repeatedly. 0 means none. */
    uint64_t times, count;
};

struct x_link {
    double byte;       /* ps per byte */
    double cost;       /* ps per transfer */
    uint64_t transfer; /* bytes in a transfer; 0 for one element */
    double latency;    /* ps from the end of a transfer to the arrival of its data */
    double jitter;     /* maximum additional delay in ps, uniformly distributed */
    double flush;      /* ps after which an incomplete transfer starts; 0 for never */
};

struct x_route { /* the links that an edge crosses, in order */
    const int *links;
    size_t count;
    bool inside;  /* within an FPGA, without other users */
    double share; /* fraction of the elements that cross the links, without elements for other copies of the reader */
    uint64_t packets; /* offset of the x_packets, one per link */
};

struct x_fpga {
    int process;
    double period, phase; /* in ps: length of a cycle, and start of the first cycle */
    uint64_t offset; /* offset of its x_federate */
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
extern const uint64_t x_reference_offset[], x_reference_slots; /* by process: offset; number of stored turns */
#endif
extern const uint64_t x_points_offset; /* offset in shared memory of the pass count of each testpoint */
extern const uint64_t x_events_most;   /* maximum number of recorded events in a series; 0 for all */
extern const bool x_grows; /* rings may grow (grow.c) */

#endif
