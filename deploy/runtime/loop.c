/* loop.c: kernels in loops. A kernel ends when all that comes to it has ended; in a loop nobody
 * would be the first. A loop is over when it rests: all that comes from outside has ended, and none
 * of its kernels can do more with what is there. Then its edges with initial elements end, and its
 * kernels after them, in the order of the edges between them; what is left on edges stays there.
 *
 * Whether a loop rests is found out by counts alone, whatever the speed of the processes. A kernel that
 * can do nothing more shows how many elements of each input it had seen by then (seen), after it has
 * shown all that it sent. Whoever reads seen of all edges first, and then how many elements have been
 * sent on them, and finds the same, knows that between the two nothing was under way and nobody worked:
 * counts never go back, and a kernel that rests goes on only when something comes (Mattern 1987 counts
 * messages so). A kernel that waits for room has seen more than it has shown, and never seems to rest. */
#include "internal.h"

static bool *mine; /* of each loop: a kernel of it is here */
static bool any;
static bool *over;

void loop_open(const struct kernel *kernels, size_t count) {
    mine = process_alloc(x_loop_count, sizeof *mine);
    over = process_alloc(x_loop_count, sizeof *over);
    for (size_t i = 0; i < count; i++)
        if (kernels[i].spec->loop >= 0)
            any = mine[kernels[i].spec->loop] = true;
#ifdef XRT_VIRTUAL /* one process looks for all */
    for (size_t i = 0; i < x_loop_count; i++)
        any = mine[i] = true;
#endif
}

/* loop_show comes when a kernel of a loop can do nothing more with what has come to it. */
void loop_show(struct kernel *k) {
    ring_flush(k, true); /* others of the loop may wait for it, and have nothing else to do */
    for (size_t i = 0; i < k->ins; i++)
        atomic_store_explicit(&k->in[i]->control->seen, k->in[i]->seen, memory_order_release);
}

/* loop_look ends the loops that rest. */
void loop_look(void) {
    if (!any)
        return;
    atomic_thread_fence(memory_order_seq_cst); /* of those that come to rest together, one sees the others */
    for (size_t i = 0; i < x_loop_count; i++)
        if (mine[i] && !over[i] && loop_rests((int)i)) {
            over[i] = true;
            loop_end((int)i);
            idle_changes();
        }
}
