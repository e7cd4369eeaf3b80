/* Ungapped: stage 2. It scores the match of a seed's surroundings without gaps. */
#include "X_Ungapped.h"
#include "dna.h"

struct state {
    uint8_t *query;
    size_t count;
};

void X_Ungapped_init(X_Ungapped *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    s->query = dna_query(d->config.query, d->config.bases, &s->count);
    d->state = s;
}

/* extend returns the best score from base i of the surroundings and base j of the query, in steps of step bases. It
 * ends when the score is drop below the best score. */
static int extend(const struct state *s, const uint64_t *x, int i, int64_t j, int step, int drop) {
    int score = 0, best = 0;
    for (; i >= hit_from(x) && i < hit_to(x) && j >= 0 && j < (int64_t)s->count && score > best - drop; i += step, j += step) {
        score += hit_base(x, i) == s->query[j] ? 1 : -3;
        if (score > best)
            best = score;
    }
    return best;
}

void X_Ungapped_push(X_Ungapped *d) {
    struct state *s = d->state;
    for (; X_Ungapped_x_avail(d) > 0; X_Ungapped_x_release(d, 1)) {
        const uint64_t *x = X_Ungapped_x(d);
        int64_t q = hit_query(x);
        int score = WORD + extend(s, x, LEFT - 1, q - 1, -1, d->config.drop) + extend(s, x, LEFT + WORD, q + WORD, 1, d->config.drop);
        if (score < d->config.threshold)
            continue;
        uint64_t *y = X_Ungapped_y(d, 1);
        memcpy(y, x, 7 * sizeof *y);
        y[1] |= (uint64_t)(uint16_t)score << 48;
        X_Ungapped_y_send(d, 1);
    }
}

void X_Ungapped_destroy(X_Ungapped *d) {
    struct state *s = d->state;
    free(s->query);
    free(s);
}
