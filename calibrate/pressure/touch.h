/* touch.h: reads and writes memory line by line, alternately in sequence and at random. Memory is fast in sequence. */
#ifndef TOUCH_H
#define TOUCH_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { TOUCH_LINE = 64, TOUCH_CHUNK = 1024 }; /* bytes per line; lines per chunk */

struct touch {
    uint8_t *data;
    uint64_t lines, at, random;
    int ordered;
};

/* touch_open returns 0, or -1 if there is no memory. */
static inline int touch_open(struct touch *t, uint64_t bytes) {
    t->lines = bytes / TOUCH_LINE;
    t->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (t->data == MAP_FAILED)
        return -1;
    madvise(t->data, bytes, MADV_HUGEPAGE);
    memset(t->data, 1, bytes);
    t->random = 1;
    return 0;
}

/* touch_chunk touches a chunk of the first lines. */
static inline void touch_chunk(struct touch *t, uint64_t lines) {
    t->ordered = !t->ordered;
    for (int i = 0; i < TOUCH_CHUNK; i++) {
        uint64_t at;
        if (t->ordered) {
            if (++t->at >= lines)
                t->at = 0;
            at = t->at;
        } else {
            t->random = t->random * 6364136223846793005u + 1442695040888963407u;
            at = (t->random >> 32) * lines >> 32;
        }
        volatile uint64_t *word = (volatile uint64_t *)(t->data + at * TOUCH_LINE);
        *word += 1;
    }
}

static inline void touch_close(struct touch *t) { munmap(t->data, t->lines * TOUCH_LINE); }

#endif
