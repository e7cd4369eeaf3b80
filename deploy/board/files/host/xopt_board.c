/* xopt_board.c: implements streams, records, and the end of a run with the registers of a board (registers.h). */
#include "xopt_board.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "design.h"
#include "registers.h"

enum {
    STREAMS = sizeof xopt_streams / sizeof *xopt_streams,
    PARTS = sizeof xopt_parts / sizeof *xopt_parts,
    PADDED_BYTES = 4096, /* bytes of padded words that move at once; a padded word has at most 128 */
};

struct xopt_state {
    uint32_t level[STREAMS];   /* known number of available or free words */
    uint64_t ended_at[STREAMS]; /* 1 + cycle in which an input ended; 0 before */
    uint32_t drain[(PARTS + 31) / 32];
    uint64_t drained_at[PARTS]; /* 1 + cycle in which a kernel received the command to drain; 0 before */
    int ended[PARTS];
    uint64_t held_at;                  /* cycle in which traces ended; 0 before */
    uint64_t recorded[XOPT_TRACES + 1]; /* records of each trace */
    uint32_t dropped[XOPT_TRACES + 1];  /* changes dropped for lack of space */
};

static int fail(struct xopt_board *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(b->error, sizeof b->error, format, args);
    va_end(args);
    return -1;
}

static int get(struct xopt_board *b, uint32_t address, uint32_t *value) {
    if (b->transport.read(b->transport.self, address, value) == 0)
        return 0;
    return fail(b, "reading register 0x%x: %s", address, b->transport.error);
}

static int put(struct xopt_board *b, uint32_t address, uint32_t value) {
    if (b->transport.write(b->transport.self, address, value) == 0)
        return 0;
    return fail(b, "writing register 0x%x: %s", address, b->transport.error);
}

int xopt_open(struct xopt_board *b, const char *where) {
    uint32_t magic, id;
    memset(b, 0, sizeof *b);
    if (xopt_open_transport(&b->transport, where) != 0)
        return fail(b, "opening %s: %s", where, b->transport.error);
    b->state = calloc(1, sizeof *b->state);
    if (!b->state)
        return fail(b, "out of memory");
    if (get(b, XOPT_MAGIC, &magic) != 0 || get(b, XOPT_ID, &id) != 0)
        return -1;
    if (magic != XOPT_MAGIC_VALUE)
        return fail(b, "%s contains no xopt design: the first register is 0x%08x, expected 0x%08x (load the bitstream "
                       "of this project)", where, magic, XOPT_MAGIC_VALUE);
    if (id != XOPT_DESIGN)
        return fail(b, "%s contains design 0x%08x, but this program needs 0x%08x: load the bitstream of this project",
                    where,
                    id, XOPT_DESIGN);
    return 0;
}

void xopt_close(struct xopt_board *b) {
    if (b->transport.close)
        b->transport.close(b->transport.self);
    free(b->state);
    memset(b, 0, sizeof *b);
}

int xopt_start(struct xopt_board *b, uint32_t frame) {
    uint32_t status = 0;
    memset(b->state, 0, sizeof *b->state);
    if (put(b, XOPT_CONTROL, 0) != 0 || put(b, XOPT_FRAME, frame) != 0 || put(b, XOPT_CONTROL, 1) != 0)
        return -1;
    for (int tries = 0; tries < 1000000; tries++) {
        if (get(b, XOPT_STATUS, &status) != 0)
            return -1;
        if (status & 1)
            return 0;
    }
    return fail(b, "the kernels do not leave reset: check the clock");
}

static uint32_t data_at(unsigned stream) { return XOPT_STREAMS + 16 * stream; }

/* read_level reads the number of available or free words of a stream, unless a positive number is known. It returns -1
 * on failure. */
static int read_level(struct xopt_board *b, unsigned stream) {
    uint32_t *level = &b->state->level[stream];
    return *level > 0 ? 0 : get(b, data_at(stream) + 4, level);
}

/* send_padded sends complete words, each followed by zeros, as the shell for DMA engines requires. */
static long send_padded(struct xopt_board *b, unsigned stream, const uint8_t *from, size_t bytes) {
    const size_t word = xopt_streams[stream].word, bus = xopt_streams[stream].bus;
    uint8_t padded[PADDED_BYTES];
    size_t count = bytes / word;
    if (count > PADDED_BYTES / bus)
        count = PADDED_BYTES / bus;
    memset(padded, 0, count * bus);
    for (size_t i = 0; i < count; i++)
        memcpy(padded + i * bus, from + i * word, word);
    const long n = b->transport.send(b->transport.self, stream, padded, count * bus);
    return n < 0 ? n : (long)((size_t)n / bus * word);
}

/* receive_padded receives complete words and drops the zeros after each. Other values mean that host and FPGA
 * disagree on the start of a word. */
