/* Expand: the inverse of Runs. */
#include <string.h>
#include "X_Expand.h"

void X_Expand_init(X_Expand *d) { (void)d; }

void X_Expand_push(X_Expand *d) {
    for (; X_Expand_x_avail(d) > 0; X_Expand_x_release(d, 1)) {
        const uint8_t value = X_Expand_x(d)[1];
        size_t left = X_Expand_x(d)[0];
        while (left > 0) {
            const size_t room = X_Expand_y_room(d);
            const size_t n = room == 0 ? 1 : left < room ? left : room; /* waits for space for one */
            memset(X_Expand_y(d, n), value, n);
            X_Expand_y_send(d, n);
            left -= n;
        }
    }
}

void X_Expand_destroy(X_Expand *d) { (void)d; }
