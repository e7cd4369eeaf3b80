/* pace.h: the turns that two cores take by one clock, so that what is measured with pressure and
 * what is measured without lie next to each other in time. */
#ifndef PACE_H
#define PACE_H

#include <stdint.h>
#include <time.h>

/* What happens in a turn: the kernel works without pressure; with pressure of three levels; beside
 * the probe; it rests, and the probe works without it. */
enum { ALONE, LOW, MIDDLE, HIGH, PROBED, RESTS };

enum { PACE_TURN = 30000000 }; /* ns of a turn */

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

/* pace_rest sleeps while it is the turn of the probe alone. */
static inline void pace_rest(void) {
    uint64_t now = pace_now();
    if (pace_turn(now) == RESTS)
        pace_sleep(PACE_TURN - now % PACE_TURN);
}

#endif
