/* Signal: a source of samples. */
#include <stdlib.h>
#include "X_Signal.h"

enum { PERIOD = 1 << 12 };

struct state {
    uint32_t random, time;
    uint64_t sent;
    float period[PERIOD];
};

static uint32_t draw(struct state *s) { /* xorshift32 */
    s->random ^= s->random << 13;
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random;
}

void X_Signal_init(X_Signal *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->random = 2463534242u ^ d->config.seed * 2654435761u;
    for (uint32_t i = 0; i < PERIOD; i++) {
        int32_t wave = (int32_t)(i * 13u % 2048u) - 1024;
        int32_t noise = (int32_t)(draw(s) % 256u) - 128;
        s->period[i] = (float)(wave + noise) * 0x1p-10f;
    }
    d->state = s;
}

void X_Signal_destroy(X_Signal *d) { free(d->state); }

int X_Signal_go(X_Signal *d) {
    struct state *s = d->state;
    if (s->sent >= d->config.elements)
        return 1;
    float *y = X_Signal_y(d, 1);
    float loud = (float)(1 + draw(s) % 8) * 0.125f;
    for (uint32_t i = 0; i < d->config.n; i++)
        y[i] = loud * s->period[(s->time + i) % PERIOD];
    s->time += d->config.n;
    X_Signal_y_send(d, 1);
    s->sent++;
    return 0;
}
