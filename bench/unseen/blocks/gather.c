/* Gather: sends one element of every input, in turn. */
#include <string.h>
#include "X_Gather.h"

void X_Gather_init(X_Gather *d) { (void)d; }
void X_Gather_destroy(X_Gather *d) { (void)d; }

static int ready(X_Gather *d) {
    for (size_t i = 0; i < d->x_count; i++)
        if (X_Gather_x_avail(d, i) == 0)
            return 0;
    return 1;
}

void X_Gather_push(X_Gather *d) {
    while (ready(d))
        for (size_t i = 0; i < d->x_count; i++) {
            memcpy(X_Gather_y(d, 1), X_Gather_x(d, i), d->config.n * sizeof *X_Gather_x(d, i));
            X_Gather_y_send(d, 1);
            X_Gather_x_release(d, i, 1);
        }
}
