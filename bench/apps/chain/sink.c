/* Sink: consumes messages, and fails if one is out of order. The sequence may restart, because xopt
 * calibrate repeats the recorded input of a kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "X_Sink.h"

struct state {
    uint64_t taken;
    FILE *latencies; /* NULL if they are not recorded */
};

void X_Sink_init(X_Sink *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    d->state = s;
    if (d->config.every > 0 && d->config.words > 1 && d->config.output[0]) {
        s->latencies = fopen(d->config.output, "wb");
        if (!s->latencies)
            X_fail("cannot write %s", d->config.output);
    }
}

/* arrived writes the time since the source stamped a message. */
static void arrived(FILE *latencies, const uint64_t *message) {
    struct timespec t;
    double sent;
    clock_gettime(CLOCK_MONOTONIC, &t);
    memcpy(&sent, message + 1, sizeof sent);
    const double latency = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec - sent;
    fwrite(&latency, sizeof latency, 1, latencies);
}

void X_Sink_push(X_Sink *d) {
    struct state *s = d->state;
    const size_t words = d->config.words;
    for (size_t n; (n = X_Sink_x_avail(d)) > 0;) {
        const uint64_t *x = X_Sink_x(d);
        for (size_t i = 0; i < n; i++) {
            if (x[i * words] == 0)
                s->taken = 0;
            if (x[i * words] != s->taken)
                X_fail("message %llu differs from the sent message", (unsigned long long)s->taken);
            if (s->latencies && s->taken % d->config.every == 0)
                arrived(s->latencies, x + i * words);
            s->taken++;
        }
        X_Sink_x_release(d, n);
    }
}

void X_Sink_destroy(X_Sink *d) {
    struct state *s = d->state;
    if (s->latencies && fclose(s->latencies) != 0)
        X_fail("cannot write %s", d->config.output);
    free(s);
}
