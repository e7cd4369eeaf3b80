/* Sink: consumes its input. */
#include "X_Sink.h"

void X_Sink_init(X_Sink *d) { (void)d; }

void X_Sink_destroy(X_Sink *d) { (void)d; }

void X_Sink_push(X_Sink *d) {
    for (size_t n; (n = X_Sink_x_avail(d)) > 0;)
        X_Sink_x_release(d, n);
}
