/* Sink: consumes messages, and fails if one is out of order. The sequence may start again: xopt calibrate measures
 * a kernel separately with its recorded input, repeatedly. */
#include "X_Sink.h"

void X_Sink_init(X_Sink *d) { (void)d; }
void X_Sink_destroy(X_Sink *d) { (void)d; }

void X_Sink_push(X_Sink *d) {
    const size_t words = d->config.words;
    uint64_t taken = (uint64_t)(uintptr_t)d->state;
    for (size_t n; (n = X_Sink_x_avail(d)) > 0;) {
        const uint64_t *x = X_Sink_x(d);
        for (size_t i = 0; i < n; i++) {
            if (x[i * words] == 0)
                taken = 0;
            if (x[i * words] != taken++)
                X_fail("message %llu differs from the sent message", (unsigned long long)taken);
        }
        X_Sink_x_release(d, n);
    }
    d->state = (void *)(uintptr_t)taken;
}
