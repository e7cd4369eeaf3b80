/* fiber.c: implements fiber.h. On x86-64 a switch saves the registers that a function must preserve, which takes
 * about 3 ns. Elsewhere it uses ucontext, which needs a system call. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "choices.h"
#include "fiber.h"

#if defined(__x86_64__) && !defined(XRT_UCONTEXT)

/* Abandoned frames must not leave poisoned memory on stacks that restart. */
#ifdef XRT_ASAN
void __asan_unpoison_memory_region(const volatile void *at, size_t bytes);
#define UNPOISON(f) __asan_unpoison_memory_region((f)->base, (f)->bytes)
#else
#define UNPOISON(f) (void)0
#endif

struct fiber {
    void *sp;   /* stack pointer while it is inactive */
    char *base; /* start of the mapping; NULL for the first stack */
    size_t bytes;
};

void x_fiber_switch(void **save, void *load);

__asm__(".text\n"
        ".hidden x_fiber_switch\n"
        ".globl x_fiber_switch\n"
        ".type x_fiber_switch, @function\n"
        "x_fiber_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n" /* rounding and masks belong to the kernel */
        "    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    ldmxcsr (%rsp)\n"
        "    fldcw 4(%rsp)\n"
        "    addq $8, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size x_fiber_switch, .-x_fiber_switch\n");

void fiber_restart(struct fiber *f, void (*entry)(void)) {
    /* The frame that x_fiber_switch pops: control words, six registers, and the return address. The stack is then
     * misaligned by 8, like after a call. */
    uint64_t *top = (uint64_t *)(f->base + f->bytes) - 4;
    top[1] = 0; /* the entry has no caller */
    top[0] = (uint64_t)(uintptr_t)entry;
    for (int i = 1; i <= 6; i++)
        top[-i] = 0;
    uint32_t mxcsr;
    uint16_t fpucw;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(fpucw));
    top[-7] = (uint64_t)fpucw << 32 | mxcsr;
    f->sp = top - 7;
    UNPOISON(f);
}

void fiber_switch(struct fiber *from, struct fiber *to) { x_fiber_switch(&from->sp, to->sp); }

#else

#include <ucontext.h>

struct fiber {
    ucontext_t context;
    char *base;
    size_t bytes;
};

void fiber_restart(struct fiber *f, void (*entry)(void)) {
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->base;
    f->context.uc_stack.ss_size = f->bytes;
    f->context.uc_link = NULL;
    makecontext(&f->context, entry, 0);
}

void fiber_switch(struct fiber *from, struct fiber *to) { swapcontext(&from->context, &to->context); }

#endif

struct fiber *fiber_self(void) { return calloc(1, sizeof(struct fiber)); }

struct fiber *fiber_new(size_t bytes, void (*entry)(void)) {
    enum { GUARD = 1 << 16 }; /* guard page: an overflow faults instead of overwriting a neighbour */
    struct fiber *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    char *base = mmap(NULL, bytes + GUARD, PROT_READ | PROT_WRITE, how, -1, 0);
    if (base == MAP_FAILED || mprotect(base, GUARD, PROT_NONE) != 0) {
        free(f);
        return NULL;
    }
    f->base = base + GUARD;
    f->bytes = bytes;
    fiber_restart(f, entry);
    return f;
}
