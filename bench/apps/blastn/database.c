/* Database: sends the bases of a file repeatedly, or random bases with planted pieces of the query. In these pieces,
 * about every twentieth base is changed, and about every hundredth base is missing. */
#include <math.h>
#include <time.h>
#include "X_Database.h"
#include "dna.h"

struct state {
    uint8_t *file, *query;
    size_t count, length, at; /* bases of the file, bases of the query, position in the file */
    uint64_t random, sent;
    uint64_t end; /* elements to send */
    size_t piece, left; /* position and remaining bases of the planted piece of the query */
    double next; /* time of the next element in us; 0 before the first */
    uint64_t times;
};

void X_Database_init(X_Database *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    d->state = s;
    if (!(d->config.planted >= 0 && d->config.planted <= 1))
        X_fail("planted is %g, expected 0 to 1", d->config.planted);
    if (d->config.input[0]) {
        s->file = dna_read(d->config.input, &s->count);
        if (s->count == 0)
            X_fail("%s contains no bases", d->config.input);
        uint64_t complete = (s->count + ELEMENT - 1) / ELEMENT;
        s->end = d->config.elements > complete ? d->config.elements : complete;
    } else {
        s->query = dna_query(d->config.query, d->config.bases, &s->length);
        s->random = d->config.seed;
        s->end = d->config.elements;
    }
}

static int drawn(X_Database *d) {
    struct state *s = d->state;
    uint64_t r = dna_random(&s->random);
    if (s->left == 0)
        return r & 3;
    if (r >> 10 & 127) { /* else the base is missing */
        s->piece++;
        s->left--;
    } else {
        s->piece += 2;
        s->left -= s->left > 1 ? 2 : 1;
    }
    if (s->piece > s->length)
        s->left = 0;
    return (r >> 20) % 20 == 0 ? r & 3 : s->query[(s->piece - 1) % s->length];
}

/* due reports whether the next element is due. Arrivals follow the clock: a late element does not delay the
 * next element. */
static int due(X_Database *d) {
    struct state *s = d->state;
    if (d->config.time <= 0)
        return 1;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
    if (s->next == 0)
        s->next = now;
    if (now < s->next)
        return 0;
    s->next -= d->config.time * log(((double)(dna_random(&s->times) >> 11) + 1) * 0x1p-53);
    return 1;
}

int X_Database_go(X_Database *d) {
    struct state *s = d->state;
    if (s->sent == s->end)
        return 1;
    if (!due(d))
        return 0;
    uint8_t *y = X_Database_y(d, 1);
    memset(y, 0, ELEMENT / 4);
    if (!s->file && s->left == 0 && (double)(dna_random(&s->random) >> 11) * 0x1p-53 < d->config.planted) {
        s->piece = dna_random(&s->random) % s->length;
        s->left = 20 + dna_random(&s->random) % 40;
    }
    for (int i = 0; i < ELEMENT; i++) {
        int base = s->file ? s->file[s->at] : drawn(d);
        if (s->file)
            s->at = (s->at + 1) % s->count;
        y[i / 4] |= (uint8_t)(base << 2 * (i % 4));
    }
    X_Database_y_send(d, 1);
    return ++s->sent == s->end;
}

void X_Database_destroy(X_Database *d) {
    struct state *s = d->state;
    free(s->file);
    free(s->query);
    free(s);
}
