/* Query: sends the Bloom filter of the words of the query, for stage 1a. */
#include "X_Query.h"
#include "dna.h"
#include "filter.h"

void X_Query_init(X_Query *d) { (void)d; }
void X_Query_destroy(X_Query *d) { (void)d; }

int X_Query_go(X_Query *d) {
    size_t n;
    uint8_t *query = dna_query(d->config.query, d->config.bases, &n);
    uint64_t *filter = X_Query_f(d, 1);
    uint32_t word = 0;
    memset(filter, 0, FILTER_WORDS * sizeof *filter);
    for (size_t i = 0; i < n; i++) {
        word = (word << 2 | query[i]) & WORD_MASK;
        if (i + 1 >= WORD)
            filter_add(filter, word);
    }
    free(query);
    X_Query_f_send(d, 1);
    return 1;
}
