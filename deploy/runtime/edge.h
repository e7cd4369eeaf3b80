/* edge.h: the communication between the two ends of an edge. A run on this machine uses shared memory
 * (edge_native.c). A run in virtual time uses the simulated machine (edge_virtual.c). The ring (ring.c) and the
 * turns (turn.c) do not depend on it. */
#ifndef EDGE_H
#define EDGE_H

#include <stdbool.h>
#include <stdint.h>

struct kernel;
struct reader;
struct writer;

/* edge_show publishes the elements that the writer has sent. */
void edge_show(struct writer *w);

/* edge_give_back returns the space of the elements that the reader has released to the writer. */
void edge_give_back(struct reader *r);

/* The next three functions are inline in a run on this machine (hot.h). */
#ifdef XRT_VIRTUAL

/* edge_head returns the number of elements that have arrived at the reader. */
uint64_t edge_head(const struct reader *r);

/* edge_tail returns the number of released elements visible to the writer. */
uint64_t edge_tail(const struct writer *w);

/* edge_closed reports whether no further elements reach the reader, because its writer has ended. For an edge that
 * leads back in a loop, it reports whether the loop is at rest. It must be called before edge_head, so that all
 * elements before the end are seen. */
bool edge_closed(const struct reader *r);

#endif

/* edge_close ends the output of the writer. All elements must have been published. */
void edge_close(struct writer *w);

/* loop_rests reports whether a loop is at rest: its input from outside has ended, and none of its kernels can
 * continue. It may report rest late, but never too early. */
bool loop_rests(int loop);

/* loop_end ends the edges of a loop that lead back. */
void loop_end(int loop);

/* edge_wake wakes each sleeping process that could continue after a kernel's publication. */
void edge_wake(struct kernel *k);

#endif
