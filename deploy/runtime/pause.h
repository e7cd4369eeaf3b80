/* pause.h: the processor's pause instruction, for use between two reads of a value that another processor will
 * change. */
#ifndef PAUSE_H
#define PAUSE_H

static inline void x_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
