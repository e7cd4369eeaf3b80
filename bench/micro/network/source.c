/* Source: sends the contents of the buffer, as many elements as fit. */
#include "X_Source.h"

void X_Source_init(X_Source *d) { (void)d; }

void X_Source_destroy(X_Source *d) { (void)d; }

int X_Source_go(X_Source *d) {
    size_t n = X_Source_y_room(d);
    if (n == 0)
        n = 1;
    X_Source_y(d, n);
    X_Source_y_send(d, n);
    return 0;
}
