/* Splitter: sends the pixels of an event to the pipes in turn, starting with the first. */
#include <string.h>
#include "X_Splitter.h"

void X_Splitter_init(X_Splitter *d) { (void)d; }
void X_Splitter_destroy(X_Splitter *d) { (void)d; }

void X_Splitter_push(X_Splitter *d) {
    for (; X_Splitter_event_avail(d) > 0; X_Splitter_event_release(d, 1))
        for (size_t p = 0; p < 499; p++) {
            size_t pipe = p % d->pixel_count;
            memcpy(X_Splitter_pixel(d, pipe, 1), X_Splitter_event(d) + 24 * p, 24);
            X_Splitter_pixel_send(d, pipe, 1);
        }
}
