/* pace.h: the turns of two cores, by a common clock. Turns alternate quickly, so that measurements with and without
 * pressure are adjacent in time. */
#ifndef PACE_H
#define PACE_H

#include <stdint.h>
#include <time.h>

/* Kinds of turns: the kernel alone, the kernel beside pressure at three levels, the kernel beside the probe, and the
 * probe alone while the kernel sleeps. */
enum { ALONE, LOW, MIDDLE, HIGH, PROBED, RESTS };

enum { PACE_TURN = 30000000 }; /* duration of a turn in ns */

static const unsigned char pace_turns[] = {ALONE, LOW, ALONE, MIDDLE, ALONE, HIGH, PROBED, RESTS, PROBED, RESTS};

static inline uint64_t pace_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline int pace_turn(uint64_t now) { return pace_turns[now / PACE_TURN % sizeof pace_turns]; }

static inline void pace_sleep(uint64_t ns) {
    struct timespec t = {0, (long)ns};
    nanosleep(&t, NULL);
}

/* pace_rest sleeps during the turn of the probe alone. */
static inline void pace_rest(void) {
    uint64_t now = pace_now();
    if (pace_turn(now) == RESTS)
        pace_sleep(PACE_TURN - now % PACE_TURN);
}

#endif
