/* forks.c: limits the rate of forks.
 *
 * A kernel that forks endlessly doubles its processes repeatedly, and fills the machine's process table before the
 * supervisor polls. Therefore fork waits if this process and its descendants have reached the limit of the current
 * period. The supervisor then detects that there are too many processes, and ends the run. A kernel that forks
 * rarely does not wait. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "internal.h"

enum {
    FORKS = 100, PERIOD_MS = 10, /* maximum number per period */
    COPY_FORKS = 10,             /* maximum per period by copies, whose number may double repeatedly */
    MOST_MS = 320                /* maximum wait before the next check */
};

struct forks {
    _Atomic(uint64_t) period, count; /* current period, and the number of forks in it */
};

static struct forks *forks; /* copies share it */

static uint64_t period(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return ((uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000) / PERIOD_MS;
}

static void brake(void) {
    const uint64_t maximum = getpid() == x_started_as ? FORKS : COPY_FORKS;
    for (long wait = PERIOD_MS;; wait = wait < MOST_MS ? 2 * wait : wait) { /* many waiting processes cost little */
        uint64_t now = period(), last = atomic_load(&forks->period);
        if (last != now && atomic_compare_exchange_strong(&forks->period, &last, now))
            atomic_store(&forks->count, 0);
        if (atomic_load(&forks->count) < maximum && atomic_fetch_add(&forks->count, 1) < maximum)
            return;
        struct timespec pause = {0, wait * 1000000L};
        nanosleep(&pause, NULL);
    }
}

void forks_open(void) {
    forks = mmap(NULL, sizeof *forks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (forks != MAP_FAILED)
        pthread_atfork(brake, NULL, NULL);
}
