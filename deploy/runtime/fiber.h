/* fiber.h: switchable stacks. A kernel that waits for space keeps its stack, and the scheduler continues
 * another kernel. */
#ifndef FIBER_H
#define FIBER_H

#include <stddef.h>

struct fiber;

/* fiber_self is the stack that the program began on; call it once. */
struct fiber *fiber_self(void);

/* fiber_new creates a stack on which entry will run; entry must not return. NULL when there is no memory for it. */
struct fiber *fiber_new(size_t bytes, void (*entry)(void));

/* fiber_restart restarts an unused stack at entry. */
void fiber_restart(struct fiber *f, void (*entry)(void));

/* fiber_switch leaves one stack for another; it returns when somebody switches
 * back. */
void fiber_switch(struct fiber *from, struct fiber *to);

#endif
