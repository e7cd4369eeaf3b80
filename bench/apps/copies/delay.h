/* delay.h: random waits, which do not change the result of a kernel. */
#ifndef DELAY_H
#define DELAY_H
#include <stdint.h>
#include <time.h>

/* delay waits up to the given time in us, once in sixteen calls. */
static inline void delay(uint32_t us) {
    static uint64_t random = 88172645463325252u;
    struct timespec t;
    if (us == 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &t);
    random ^= (uint64_t)t.tv_nsec;
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    if (random % 16 != 0)
        return;
    t = (struct timespec){0, (long)(1000 * (random >> 32) % (1000 * (uint64_t)us))};
    nanosleep(&t, 0);
}

#endif
