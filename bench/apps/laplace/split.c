/* Split: sends elements to the outputs in turn. */
#include <string.h>
#include "X_Split.h"

void X_Split_init(X_Split *d) { d->state = NULL; }
void X_Split_destroy(X_Split *d) { (void)d; }

void X_Split_push(X_Split *d) {
    size_t next = (size_t)(uintptr_t)d->state;
    while (X_Split_x_avail(d) > 0) {
        memcpy(X_Split_y(d, next, 1), X_Split_x(d), 64 * sizeof(uint32_t));
        X_Split_x_release(d, 1);
        X_Split_y_send(d, next, 1);
        next = (next + 1) % d->y_count;
    }
    d->state = (void *)(uintptr_t)next;
}
