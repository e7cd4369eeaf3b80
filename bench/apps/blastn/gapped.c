/* Gapped: stage 3. It finds the best local alignment within a band around the seed's diagonal. */
#include "X_Gapped.h"
#include "dna.h"

enum { GAP = 4, WIDEST = 64 };

struct state {
    uint8_t *query;
    size_t count;
};

void X_Gapped_init(X_Gapped *d) {
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        X_fail("out of memory");
    if (d->config.band > WIDEST)
        X_fail("the band is %u, expected at most %d", d->config.band, WIDEST);
    s->query = dna_query(d->config.query, d->config.bases, &s->count);
    d->state = s;
}

static int maximum(int a, int b) { return a > b ? a : b; }

/* align computes the band row by row. Row i belongs to base i of the surroundings, and its cell k to base i +
 * diagonal + k - band of the query. */
static int align(X_Gapped *d, const uint64_t *x) {
    const struct state *s = d->state;
    int band = (int)d->config.band, width = 2 * band + 1, best = 0;
    int64_t diagonal = (int64_t)hit_query(x) - LEFT;
    int row[2 * WIDEST + 3] = {0}; /* cell k is row[k + 1]; the borders stay 0 */
    for (int i = hit_from(x); i < hit_to(x); i++) {
        int base = hit_base(x, i), before = 0;
        for (int k = 0; k < width; k++) {
            int64_t j = i + diagonal + k - band;
            int score = 0;
            if (j >= 0 && j < (int64_t)s->count) {
                score = maximum(0, row[k + 1] + (s->query[j] == base ? 1 : -3));
                score = maximum(score, maximum(k + 1 < width ? row[k + 2] : 0, before) - GAP);
            }
            row[k + 1] = before = score;
            best = maximum(best, score);
        }
    }
    return best;
}

void X_Gapped_push(X_Gapped *d) {
    for (; X_Gapped_x_avail(d) > 0; X_Gapped_x_release(d, 1)) {
        const uint64_t *x = X_Gapped_x(d);
        int score = align(d, x);
        if (score < d->config.threshold)
            continue;
        uint64_t *y = X_Gapped_y(d, 1);
        y[0] = x[0];
        y[1] = hit_query(x) | (uint64_t)score << 32;
        X_Gapped_y_send(d, 1);
    }
}

void X_Gapped_destroy(X_Gapped *d) {
    struct state *s = d->state;
    free(s->query);
    free(s);
}
