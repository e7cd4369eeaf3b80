/* kernel.c: the kernel that represents the FPGA in xopt deploy --board. It moves elements between the
 * edges of the application and the board, from its first call until everything has ended. It never
 * waits at one edge while another edge could continue. */
#include "X_xopt_board.h"

#define FAIL X_fail
#include "session.h"

#include "xopt_board.c"

#include "transport.c"

/* Runtime functions for this kernel only (outside.c). x_outside_look makes newly arrived elements of an input
 * visible, and returns 1 if no more will arrive. x_outside_flush publishes the sent and released elements to the
 * other kernels, and wakes sleeping processes. */
int x_outside_look(struct x_input *port);
void x_outside_flush(int wake);

struct lane {
    struct x_input *in;
    struct x_output *out;
    size_t part;    /* bytes of the current element that this lane has already moved */
    uint64_t bytes; /* bytes that moved */
};

static struct lane lanes[STREAMS];

/* send_input sends the elements that have arrived at an input. */
static int send_input(unsigned i) {
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

/* receive_output receives the available elements of an output, up to the free space. */
static int receive_output(unsigned i) {
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

/* poll_board moves the available elements and records, and reports whether any moved. */
static int poll_board(void) {
    int any = 0;
    for (unsigned i = 0; i < STREAMS; i++)
        any = (lanes[i].in ? send_input(i) : receive_output(i)) || any;
    any = store_records() || any;
    x_outside_flush(!any);
    return any;
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
    pump(poll_board);
    uint64_t bytes[STREAMS];
    for (unsigned i = 0; i < STREAMS; i++)
        bytes[i] = lanes[i].bytes;
    const double wall = seconds() - begin;
    finish_records(0, store_records);
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
