/* loop.c: kernels in loops. A kernel ends when all of its inputs have ended. In a loop, every kernel would wait for
 * another kernel. A loop ends when it is at rest: all input from outside has ended, and none of its kernels can
 * continue. Then its edges with initial elements end, and its kernels after them, in the order of the edges between
 * them. Remaining elements stay on the edges.
 *
 * Rest is detected from counts alone, independent of the speed of the processes. A kernel that cannot continue
 * publishes all sent elements, and then the number of elements that it has seen on each input (seen). Suppose a process
 * reads seen of all edges first, then the numbers of elements sent on them, and finds them equal. Then nothing was in
 * flight between the two reads, and no kernel worked. The reason is that counts never decrease, and that a kernel at
 * rest continues only with new input (Mattern 1987). A kernel that waits for space has seen more than it has published,
 * and never seems to be at rest. */
#include "internal.h"

static bool *mine; /* by loop: this process has a kernel of the loop */
static bool any;
static bool *finished;

void loop_open(const struct kernel *kernels, size_t count) {
    mine = process_alloc(x_loop_count, sizeof *mine);
    finished = process_alloc(x_loop_count, sizeof *finished);
    for (size_t i = 0; i < count; i++)
        if (kernels[i].spec->loop >= 0)
            any = mine[kernels[i].spec->loop] = true;
#ifdef XRT_VIRTUAL /* one process checks for all */
    for (size_t i = 0; i < x_loop_count; i++)
        any = mine[i] = true;
#endif
}

/* loop_show is called when a kernel of a loop cannot continue with its input. */
void loop_show(struct kernel *k) {
    ring_flush(k, true); /* other kernels of the loop may need the output, and would otherwise be idle */
    for (size_t i = 0; i < k->ins; i++)
        atomic_store_explicit(&k->in[i]->control->seen, k->in[i]->seen, memory_order_release);
}

/* loop_look ends the loops that are at rest. */
void loop_look(void) {
    if (!any)
        return;
    atomic_thread_fence(memory_order_seq_cst); /* if several processes come to rest together, one of them
                                                * sees all other processes at rest */
    for (size_t i = 0; i < x_loop_count; i++)
        if (mine[i] && !finished[i] && loop_rests((int)i)) {
            finished[i] = true;
            loop_end((int)i);
            idle_changes();
        }
}
