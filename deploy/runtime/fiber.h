/* fiber.h: switchable stacks. A kernel that waits for space keeps its stack, and the scheduler continues
 * another kernel. */
#ifndef FIBER_H
#define FIBER_H

#include <stddef.h>

struct fiber;

/* fiber_self returns the stack on which the program started. Call it once. */
struct fiber *fiber_self(void);

/* fiber_new creates a stack that runs entry, which must not return. It returns NULL if there is no memory for it. */
struct fiber *fiber_new(size_t bytes, void (*entry)(void));

/* fiber_restart restarts an inactive stack at entry. */
void fiber_restart(struct fiber *f, void (*entry)(void));

/* fiber_switch switches from one stack to another. It returns when a stack switches back. */
void fiber_switch(struct fiber *from, struct fiber *to);

#endif
