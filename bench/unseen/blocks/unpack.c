/* Unpack: splits an element into several elements. */
#include <string.h>
#include "X_Unpack.h"

void X_Unpack_init(X_Unpack *d) { (void)d; }
void X_Unpack_destroy(X_Unpack *d) { (void)d; }

void X_Unpack_push(X_Unpack *d) {
    const uint32_t n = d->config.n;
    for (; X_Unpack_x_avail(d) > 0; X_Unpack_x_release(d, 1))
        for (uint32_t i = 0; i < d->config.times; i++) {
            memcpy(X_Unpack_y(d, 1), X_Unpack_x(d) + i * n, n * sizeof *X_Unpack_x(d));
            X_Unpack_y_send(d, 1);
        }
}
