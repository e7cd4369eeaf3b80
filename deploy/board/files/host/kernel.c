/* kernel.c: the kernel that represents the FPGA in xopt deploy --board. It moves elements between the
 * edges of the application and the board, from its first call until everything has ended. It never
 * waits at one edge while another edge could continue. */
#include "X_xopt_board.h"

#include <time.h>

#include "xopt_board.c"

#include "transport.c"

#include "record.h"

/* Runtime functions for this kernel only (outside.c). x_outside_look makes newly arrived elements of an input
 * visible, and returns 1 if no more will arrive. x_outside_flush publishes the sent and released elements to the
 * other kernels, and wakes sleeping processes. */
int x_outside_look(struct x_input *port);
void x_outside_flush(int wake);

enum {
    FRAME = 65535, /* cycles; the limit of 16-bit counts */
    MOST_LAST = 1 << 18,
    RECORD_WORDS = XOPT_RECORD_WORDS > 0 ? XOPT_RECORD_WORDS : 1,
};

struct lane {
    struct x_input *in;
    struct x_output *out;
    size_t part;    /* bytes of the current element that this lane has already moved */
    uint64_t bytes; /* bytes that moved */
};

static struct lane lanes[STREAMS];
static struct xopt_board board;
static FILE *records;
static uint64_t record_words, record_cycle;

static void must(long result) {
    if (result < 0)
        X_fail("%s", board.error);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* give sends the elements that have arrived at an input. */
static int give(unsigned i) {
    struct lane *l = &lanes[i];
    const size_t element = xopt_streams[i].element;
    const int ended = x_outside_look(l->in);
    const size_t here = x_avail(l->in);
    if (here == 0) {
        if (ended)
            xopt_end_stream(&board, i);
        return 0;
    }
    const uint8_t *from = x_front(l->in);
    const long n = xopt_send(&board, i, from + l->part, here * element - l->part);
    must(n);
    l->part += (size_t)n;
    l->bytes += (uint64_t)n;
    x_release(l->in, l->part / element);
    l->part %= element;
    return n > 0;
}

/* accept receives the available elements of an output, up to the free space. */
static int accept(unsigned i) {
    struct lane *l = &lanes[i];
    const size_t element = xopt_streams[i].element, room = x_room(l->out);
    if (room == 0)
        return 0;
    uint8_t *to = x_reserve(l->out, room);
    const long n = xopt_receive(&board, i, to + l->part, room * element - l->part);
    must(n);
    l->part += (size_t)n;
    l->bytes += (uint64_t)n;
    x_send(l->out, l->part / element);
    l->part %= element;
    return n > 0;
}

static int take_records(void) {
    uint32_t words[256];
    const long n = XOPT_RECORD_WORDS > 0 ? xopt_records(&board, words, sizeof words / sizeof *words) : 0;
    must(n);
    if (n > 0 && fwrite(words, sizeof *words, (size_t)n, records) != (size_t)n)
        X_fail("writing records: %s", strerror(errno));
    for (long i = 0; i < n; i++, record_words++)
        if (record_words % RECORD_WORDS == RECORD_CYCLE_LOW)
            record_cycle = words[i];
        else if (record_words % RECORD_WORDS == RECORD_CYCLE_HIGH)
            record_cycle |= (uint64_t)words[i] << 32;
    return n > 0;
}

/* last makes the agent send the counts since its last record. */
static void last(void) {
    uint64_t begin, now;
    if (XOPT_RECORD_WORDS == 0)
        return;
    must(xopt_command(&board, record_command(COMMAND_END_FRAME, 0)));
    must(xopt_cycle(&board, &begin));
    begin -= begin < 100 ? begin : 100; /* the command may have taken effect before the host reads the cycle */
    do {
        take_records();
        must(xopt_cycle(&board, &now));
        must(xopt_pause(&board, now + 64));
    } while (now < begin + MOST_LAST && (record_cycle < begin || record_words % RECORD_WORDS != 0));
}

static void pump(void) {
    uint64_t now;
    for (;;) {
        int any = 0;
        for (unsigned i = 0; i < STREAMS; i++)
            any = (lanes[i].in ? give(i) : accept(i)) || any;
        any = take_records() || any;
        x_outside_flush(!any);
        const int ended = xopt_ended(&board);
        must(ended);
        if (ended && !any)
            return;
        if (!any) {
            must(xopt_cycle(&board, &now));
            must(xopt_pause(&board, now + 256));
        }
    }
}

static void all(X_xopt_board *d) {
    char path[4096];
#define INPUT(i, name) lanes[i].in = d->port_##name;
#define OUTPUT(i, name) lanes[i].out = d->port_##name;
    XOPT_INPUTS(INPUT)
    XOPT_OUTPUTS(OUTPUT)
    snprintf(path, sizeof path, "%s/records", d->config.folder);
    records = fopen(path, "wb");
    if (!records)
        X_fail("%s: %s", path, strerror(errno));
    must(xopt_open(&board, d->config.where));
    must(xopt_start(&board, FRAME));
    const double begin = seconds();
    pump();
    uint64_t bytes[STREAMS];
    for (unsigned i = 0; i < STREAMS; i++)
        bytes[i] = lanes[i].bytes;
    const double wall = seconds() - begin;
    last();
    must(xopt_traces(&board, d->config.folder));
    if (fclose(records) != 0)
        X_fail("%s: %s", path, strerror(errno));
    const struct xopt_totals totals = {d->config.where, XOPT_CLOCK_HZ, wall, FRAME, record_words, bytes};
    must(xopt_summary(&board, d->config.folder, &totals));
    xopt_close(&board);
}

static int done;

void X_xopt_board_init(X_xopt_board *d) { (void)d; }
void X_xopt_board_destroy(X_xopt_board *d) { (void)d; }

#if XOPT_HAS_INPUTS
void X_xopt_board_push(X_xopt_board *d) {
    if (!done++)
        all(d);
}
void X_xopt_board_drain(X_xopt_board *d) { X_xopt_board_push(d); /* no data have arrived, and the kernels end */ }
#else
int X_xopt_board_go(X_xopt_board *d) {
    if (!done++)
        all(d);
    return 1;
}
#endif
