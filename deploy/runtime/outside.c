/* outside.c: for the one kernel that stands for something outside of this program, a board (deploy --board): it goes on
 * by itself from its first call to the end, and looks at its edges meanwhile. */
#include "internal.h"

#ifndef XRT_VIRTUAL

int x_outside_look(struct x_input *port);
void x_outside_flush(int wake);

/* x_outside_look shows a kernel what has come to an input, and returns 1 when nothing more will. */
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

/* x_outside_flush shows the others what the kernel has sent and released; with wake, it wakes those that sleep. */
void x_outside_flush(int wake) { ring_flush(x_current, wake); }

#endif
