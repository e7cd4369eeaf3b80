/* edge.h: what the two ends of an edge tell each other. A run on this machine tells it
 * through shared memory (edge_native.c); one in virtual time when the simulated machine has
 * carried it over (edge_virtual.c). The ring (ring.c) and the turns (turn.c) know no more. */
#ifndef EDGE_H
#define EDGE_H

#include <stdbool.h>
#include <stdint.h>

struct kernel;
struct reader;
struct writer;

/* edge_show shows the reader what the writer has sent. */
void edge_show(struct writer *w);

/* edge_give_back gives the writer the room of what the reader has released. */
void edge_give_back(struct reader *r);

/* The next three are inline in a run on this machine (hot.h). */
#ifdef XRT_VIRTUAL

/* edge_head is how many elements have come to the reader. */
uint64_t edge_head(const struct reader *r);

/* edge_tail is how many elements the writer knows to be released. */
uint64_t edge_tail(const struct writer *w);

/* edge_closed reports whether no more comes to the reader: its writer has ended, or, of an edge that
 * leads back in a loop, the loop rests. It must be asked before edge_head: what was sent before the
 * end is then seen. */
bool edge_closed(const struct reader *r);

#endif

/* edge_close ends what the writer sends; everything has been shown. */
void edge_close(struct writer *w);

/* loop_rests reports whether a loop has come to rest: what comes from outside has ended, and none of its
 * kernels can do more with what is there. It may say so late, and never too early. */
bool loop_rests(int loop);

/* loop_end ends the edges of a loop that lead back. */
void loop_end(int loop);

/* edge_wake wakes each process that sleeps and could go on with what a kernel has shown. */
void edge_wake(struct kernel *k);

#endif
