/* meet.h: two processes that alternate, the engine of a virtual run and the simulation of an FPGA, in C and C++.
 * The waiting process polls for about the duration of a wake-up and then sleeps, because on a busy machine the
 * other process needs the processor. With 2000 polls, or with sched_yield instead, runs took up to ten times as
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

/* x_wait is called between two reads of a value that the other process will change. It first announces that this
 * process sleeps. The next read detects a change that came before the other process could see the
 * announcement. */
static inline void x_wait(unsigned *tries, XRT_ATOMIC(uint32_t) *sleeps) {
    if (*tries < XRT_LOOKS)
        x_pause();
    else if (*tries % 2 == 0)
        atomic_store(sleeps, 1u);
    else
        syscall(SYS_futex, sleeps, FUTEX_WAIT, 1, NULL, NULL, 0);
    ++*tries;
}

/* x_wake wakes the other process if it sleeps, after an ordered (seq_cst) change. */
static inline void x_wake(XRT_ATOMIC(uint32_t) *sleeps) {
    if (atomic_load(sleeps)) {
        atomic_store(sleeps, 0u);
        syscall(SYS_futex, sleeps, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

#endif
