/* Signal: sends a triangle wave with noise (xorshift32). The strength changes every 40 blocks. */
#include <stdlib.h>
#include "X_Signal.h"

enum { SAMPLES = 4096, STEADY = 40, STEP = 0x01a36e2f };

struct state {
    uint32_t random, phase;
    uint64_t block;
};

void X_Signal_init(X_Signal *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->random = 2463534242u ^ (d->config.seed * 2654435761u);
    d->state = s;
}

int X_Signal_go(X_Signal *d) {
    struct state *s = d->state;
    if (s->block >= d->config.elements)
        return 1;
    int strength = 200 << (s->block / STEADY * 5 % 8);
    int32_t *y = X_Signal_y(d, 1);
    for (int i = 0; i < SAMPLES; i++) {
        s->random ^= s->random << 13;
        s->random ^= s->random >> 17;
        s->random ^= s->random << 5;
        s->phase += STEP;
        int32_t wave = (int32_t)(s->phase >> 16);
        wave = (wave < 32768 ? wave : 65535 - wave) * 2 - 32767;
        int32_t noise = (int32_t)(s->random >> 20) - 2048;
        y[i] = (wave + noise) * strength >> 15;
    }
    X_Signal_y_send(d, 1);
    return ++s->block >= d->config.elements;
}

void X_Signal_destroy(X_Signal *d) { free(d->state); }
