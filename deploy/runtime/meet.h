/* meet.h: two processes that go on in turns, the engine of a virtual run and the simulation of an FPGA, in C and C++.
 * Who waits looks for about as long as it takes to be woken, and then sleeps: on a busy machine the other needs the
 * processor. Where it looked for 2000 times, or gave up its turn instead (sched_yield), runs took up to ten times as
 * long beside five busy processes. */
#ifndef MEET_H
#define MEET_H

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "layout.h"
#include "pause.h"

enum { XRT_LOOKS = 100 };

/* x_wait comes between two looks at what the other process will change. First it says that this one sleeps; what
 * changed before the other could see that is seen at the next look. */
static inline void x_wait(unsigned *tries, XRT_ATOMIC(uint32_t) *sleeps) {
    if (*tries < XRT_LOOKS)
        x_pause();
    else if (*tries % 2 == 0)
        atomic_store(sleeps, 1u);
    else
        syscall(SYS_futex, sleeps, FUTEX_WAIT, 1, NULL, NULL, 0);
    ++*tries;
}

/* x_wake wakes the other process where it sleeps, after a change that is ordered (seq_cst). */
static inline void x_wake(XRT_ATOMIC(uint32_t) *sleeps) {
    if (atomic_load(sleeps)) {
        atomic_store(sleeps, 0u);
        syscall(SYS_futex, sleeps, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

#endif
