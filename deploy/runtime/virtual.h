/* virtual.h: the interface between the parts of a run in virtual time: the engine (virtual.c), time
 * (virtual_time.c), links (virtual_links.c) and edges (edge_virtual.c). */
#ifndef VIRTUAL_H
#define VIRTUAL_H

#include "internal.h"

#ifdef XRT_VIRTUAL

#define NEVER UINT64_MAX

/* virtual_now is the time of the simulated machine in ps. */
extern uint64_t virtual_now;

/* virtual_time.c */

/* time_open is called before the kernels of this process are created, time_kernels afterwards. */
void time_open(void);
void time_kernels(const struct kernel *list, size_t count);

/* time_at sets the clock to t. If runs is set, the clock then advances with the time of this machine. */
void time_at(uint64_t t, bool runs);

/* time_turn starts the time of a kernel's turn, measured or random. */
void time_turn(const struct kernel *k);

/* time_empty sets the time of a turn without work, which does not count. */
void time_empty(uint64_t ticks);

const struct x_service *service_of(const struct kernel *k);

/* uniform_of returns a uniform random number in (0, 1) and updates the state of its generator. */
double uniform_of(uint64_t *state);

/* virtual_links.c */

void links_open(void);

/* links_arrived is called when elements have arrived at a link on the route of an edge, or at its end. */
void links_arrived(size_t e, size_t hop);

/* links_begin starts waiting transfers on idle links. links_end ends finished transfers and delivers arrived data. It
 * reports whether there were any transfers or data. links_next returns the time of the next event; NEVER for none. */
void links_begin(void);
bool links_end(void);
uint64_t links_next(void);

/* links_flush is called when the sources have ended and nothing moves. In a loop, less than a bulk may wait although
 * its stream does not end. links_flush reports whether it started a transfer. */
bool links_flush(void);

/* links_taken returns the number of elements of an edge that its first link has started to move; without links, the
 * number that have arrived. */
uint64_t links_taken(size_t e);

/* virtual_taps.c: monitors_sent and monitors_released are called when the send or the release of elements becomes
 * visible, with the previous count. monitors_packet is called when a packet arrives at the end of a link. The packet's
 * time is in ps since its first element arrived at the link. */
#ifdef XRT_TAPS
void monitors_open(void);
void monitors_sent(size_t e, uint64_t before, uint64_t head);
void monitors_released(size_t e, uint64_t before, uint64_t tail);
void monitors_packet(size_t e, size_t hop, uint64_t at, uint64_t bytes, uint64_t ps);
#else
static inline void monitors_open(void) {}
static inline void monitors_sent(size_t e, uint64_t before, uint64_t head) { (void)e, (void)before, (void)head; }
static inline void monitors_released(size_t e, uint64_t before, uint64_t tail) { (void)e, (void)before, (void)tail; }
static inline void monitors_packet(size_t e, size_t hop, uint64_t at, uint64_t bytes, uint64_t ps) {
    (void)e, (void)hop, (void)at, (void)bytes, (void)ps;
}
#endif

/* edge_virtual.c */

struct passage {      /* progress of the elements of an edge */
    uint64_t *passed; /* elements that were sent, and that have left each link */
    uint64_t freed;   /* released elements */
    uint64_t changed; /* time of the last change of passed or freed */
    bool closing;     /* the writer has ended */
    bool rested;      /* the loop that the edge closes is at rest */
    bool left;        /* the reader has ended: further elements are not consumed and need no space */
};

extern struct passage *passages; /* by edge */
extern uint64_t virtual_moves;   /* total number of sends and releases */

void passages_open(void);

/* arrived returns the number of elements that have left the last link. */
static inline uint64_t arrived(size_t e) { return passages[e].passed[x_routes[e].count]; }

/* finished reports whether the writer has ended and all elements have arrived, or the loop is at rest. */
static inline bool finished(size_t e) {
    if (x_edges[e].back)
        return passages[e].rested;
    return passages[e].closing && arrived(e) == passages[e].passed[0];
}

/* freed_of returns the number of an edge's elements whose release is visible to the writer. */
static inline uint64_t freed_of(size_t e) { return passages[e].left ? passages[e].passed[0] : passages[e].freed; }

/* account_held adds the elements on an edge since the last change. */
void account_held(size_t e);

/* sent_until and released_until set the numbers of sent and released elements. */
void sent_until(size_t e, uint64_t head);
void released_until(size_t e, uint64_t tail);

/* pulses.c: pulse_sent and pulse_taken count sent and released elements. pulses_until ends the pulses up to a time. */
void pulse_sent(size_t e, uint64_t elements);
void pulse_taken(size_t e, uint64_t elements);
void pulses_until(uint64_t t);

#endif
#endif