static long receive_padded(struct xopt_board *b, unsigned stream, uint8_t *to, size_t bytes) {
    const size_t word = xopt_streams[stream].word, bus = xopt_streams[stream].bus;
    uint8_t padded[PADDED_BYTES];
    size_t count = bytes / word;
    if (count > PADDED_BYTES / bus)
        count = PADDED_BYTES / bus;
    const long n = b->transport.receive(b->transport.self, stream, padded, count * bus);
    for (size_t i = 0; n > 0 && i < (size_t)n / bus; i++) {
        memcpy(to + i * word, padded + i * bus, word);
        for (size_t at = word; at < bus; at++)
            if (padded[i * bus + at] != 0) {
                snprintf(b->transport.error, sizeof b->transport.error, "the padding of a word is not zero");
                return -1;
            }
    }
    return n < 0 ? n : (long)((size_t)n / bus * word);
}

long xopt_send(struct xopt_board *b, unsigned stream, const void *words, size_t bytes) {
    const unsigned size = xopt_streams[stream].word;
    const uint8_t *from = words;
    size_t done = 0;
    if (b->transport.send) {
        long n = size == xopt_streams[stream].bus
                     ? b->transport.send(b->transport.self, stream, words, bytes - bytes % size)
                     : send_padded(b, stream, words, bytes);
        return n < 0 ? fail(b, "sending to %s: %s", xopt_streams[stream].name, b->transport.error) : n;
    }
    for (; bytes - done >= size; done += size) {
        if (read_level(b, stream) != 0)
            return -1;
        if (b->state->level[stream] == 0)
            break;
        for (unsigned at = 0; at < size; at += 4) {
            uint32_t beat = 0;
            for (unsigned i = 0; i < 4 && at + i < size; i++)
                beat |= (uint32_t)from[done + at + i] << 8 * i;
            if (put(b, data_at(stream), beat) != 0)
                return -1;
        }
        b->state->level[stream]--;
    }
    return (long)done;
}

long xopt_receive(struct xopt_board *b, unsigned stream, void *words, size_t bytes) {
    const unsigned size = xopt_streams[stream].word;
    uint8_t *to = words;
    size_t done = 0;
    if (b->transport.receive) {
        long n = size == xopt_streams[stream].bus
                     ? b->transport.receive(b->transport.self, stream, words, bytes - bytes % size)
                     : receive_padded(b, stream, words, bytes);
        return n < 0 ? fail(b, "receiving from %s: %s", xopt_streams[stream].name, b->transport.error) : n;
    }
    for (; bytes - done >= size; done += size) {
        if (read_level(b, stream) != 0)
            return -1;
        if (b->state->level[stream] == 0)
            break;
        for (unsigned at = 0; at < size; at += 4) {
            uint32_t beat;
            if (get(b, data_at(stream), &beat) != 0)
                return -1;
            for (unsigned i = 0; i < 4 && at + i < size; i++)
                to[done + at + i] = (uint8_t)(beat >> 8 * i);
        }
        b->state->level[stream]--;
    }
    return (long)done;
}

long xopt_records(struct xopt_board *b, uint32_t *words, size_t n) {
    uint32_t there;
    if (get(b, XOPT_RECORDS, &there) != 0)
        return -1;
    if (n > there)
        n = there;
    for (size_t i = 0; i < n; i++)
        if (get(b, XOPT_RECORD, &words[i]) != 0)
            return -1;
    return (long)n;
}

int xopt_command(struct xopt_board *b, uint32_t command) { return put(b, XOPT_COMMAND, command); }

int xopt_cycle(struct xopt_board *b, uint64_t *cycle) {
    uint32_t low, high;
    if (get(b, XOPT_CYCLE_LOW, &low) != 0 || get(b, XOPT_CYCLE_HIGH, &high) != 0)
        return -1;
    *cycle = (uint64_t)high << 32 | low;
    return 0;
}

int xopt_pause(struct xopt_board *b, uint64_t cycle) {
    if (b->transport.pause(b->transport.self, cycle) == 0)
        return 0;
    return fail(b, "waiting: %s", b->transport.error);
}

void xopt_end_stream(struct xopt_board *b, unsigned stream) {
    uint64_t now = 0;
    if (b->state->ended_at[stream] == 0 && xopt_cycle(b, &now) == 0)
        b->state->ended_at[stream] = now + 1;
}

int xopt_drain(struct xopt_board *b, const unsigned *parts, size_t n) {
    for (size_t i = 0; i < n; i++)
        b->state->drain[parts[i] / 32] |= 1u << parts[i] % 32;
    for (unsigned bank = 0; bank < (PARTS + 31) / 32; bank++) {
        int changed = 0;
        for (size_t i = 0; i < n; i++)
            changed = changed || parts[i] / 32 == bank;
        if (changed && put(b, XOPT_DRAIN + 4 * bank, b->state->drain[bank]) != 0)
            return -1;
    }
    return 0;
}

