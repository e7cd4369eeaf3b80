/* Pressure loads caches and memory in its turns. A higher level has a larger working set and a longer active time.
 * In the turns of the probe it acts as the probe. Each port reports one kind of turn. */
#include <stdlib.h>
#include "X_MemoryPressure.h"
#include "pace.h"
#include "touch.h"

static const unsigned level[] = {LEVELS};

static void press(struct touch *t, unsigned level) {
    uint64_t begin = pace_now();
    touch_chunk(t, t->lines * level / 10);
    uint64_t end = begin + (pace_now() - begin) * 10 / level;
    while (pace_now() < end)
        ;
}

void X_MemoryPressure_init(X_MemoryPressure *d) {
    struct touch *t = calloc(1, sizeof *t);
    if (!t || touch_open(t, BYTES) != 0)
        X_fail("out of memory");
    d->state = t;
}

int X_MemoryPressure_go(X_MemoryPressure *d) {
    struct touch *t = d->state;
    switch (pace_turn(pace_now())) {
    case ALONE:
        pace_sleep(1000000);
        *X_MemoryPressure_y0(d, 1) = 0;
        X_MemoryPressure_y0_send(d, 1);
        break;
    case LOW:
        press(t, level[LOW]);
        *X_MemoryPressure_y1(d, 1) = 0;
        X_MemoryPressure_y1_send(d, 1);
        break;
    case MIDDLE:
        press(t, level[MIDDLE]);
        *X_MemoryPressure_y2(d, 1) = 0;
        X_MemoryPressure_y2_send(d, 1);
        break;
    case HIGH:
        press(t, level[HIGH]);
        *X_MemoryPressure_y3(d, 1) = 0;
        X_MemoryPressure_y3_send(d, 1);
        break;
    case PROBED:
        touch_chunk(t, t->lines / 2);
        *X_MemoryPressure_y4(d, 1) = 0;
        X_MemoryPressure_y4_send(d, 1);
        break;
    default:
        touch_chunk(t, t->lines / 2);
        *X_MemoryPressure_y5(d, 1) = 0;
        X_MemoryPressure_y5_send(d, 1);
    }
    return 0;
}

void X_MemoryPressure_destroy(X_MemoryPressure *d) {
    touch_close(d->state);
    free(d->state);
}
