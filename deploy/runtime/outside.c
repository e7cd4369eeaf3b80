/* outside.c: for the single kernel that represents something outside of this program, a board (deploy --board). It
 * runs from its first call to the end, and polls its edges in the meantime. */
#include "internal.h"

#ifndef XRT_VIRTUAL

int x_outside_look(struct x_input *port);
void x_outside_flush(int wake);

/* x_outside_look shows a kernel the elements that have arrived at an input. It returns 1 when no more will arrive. */
int x_outside_look(struct x_input *port) {
    struct reader *r = (struct reader *)port->now; /* its first member */
    const int ended = edge_closed(r);
    r->seen = edge_head(r);
    grow_look(r);
    r->r.visible = r->seen;
#ifdef XRT_TAPS
    taps_shown(r);
#endif
    return ended;
}

/* x_outside_flush publishes the elements that the kernel has sent and released. With wake, it also wakes sleeping
 * processes. */
void x_outside_flush(int wake) { ring_flush(x_current, wake); }

#endif
