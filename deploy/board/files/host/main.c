/* main.c: sends the contents of files to a board, and writes its output, the records of its agent, and a summary:
 *
 * host --board WHERE --in FOLDER --out FOLDER [--frame CYCLES] [--clock HZ] [--replay]
 *
 * Input eN is FOLDER/eN.data, which may be a named pipe; output eN goes to FOLDER/eN.data. With --replay, the words in
 * a model move in the same cycles as in the exported run. The file schedule in the folder of the inputs contains these
 * cycles. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("host: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

#define FAIL fail
#include "session.h"

enum {
    STREAMS = sizeof xopt_streams / sizeof *xopt_streams,
    PARTS = sizeof xopt_parts / sizeof *xopt_parts,
    CHUNK = 1 << 16,     /* bytes */
    LATENCY_COMMAND = 1, /* cycles from writing a register until the command takes effect */
    LATENCY_DRAIN = 2,
};

struct lane { /* a stream and its file */
    int file;
    int finished;            /* for an input: the file has ended */
    size_t from, to;     /* range of bytes in buffer to send */
    uint64_t bytes;      /* bytes that moved */
    uint8_t *buffer;
};

static struct lane lanes[STREAMS];

static int open_in(const char *folder, const char *name, int flags) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, flags | O_CLOEXEC, 0644);
    if (file < 0)
        fail("%s: %s", path, strerror(errno));
    return file;
}

/* forget removes a file of an earlier run, which would be read together with the new files. */
static void forget(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (unlink(path) != 0 && errno != ENOENT)
        fail("%s: %s", path, strerror(errno));
}

static void open_lanes(const char *in, const char *out) {
    for (unsigned i = 0; i < STREAMS; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.data", xopt_streams[i].name);
        const int input = xopt_streams[i].input;
        lanes[i].file = open_in(input ? in : out, name, input ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC);
        if (input) /* so that an empty pipe does not block the other inputs */
            fcntl(lanes[i].file, F_SETFL, fcntl(lanes[i].file, F_GETFL) | O_NONBLOCK);
        lanes[i].buffer = malloc(CHUNK);
        if (!lanes[i].buffer)
            fail("out of memory");
    }
}

static void write_all(int file, const void *bytes, size_t n) {
    const char *at = bytes;
    while (n > 0) {
        const ssize_t done = write(file, at, n);
        if (done < 0 && errno != EINTR)
            fail("writing received data: %s", strerror(errno));
        if (done > 0)
            at += done, n -= (size_t)done;
    }
}

/* fill reads more of an input's file, and stores it after the unsent data. */
static void fill(unsigned i) {
    struct lane *l = &lanes[i];
    if (l->finished || l->to - l->from >= xopt_streams[i].word)
        return;
    memmove(l->buffer, l->buffer + l->from, l->to - l->from);
    l->to -= l->from, l->from = 0;
    const ssize_t n = read(l->file, l->buffer + l->to, CHUNK - l->to);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        fail("reading %s.data: %s", xopt_streams[i].name, strerror(errno));
    if (n > 0)
        l->to += (size_t)n;
    l->finished = n == 0;
    if (l->finished && l->to % xopt_streams[i].word != 0)
        fail("%s.data ends within a word of %u bytes", xopt_streams[i].name, xopt_streams[i].word);
}

/* move_streams sends and receives the words that can move, and reports whether any words moved. */
static int move_streams(void) {
    int any = 0;
    for (unsigned i = 0; i < STREAMS; i++) {
        struct lane *l = &lanes[i];
        long n;
        if (xopt_streams[i].input) {
            fill(i);
            n = xopt_send(&board, i, l->buffer + l->from, l->to - l->from);
            must(n);
            l->from += (size_t)n;
            if (l->finished && l->from == l->to)
                xopt_end_stream(&board, i);
        } else {
            n = xopt_receive(&board, i, l->buffer, CHUNK);
            must(n);
            write_all(l->file, l->buffer, (size_t)n);
        }
        l->bytes += (uint64_t)n;
        any = any || n > 0;
    }
    return any;
}

/* poll_board moves the words and records that can move, and reports whether any moved. */
static int poll_board(void) {
    const int any = move_streams();
    return store_records() || any;
}

/* act is an action of the host in a replay, with its time. */
struct act {
    uint64_t cycle;
    long part; /* kernel to drain; -1: the run ends */
};

static int earlier(const void *a, const void *b) {
    const struct act *x = a, *y = b;
    return x->cycle < y->cycle ? -1 : x->cycle > y->cycle;
}

