/* near.c: places the memory of rings near their readers. On a machine with several NUMA nodes, a page is on the node of
 * the process that first touches it. This would be the writer's node. The reader requests its own node before the run
 * begins, and existing pages move: remote writes continue in the background, while remote reads wait. */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "internal.h"

/* near_reader moves an area that this process reads to its NUMA node. Pages remain in place if Linux does not
 * permit this (in containers), or if the process is not bound to a processor. */
void near_reader(uint8_t *area, uint64_t bytes) {
    enum { BITS = 8 * sizeof(unsigned long), NODES = 1024 };
    unsigned long nodes[NODES / BITS] = {0};
    unsigned node = 0;
    if (x_processes[x_self].cpu < 0 || syscall(SYS_getcpu, NULL, &node, NULL) != 0 || node >= NODES)
        return;
    nodes[node / BITS] = 1ul << node % BITS;
    syscall(SYS_mbind, area, bytes, MPOL_PREFERRED, nodes, (unsigned long)NODES, MPOL_MF_MOVE);
}
