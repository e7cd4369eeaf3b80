/* dna.h: bases as two bits, words of the query, and the surroundings of a word. */
#ifndef DNA_H
#define DNA_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "X.h"

enum {
    WORD = 11, /* bases */
    WORD_MASK = (1 << 2 * WORD) - 1,
    LEFT = 74, /* bases of the surroundings before the word */
    AROUND = 160,
    ELEMENT = 256, /* bases */
};

/* dna_random is the output function of splitmix64. */
static inline uint64_t dna_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* dna_read reads the bases of a FASTA file. Other letters than A, C, G and T become one of these, depending on
 * their position, as in the packed databases of search tools. */
static inline uint8_t *dna_read(const char *path, size_t *count) {
    FILE *f = fopen(path, "r");
    if (!f)
        X_fail("cannot read %s: %s", path, strerror(errno));
    size_t n = 0, room = 1 << 16;
    uint8_t *bases = malloc(room);
    int header = 0, c;
    while (bases && (c = fgetc(f)) != EOF) {
        if (c == '\n') {
            header = 0;
            continue;
        }
        header = header || c == '>' || c == ';';
        if (header || c == '\r' || c == ' ' || c == '\t')
            continue;
        if (n == room && !(bases = realloc(bases, room *= 2)))
            break;
        switch (c) {
        case 'A': case 'a': bases[n] = 0; break;
        case 'C': case 'c': bases[n] = 1; break;
        case 'G': case 'g': bases[n] = 2; break;
        case 'T': case 't': case 'U': case 'u': bases[n] = 3; break;
        default: {
            if (c < 'A' || c > 'z')
                X_fail("%s: base %zu is \"%c\" (%d), which FASTA files do not have", path, n + 1, c >= ' ' && c < 127 ? c : '?', c);
            uint64_t place = n;
            bases[n] = dna_random(&place) & 3;
        }
        }
        n++;
    }
    if (!bases)
        X_fail("out of memory for the bases of %s", path);
    if (ferror(f))
        X_fail("cannot read %s: %s", path, strerror(errno));
    fclose(f);
    *count = n;
    return bases;
}

/* dna_query reads or draws the query. */
static inline uint8_t *dna_query(const char *path, uint32_t drawn, size_t *count) {
    uint8_t *bases;
    if (path[0]) {
        bases = dna_read(path, count);
    } else {
        bases = malloc(drawn + 1);
        if (!bases)
            X_fail("out of memory for a query of %u bases", drawn);
        uint64_t state = 0x71;
        for (uint32_t i = 0; i < drawn; i++)
            bases[i] = dna_random(&state) >> 40 & 3;
        *count = drawn;
    }
    if (*count < WORD)
        X_fail("the query has %zu bases, expected at least %d", *count, WORD);
    return bases;
}

/* A found word consists of 7 numbers. */
static inline uint32_t hit_query(const uint64_t *h) { return (uint32_t)h[1]; }
static inline int hit_from(const uint64_t *h) { return h[1] >> 32 & 255; }
static inline int hit_to(const uint64_t *h) { return h[1] >> 40 & 255; }
static inline int hit_base(const uint64_t *h, int i) { return h[2 + i / 32] >> 2 * (i % 32) & 3; }

#endif