/* finished reports whether a kernel has been idle since the end of its inputs and the command to drain. */
static int finished(const struct xopt_board *b, unsigned part, uint64_t now) {
    const struct xopt_state *s = b->state;
    for (unsigned i = 0; i < STREAMS; i++)
        if (xopt_streams[i].input && xopt_streams[i].part == part &&
            (s->ended_at[i] == 0 || now < s->ended_at[i] + 2 * XOPT_QUIET_CYCLES))
            return 0;
    for (const struct xopt_wire *w = xopt_wires; w->from >= 0; w++)
        if (w->to == (int)part && !s->ended[w->from])
            return 0;
    return s->drained_at[part] == 0 || now >= s->drained_at[part] + 2 * XOPT_QUIET_CYCLES;
}

int xopt_ended(struct xopt_board *b) {
    struct xopt_state *s = b->state;
    uint64_t now;
    uint32_t quiet = 0;
    int all = 1;
    if (xopt_cycle(b, &now) != 0)
        return -1;
    for (unsigned part = 0; part < PARTS; part++) {
        if (part % 32 == 0 && get(b, XOPT_QUIET + 4 * (part / 32), &quiet) != 0)
            return -1;
        if (s->ended[part] || !(quiet >> part % 32 & 1) || !finished(b, part, now)) {
            all = all && s->ended[part];
            continue;
        }
        if (xopt_parts[part].drains && s->drained_at[part] == 0) {
            s->drained_at[part] = now + 1;
            all = 0;
            if (xopt_drain(b, &part, 1) != 0)
                return -1;
        } else {
            s->ended[part] = 1;
        }
    }
    return all;
}

/* trace_at returns the offset of a trace's registers, which follow the registers of the streams: data, number of
 * records, number of dropped changes. */
static uint32_t trace_at(unsigned trace) { return data_at(STREAMS + trace); }

/* read_ring writes the records of a trace to a file, until several reads in a row find none. A record takes a few
 * cycles from the ring to the register. */
static int read_ring(struct xopt_board *b, unsigned trace, FILE *f) {
    enum { NONE = 4 };
    const struct xopt_trace *ring = &xopt_trace_rings[trace];
    uint64_t *n = &b->state->recorded[trace];
    uint32_t there, word;
    for (int none = 0; none < NONE;) {
        if (get(b, trace_at(trace) + 4, &there) != 0)
            return -1;
        none = there == 0 ? none + 1 : 0;
        for (; there > 0; there--) {
            if ((*n)++ >= ring->maximum)
                return fail(b, "trace %u has more than the %u records of its ring", trace, ring->maximum);
            for (unsigned i = 0; i < ring->words; i++)
                if (get(b, trace_at(trace), &word) != 0)
                    return -1;
                else if (fwrite(&word, sizeof word, 1, f) != 1)
                    return fail(b, "writing trace %u: %s", trace, strerror(errno));
        }
    }
    return get(b, trace_at(trace) + 8, &b->state->dropped[trace]);
}

int xopt_traces(struct xopt_board *b, const char *folder) {
    char path[4096];
    const unsigned traces = XOPT_TRACES;
    if (traces == 0)
        return 0;
    if (put(b, trace_at(0) + 8, 1) != 0 || xopt_cycle(b, &b->state->held_at) != 0)
        return -1;
    for (unsigned trace = 0; trace < traces; trace++) {
        if (snprintf(path, sizeof path, "%s/trace%u", folder, trace) >= (int)sizeof path)
            return fail(b, "%s: the path is too long", folder);
        FILE *f = fopen(path, "wb");
        if (!f)
            return fail(b, "%s: %s", path, strerror(errno));
        const int result = read_ring(b, trace, f);
        if (fclose(f) != 0 && result == 0)
            return fail(b, "%s: %s", path, strerror(errno));
        if (result != 0)
            return -1;
    }
    return 0;
}

int xopt_summary(struct xopt_board *b, const char *folder, const struct xopt_totals *t) {
    char path[4096];
    const unsigned traces = XOPT_TRACES;
    uint64_t cycles;
    if (xopt_cycle(b, &cycles) != 0)
        return -1;
    if (b->state->held_at > 0) /* reading the rings is not part of the run */
        cycles = b->state->held_at;
    if (snprintf(path, sizeof path, "%s/summary", folder) >= (int)sizeof path)
        return fail(b, "%s: the path is too long", folder);
    FILE *f = fopen(path, "w");
    if (!f)
        return fail(b, "%s: %s", path, strerror(errno));
    fprintf(f, "design 0x%08x\nboard %s\nwhere %s\ncycles %" PRIu64 "\nclock %.17g\nwall %.9f\nframe %" PRIu32 "\n",
            XOPT_DESIGN, b->transport.what, t->where, cycles, t->clock, t->wall, t->frame);
    for (unsigned i = 0; i < STREAMS; i++)
        fprintf(f, "stream %s %" PRIu64 "\n", xopt_streams[i].name, t->bytes[i]);
    fprintf(f, "records %" PRIu64 "\n", t->records);
    for (unsigned i = 0; i < traces; i++)
        fprintf(f, "trace %u %" PRIu64 " %" PRIu32 "\n", i, b->state->recorded[i], b->state->dropped[i]);
    const int failed = ferror(f);
    return fclose(f) != 0 || failed ? fail(b, "%s: %s", path, strerror(errno)) : 0;
}
