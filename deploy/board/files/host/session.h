/* session.h: one run on a board: the board, the records of its agent, and the end of the run. It is part of a program
 * that includes it after defining FAIL(format, ...), which ends the program with a message. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "design.h"
#include "record.h"
#include "xopt_board.h"

enum {
    FRAME = 65535,         /* cycles; the limit of 16-bit counts */
    STEP = 64,             /* cycles between polls */
    LAST_RECORD = 1 << 18, /* maximum cycles until the last record arrives */
    RECORD_WORDS = XOPT_RECORD_WORDS > 0 ? XOPT_RECORD_WORDS : 1,
};

static struct xopt_board board;
static FILE *records;
static uint64_t record_words;
static uint64_t record_cycle; /* last cycle of the last record's frame */

static void must(long result) {
    if (result < 0)
        FAIL("%s", board.error);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* store_records stores the available words of records, and reports whether there were any. */
static int store_records(void) {
    uint32_t words[256];
    const long n = XOPT_RECORD_WORDS > 0 ? xopt_records(&board, words, sizeof words / sizeof *words) : 0;
    must(n);
    if (n > 0 && fwrite(words, sizeof *words, (size_t)n, records) != (size_t)n)
        FAIL("writing records: %s", strerror(errno));
    for (long i = 0; i < n; i++, record_words++)
        if (record_words % RECORD_WORDS == RECORD_CYCLE_LOW)
            record_cycle = words[i];
        else if (record_words % RECORD_WORDS == RECORD_CYCLE_HIGH)
            record_cycle |= (uint64_t)words[i] << 32;
    return n > 0;
}

/* finish_records makes the agent send the counts since its last record, and calls move until they are stored. expected
 * is the number of words afterwards; 0 if unknown. */
static void finish_records(uint64_t expected, int (*move)(void)) {
    uint64_t begin, now;
    if (XOPT_RECORD_WORDS == 0)
        return;
    must(xopt_command(&board, record_command(COMMAND_END_FRAME, 0)));
    must(xopt_cycle(&board, &begin));
    begin -= begin < 100 ? begin : 100; /* the command may have taken effect before the host reads the cycle */
    do {
        move();
        must(xopt_cycle(&board, &now));
        must(xopt_pause(&board, now + STEP));
    } while (now < begin + LAST_RECORD &&
             (expected > 0 ? record_words < expected
                           : record_cycle < begin || record_words % RECORD_WORDS != 0));
}

/* pump calls move until all streams have ended and nothing moves. move moves the available data, and reports whether
 * any moved. */
static void pump(int (*move)(void)) {
    uint64_t now;
    for (;;) {
        const int any = move(), ended = xopt_ended(&board);
        must(ended);
        if (ended && !any)
            return;
        if (!any) {
            must(xopt_cycle(&board, &now));
            must(xopt_pause(&board, now + 256));
        }
    }
}