/* read_schedule reads the host's actions in a replay, and the length of a frame. */
static struct act *read_schedule(const char *folder, size_t *count, uint64_t *frame) {
    struct act *acts = NULL;
    char line[256];
    FILE *f = fdopen(open_in(folder, "schedule", O_RDONLY), "r");
    *count = 0;
    while (f && fgets(line, sizeof line, f)) {
        struct act a = {0, -1};
        if (sscanf(line, "frame %" SCNu64, frame) == 1)
            continue;
        if (sscanf(line, "drain %ld %" SCNu64, &a.part, &a.cycle) != 2 && sscanf(line, "end %" SCNu64, &a.cycle) != 1)
            continue;
        acts = realloc(acts, (*count + 1) * sizeof *acts);
        if (!acts)
            fail("out of memory");
        acts[(*count)++] = a;
    }
    if (f)
        fclose(f);
    qsort(acts, *count, sizeof *acts, earlier);
    return acts;
}

/* until advances the model to a cycle, and moves data in the meantime. */
static void until(uint64_t cycle) {
    uint64_t now;
    must(xopt_cycle(&board, &now));
    while (now + 32 * STEP < cycle) {
        must(xopt_pause(&board, now + STEP));
        poll_board();
        must(xopt_cycle(&board, &now));
    }
    must(xopt_pause(&board, cycle));
}

/* run_replay performs the host's actions in a replay. Kernels that must drain in one cycle receive one
 * command. */
static void run_replay(const struct act *acts, size_t count, const char *folder) {
    struct stat expected;
    unsigned parts[PARTS];
    for (size_t i = 0; i < count;) {
        size_t n = 0;
        until(acts[i].cycle - (acts[i].part < 0 ? LATENCY_COMMAND : LATENCY_DRAIN));
        if (acts[i].part < 0)
            break;
        for (const uint64_t cycle = acts[i].cycle; i < count && acts[i].cycle == cycle && acts[i].part >= 0; i++)
            if (acts[i].part < PARTS && n < PARTS)
                parts[n++] = (unsigned)acts[i].part;
        must(xopt_drain(&board, parts, n));
    }
    const int file = open_in(folder, "records", O_RDONLY);
    if (fstat(file, &expected) != 0)
        fail("%s/records: %s", folder, strerror(errno));
    close(file);
    finish_records((uint64_t)expected.st_size / sizeof(uint32_t), poll_board);
    if (count > 0) /* words that left the kernels since the last poll */
        until(acts[count - 1].cycle + STEP);
    while (move_streams())
        ;
}

static void summary(const char *out, const char *where, double wall, double clock, uint32_t frame) {
    uint64_t bytes[STREAMS];
    for (unsigned i = 0; i < STREAMS; i++)
        bytes[i] = lanes[i].bytes;
    const struct xopt_totals totals = {where, clock, wall, frame, record_words, bytes};
    must(xopt_summary(&board, out, &totals));
    printf("%s:", where);
    for (unsigned i = 0; i < STREAMS; i++)
        printf(" %s %" PRIu64 " bytes,", xopt_streams[i].name, bytes[i]);
    printf(" records of %" PRIu64 " words\n", record_words);
}

int main(int argc, char **argv) {
    const char *where = NULL, *in = NULL, *out = NULL;
    uint64_t frame = FRAME;
    double clock = XOPT_CLOCK_HZ;
    int replay = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--replay") == 0) {
            replay = 1;
            continue;
        }
        if (!value)
            fail("%s needs a value", argv[i]);
        if (strcmp(argv[i], "--board") == 0)
            where = value;
        else if (strcmp(argv[i], "--in") == 0)
            in = value;
        else if (strcmp(argv[i], "--out") == 0)
            out = value;
        else if (strcmp(argv[i], "--frame") == 0)
            frame = strtoull(value, NULL, 0);
        else if (strcmp(argv[i], "--clock") == 0)
            clock = strtod(value, NULL);
        else
            fail("unknown option %s, expected --board, --in, --out, --frame, --clock or --replay", argv[i]);
        i++;
    }
    if (!where || !in || !out)
        fail("expected --board WHERE --in FOLDER --out FOLDER [--frame CYCLES] [--clock HZ] [--replay]");
    struct act *acts = NULL;
    size_t count = 0;
    if (replay)
        acts = read_schedule(in, &count, &frame);
    must(xopt_open(&board, where)); /* before the files of an earlier run are truncated */
    forget(out, "summary");
    open_lanes(in, out);
    records = fdopen(open_in(out, "records", O_WRONLY | O_CREAT | O_TRUNC), "wb");
    if (!records)
        fail("writing records: %s", strerror(errno));
    if (replay) /* so that the first words are available when the kernels start */
        poll_board();
    must(xopt_start(&board, (uint32_t)frame));
    const double begin = seconds();
    if (replay) {
        run_replay(acts, count, in);
    } else {
        pump(poll_board);
        finish_records(0, poll_board);
    }
    const double wall = seconds() - begin;
    if (fclose(records) != 0)
        fail("writing records: %s", strerror(errno));
    must(xopt_traces(&board, out));
    summary(out, where, wall, clock, (uint32_t)frame);
    free(acts);
    xopt_close(&board);
    return 0;
}
