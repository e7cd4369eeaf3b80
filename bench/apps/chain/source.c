/* Source: sends arrays of numbers as fast as possible. Its output depends only on the number of the firing. */
#include <string.h>
#include <time.h>
#include "X_Source.h"

enum { CHUNK_BYTES = 4096 }; /* bytes sent at once, if messages are smaller */

void X_Source_init(X_Source *d) { (void)d; }
void X_Source_destroy(X_Source *d) { (void)d; }

/* stamp writes the time into a message. */
static void stamp(uint64_t *message) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    memcpy(message + 1, &now, sizeof now);
}

int X_Source_go(X_Source *d) {
    const uint32_t words = d->config.words;
    const uint64_t sent = X_Source_firing(d);
    uint64_t n = CHUNK_BYTES / (8 * words);
    if (sent >= d->config.elements)
        return 1;
    if (d->config.most > 0)
        n = d->config.most;
    if (n > d->config.elements - sent)
        n = d->config.elements - sent;
    if (n > X_Source_firings(d))
        n = X_Source_firings(d);
    const size_t room = X_Source_y_room(d); /* called once, because the room may grow at any time */
    if (n > room)
        n = room;
    if (n == 0)
        n = 1; /* a large message, or it waits for space */
    uint64_t *y = X_Source_y(d, n);
    const uint64_t every = words > 1 ? d->config.every : 0;
    for (uint64_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < words; i++)
            y[k * words + i] = sent + k + i;
        if (every > 0 && (sent + k) % every == 0)
            stamp(y + k * words);
    }
    X_Source_y_send(d, n);
    return 0;
}
