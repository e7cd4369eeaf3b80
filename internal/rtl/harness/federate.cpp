// federate.cpp: simulates the kernels of one FPGA in a run in virtual time. It shares the
// rings of the edges that lead to the FPGA and from it with the processor cores' side,
// which tells it up to which cycle to go on (virtual.c of the runtime).
//
// Its second argument is a file of lines: a word and numbers, or names, as read below.
#include <atomic>
#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include "Vk.h"
#include "verilated.h"

struct Stream {
    const char *name;
    bool input;
    unsigned bytes; // of a word
    uint8_t *data;
    CData *valid, *ready;
};
#include "streams.h" // Stream streams[] of Vk *k; includes record.h

enum { SHARED_FD = 3, EXIT_FAILED = 3 };
// Offsets in the structures of xrt.h.
enum { READY = 64, DONE = 68, KERNEL = 72, TICK0 = 80, NS0 = 88, TICK1 = 96, NS1 = 104, MESSAGE = 192, MESSAGE_BYTES = 320 };
enum { CALLS = 0, BUSY = 8, KERNEL_DONE = 16 };
enum { HEAD = 0, WAITS = 8, BLOCKED = 16, CLOSED = 32, MARKS = 40, TAIL = 128 };
enum { FRAME = 64, FRAME_LENGTH = 96 }; // of the run
enum { UNTIL = 0, CYCLES = 8, STOP = 16 };
enum { END_COUNT = 16 };

static uint8_t *shared;
static uint64_t process;

template <class T> static std::atomic<T> *at(uint64_t offset) { return reinterpret_cast<std::atomic<T> *>(shared + offset); }

static void fail(const char *format, ...) {
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (shared)
        memcpy(shared + process + MESSAGE, text, sizeof text);
    else
        fprintf(stderr, "%s\n", text);
    _exit(EXIT_FAILED);
}

struct Outer { // an edge that leaves the FPGA
    Stream s;
    uint64_t edge, control, data, ring, capacity, element;
    unsigned part;
    uint8_t *area = nullptr;
    uint64_t reader, writer; // the ends of the edge in shared memory
    uint64_t elements = 0;   // whole ones that have moved
    uint64_t in_element = 0; // bytes
    uint64_t limit = 0;      // elements that may be read, or written, in this round
    bool taken = false, waiting = false;
    uint64_t waits = 0, held = 0; // of an output: how often it waited, cycles
    uint8_t *here() const { return area + (elements * element + in_element) % ring; }
};

struct Inner { // an edge inside
    uint64_t reader, writer, control;
    double put_bytes, got_bytes, element; // of the words, of an element
    unsigned from, to;
    uint64_t put = 0, got = 0;    // words
    uint64_t waits = 0, held = 0; // how often one waited to go in, cycles
    bool waiting = false;
};

struct Part {
    uint64_t control;
    std::vector<size_t> outers, inners; // inputs
    uint64_t active = 0, busy = 0;
    bool draining = false, ended = false;
};

static void set(void *bits, size_t i) { ((uint8_t *)bits)[i / 8] |= (uint8_t)(1 << i % 8); }
static bool bit(const void *bits, size_t i) { return (((const uint8_t *)bits)[i / 8] >> (i % 8)) & 1; }

// Samples go where the supervisor looks for those of a tap: into the slot of the frame
// that goes on, as taps.c of the runtime does it.
struct Slot { // x_tap_slot of xrt.h
    std::atomic<uint64_t> frame;
    uint64_t samples;
    double weight, sum, squares, min, max, below, above;
    uint64_t unused;
    double bins[];
};
struct Trace {
    uint64_t index, tick;
    double value;
};
struct Mark {
    uint64_t index, origin;
    double weight;
};
enum { TRACED = 0, TRACE_LOST = 8, DRAINED = 64, TAP_CONTROL = 128 };
enum { WRITTEN = 0, READ = 64, MARK_QUEUE = 128 };

struct Samples {
    unsigned kind; // 0 occupancy, 1 latency
    uint64_t control, slots, trace = 0, bins = 0;
    double low = 0, width = 1;
    bool log = false;

    Slot *slot() {
        if (slots == 0)
            return nullptr;
        uint64_t frame = at<uint32_t>(FRAME)->load(std::memory_order_relaxed), size = sizeof(Slot) + 8 * bins;
        Slot *s = reinterpret_cast<Slot *>(shared + control + TAP_CONTROL + frame % slots * size);
        if (s->frame.load(std::memory_order_relaxed) != frame + 1) {
            memset((void *)s, 0, size);
            s->frame.store(frame + 1, std::memory_order_release);
        }
        return s;
    }
    // many takes in several that only their number, least, most and sum are known of, and how
    // many are in each bin, if counts is not null.
    void many(uint64_t n, double least, double most, double sum, const uint32_t *counts, uint64_t of) {
        Slot *s = n > 0 ? slot() : nullptr;
        if (!s)
            return;
        s->min = s->samples == 0 || least < s->min ? least : s->min;
        s->max = s->samples == 0 || most > s->max ? most : s->max;
        s->samples += n;
        s->weight += (double)n;
        s->sum += sum;
        s->squares = NAN;
        for (uint64_t i = 0; counts && bins > 0 && i < of; i++)
            *(i < bins ? &s->bins[i] : &s->above) += counts[i];
    }
    void one(uint64_t index, uint64_t tick, double value, double weight) {
        if (Slot *s = slot()) {
            s->min = s->samples == 0 || value < s->min ? value : s->min;
            s->max = s->samples == 0 || value > s->max ? value : s->max;
            s->samples++;
            s->weight += weight;
            s->sum += value * weight;
            s->squares += value * value * weight;
            if (bins > 0) {
                double place = (value - low) / width;
                if (log) { // four to an octave
                    uint64_t bits;
                    memcpy(&bits, &value, sizeof bits);
                    place = value > 0 ? (double)(bits >> 50) - 4 * 1023 - low : -1;
                }
                *(place < 0 ? &s->below : place < (double)bins ? &s->bins[(uint64_t)place] : &s->above) += weight;
            }
        }
        if (trace == 0)
            return;
        uint64_t n = at<uint64_t>(control + TRACED)->load();
        if (n - at<uint64_t>(control + DRAINED)->load() >= trace) {
            at<uint64_t>(control + TRACE_LOST)->fetch_add(1);
            return;
        }
        Trace t = {index, tick, value};
        memcpy(shared + control + TAP_CONTROL + slots * (sizeof(Slot) + 8 * bins) + n % trace * sizeof t, &t, sizeof t);
        at<uint64_t>(control + TRACED)->store(n + 1, std::memory_order_release);
    }
};

// Border taps an edge that leaves the FPGA, on this side of it: what elements find that the
// FPGA sends; for how long those that it sends, or takes, were under way. Time stamps are
// of virtual time, which is the same on both sides.
struct Border {
    Samples samples;
    size_t outer;
    uint64_t every, marks, slots; // marks: of elements whose latency is taken, from writer to reader
    double carried = 0;           // weight of those that there was no room for

    Mark *mark(uint64_t n) { return reinterpret_cast<Mark *>(shared + marks + MARK_QUEUE + n % slots * sizeof(Mark)); }
    double weight(uint64_t index) const { return index == 0 ? 1 : (double)every; }

    // sent: element index of an output has gone, and finds so many that went before.
    void sent(uint64_t ring, uint64_t index, uint64_t found, uint64_t tick) {
        if (index % every != 0)
            return;
        if (samples.kind == 0) {
            samples.one(index, tick, (double)found, weight(index));
            return;
        }
        uint64_t n = at<uint64_t>(marks + WRITTEN)->load();
        carried += weight(index);
        if (n - at<uint64_t>(marks + READ)->load(std::memory_order_acquire) >= slots)
            return; // the next one stands for it, too
        *mark(n) = {index, tick, carried};
        carried = 0;
        at<uint64_t>(ring + MARKS)->fetch_add(1);
        at<uint64_t>(marks + WRITTEN)->store(n + 1, std::memory_order_release);
    }
    // taken: so many elements of an input have been taken.
    void taken(uint64_t elements, uint64_t tick) {
        if (samples.kind != 1)
            return;
        uint64_t n = at<uint64_t>(marks + READ)->load(), written = at<uint64_t>(marks + WRITTEN)->load(std::memory_order_acquire);
        for (; n != written && mark(n)->index < elements; n++) {
            samples.one(mark(n)->index, tick, 1e-12 * (double)(int64_t)(tick - mark(n)->origin), mark(n)->weight);
            at<uint64_t>(marks + READ)->store(n + 1, std::memory_order_release);
        }
    }
};

// Taps: the agent's records (hdl/agent), put together over all frames. In shared memory:
// records, those that were lost, those with a wrong check, cycles of the frames, then each
// word.
#if TAP_WORDS > 0
enum { TAP_FRAME = 1 << 16, LEAST_FRAME = 2 * TAP_WORDS + 6 * TAP_BINS * TAP_HISTOGRAMS + 100, IN_FRAME = 20, RECORD = RECORD_WORDS(TAP_WORDS, TAP_BINS * TAP_HISTOGRAMS) };
enum { RECORDS = 64, LOST = 72, WRONG = 80, TAPPED = 88, FIGURES = 96 };
struct Taps {
    uint64_t federate;
    std::vector<uint32_t> record;
    std::vector<uint32_t> commands;
    struct Figures { // of a record that are samples of a tap
        Samples samples;
        uint64_t first;
        double unit;
        int histogram; // of the record; -1 for none
    };
    std::vector<Figures> sampled;

    // open begins: with several records in a frame of the run, as each is of the frame in
    // which it comes.
    void open(uint64_t where, double period) {
        federate = where;
        uint64_t frame = (uint64_t)((double)*at<uint64_t>(FRAME_LENGTH) / period) / IN_FRAME;
        if (frame == 0 || frame > TAP_FRAME)
            frame = TAP_FRAME;
        if (frame < LEAST_FRAME)
            frame = LEAST_FRAME;
        commands = {record_command(COMMAND_LENGTH_LOW, (uint32_t)frame), record_command(COMMAND_LENGTH_HIGH, (uint32_t)(frame >> 24)), record_command(COMMAND_ENABLE, 1)};
        for (size_t i = 0; i < TAP_WORDS; i++)
            if (tap_merge[i] == MERGE_MIN)
                figure(i)->store(UINT64_MAX);
    }
    std::atomic<uint64_t> *figure(size_t i) { return at<uint64_t>(federate + FIGURES + 8 * i); }

    static double both(uint32_t low, uint32_t high) { return (double)((uint64_t)high << 32 | low); }

    // before and after stand around the clock's edge.
    void before(Vk *k) {
        k->command_valid = !commands.empty();
        if (!commands.empty())
            k->command_data = commands.front();
    }
    void after(Vk *k) {
        if (k->command_valid)
            commands.erase(commands.begin());
        k->command_valid = 0;
        if (!k->record_valid)
            return;
        record.push_back(k->record_data);
        if (k->record_last)
            take();
    }
    void take() {
        if (record.size() != RECORD || record[RECORD_MAGIC_AT] != RECORD_MAGIC || record_check(record.data(), record.size() - 1) != record.back()) {
            at<uint64_t>(federate + WRONG)->fetch_add(1);
            record.clear();
            return;
        }
        at<uint64_t>(federate + RECORDS)->fetch_add(1);
        at<uint64_t>(federate + LOST)->store(record[RECORD_LOST]);
        uint64_t cycle = (uint64_t)record[RECORD_CYCLE_HIGH] << 32 | record[RECORD_CYCLE_LOW];
        at<uint64_t>(federate + TAPPED)->store(cycle + 1);
        for (size_t i = 0; i < TAP_WORDS; i++) {
            uint64_t now = record[RECORD_FIGURES + i], old = figure(i)->load();
            switch (tap_merge[i]) {
            case MERGE_SUM: now += old; break;
            case MERGE_MIN: now = now < old ? now : old; break;
            case MERGE_MAX: now = now > old ? now : old; break;
            case MERGE_SUM_LOW: now = old + (now | (uint64_t)record[RECORD_FIGURES + i + 1] << 32); break;
            case MERGE_SUM_HIGH: now = 0; break;
            case MERGE_NONE: continue;
            }
            figure(i)->store(now);
        }
        for (Figures &x : sampled) {
            const uint32_t *n = &record[RECORD_FIGURES + x.first];
            const uint32_t *bins = x.histogram < 0 ? nullptr : &record[RECORD_FIGURES + TAP_WORDS + TAP_BINS * x.histogram];
            if (x.samples.kind == 0)
                x.samples.many(n[OCCUPANCY_COUNT], x.unit * n[OCCUPANCY_MIN], x.unit * n[OCCUPANCY_MAX], x.unit * both(n[OCCUPANCY_SUM_LOW], n[OCCUPANCY_SUM_HIGH]), bins, TAP_BINS);
            else
                x.samples.many(n[LATENCY_COUNT], x.unit * n[LATENCY_MIN], x.unit * n[LATENCY_MAX], x.unit * both(n[LATENCY_SUM_LOW], n[LATENCY_SUM_HIGH]), bins, TAP_BINS);
        }
        record.clear();
    }
};
#else
struct Taps {
    void open(uint64_t, double) {}
    void before(Vk *) {}
    void after(Vk *) {}
};
#endif

int main(int argc, char **argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc < 3)
        fail("this program is started by xopt deploy");
    Verilated::commandArgs(argc, argv);
    Vk *k = new Vk;
    std::vector<Stream> all = streams(k);
    std::vector<Outer> outers;
    std::vector<Inner> inners;
    std::vector<Part> parts;
    std::vector<Border> borders;
    Taps taps;
    uint64_t shared_bytes = 0, federate = 0, drain = 2000;
    double period = 1;
    FILE *f = fopen(argv[2], "r");
    if (!f)
        fail("cannot read %s", argv[2]);
    char line[1024];
    while (fgets(line, sizeof line, f)) {
        char word[32] = "", name[256] = "";
        uint64_t n[9] = {0};
        if (sscanf(line, "%31s", word) != 1)
            continue;
        std::string w(word);
        if (w == "shared" && sscanf(line, "%*s %" SCNu64 " %" SCNu64 " %" SCNu64, &shared_bytes, &process, &federate) == 3)
            continue;
        if (w == "period" && sscanf(line, "%*s %lf", &period) == 1)
            continue;
        if (w == "drain" && sscanf(line, "%*s %" SCNu64, &drain) == 1)
            continue;
        if (w == "part" && sscanf(line, "%*s %" SCNu64, &n[0]) == 1) {
            Part p;
            p.control = n[0];
            parts.push_back(p);
            continue;
        }
        if (w == "outer" && sscanf(line, "%*s %255s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, name, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8]) == 10) {
            Outer o;
            bool found = false;
            for (const Stream &s : all)
                if (!strcmp(s.name, name)) {
                    o.s = s;
                    found = true;
                }
            if (!found)
                fail("there is no stream %s", name);
            o.edge = n[0];
            o.control = n[1];
            o.data = n[2];
            o.ring = n[3];
            o.capacity = n[4];
            o.element = n[5];
            o.part = (unsigned)n[6];
            o.reader = n[7];
            o.writer = n[8];
            outers.push_back(o);
            continue;
        }
        Inner i;
        if (w == "inner" && sscanf(line, "%*s %" SCNu64 " %" SCNu64 " %" SCNu64 " %lf %lf %lf %u %u", &i.reader, &i.writer, &i.control, &i.element, &i.put_bytes, &i.got_bytes, &i.from, &i.to) == 8) {
            inners.push_back(i);
            continue;
        }
        Samples s;
#if TAP_WORDS > 0
        double unit;
        int histogram;
        if (w == "sample" && sscanf(line, "%*s %u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %lf %d", &s.kind, &s.control, &s.slots, &s.bins, &n[0], &unit, &histogram) == 7) {
            taps.sampled.push_back({s, n[0], unit, histogram});
            continue;
        }
#endif
        if (w == "border" && sscanf(line, "%*s %u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %7s %lf %lf %" SCNu64, &s.kind, &s.control, &s.slots, &s.trace, &n[0], &n[1], &n[2], &n[3], name, &s.low, &s.width, &s.bins) == 12) {
            s.log = !strcmp(name, "true");
            Border b = {s, n[0], n[1], n[2], n[3]};
            borders.push_back(b);
            continue;
        }
        fail("what is %s", line);
    }
    fclose(f);
    shared = (uint8_t *)mmap(nullptr, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);
    if (shared == MAP_FAILED) {
        shared = nullptr;
        fail("cannot map shared memory");
    }
    for (Outer &o : outers) { // twice, so that no word is in two places
        o.area = (uint8_t *)mmap(nullptr, 2 * o.ring, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (o.area == MAP_FAILED)
            fail("cannot reserve addresses for a buffer");
        for (int half = 0; half < 2; half++)
            if (mmap(o.area + half * o.ring, o.ring, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, SHARED_FD, (off_t)o.data) == MAP_FAILED)
                fail("cannot map a buffer");
        if (o.s.input)
            parts[o.part].outers.push_back((size_t)(&o - outers.data()));
    }
    for (Inner &i : inners)
        parts[i.to].inners.push_back((size_t)(&i - inners.data()));

    for (Outer &o : outers)
        *(o.s.input ? o.s.valid : o.s.ready) = 0;
    memset(&k->drain, 0, sizeof k->drain);
    k->rst = 1;
    for (int i = 0; i < 2 * TAP_BINS; i++) { // as many as clear the bins of histograms
        k->clk = 0;
        k->eval();
        k->clk = 1;
        k->eval();
    }
    k->rst = 0;
    at<int32_t>(process + KERNEL)->store(-1);
    at<uint64_t>(process + TICK0)->store(0); // ticks are ps
    at<uint64_t>(process + NS0)->store(0);
    at<uint64_t>(process + TICK1)->store(1000000000000u);
    at<uint64_t>(process + NS1)->store(1000000000u);
    at<uint32_t>(process + READY)->store(1);

    uint64_t cycle = 0;
    taps.open(federate, period);
    for (;;) {
        uint64_t until;
        for (unsigned tries = 0; (until = at<uint64_t>(federate + UNTIL)->load(std::memory_order_acquire)) <= cycle; tries++) {
            if (at<uint32_t>(federate + STOP)->load()) {
#if TAP_WORDS > 0 // what has been counted since the last record
                taps.commands.push_back(5u << 24);
                uint64_t records = at<uint64_t>(federate + RECORDS)->load();
                for (int i = 0; i < 2 * (TAP_FRAME + LEAST_FRAME) && at<uint64_t>(federate + RECORDS)->load() == records; i++) {
                    taps.before(k);
                    k->clk = 0;
                    k->eval();
                    k->clk = 1;
                    k->eval();
                    taps.after(k);
                }
#endif
                k->final();
                at<uint32_t>(process + DONE)->store(1);
                return 0;
            }
            if (tries < 2000)
                __builtin_ia32_pause();
            else if (tries < 20000)
                sched_yield();
            else {
                struct timespec pause = {0, 50000};
                nanosleep(&pause, nullptr);
            }
        }
        for (Outer &o : outers)
            o.limit = o.s.input ? at<uint64_t>(o.control + HEAD)->load(std::memory_order_acquire)
                                : at<uint64_t>(o.control + TAIL)->load(std::memory_order_acquire) + o.capacity;
        for (; cycle < until; cycle++) {
            for (Outer &o : outers) {
                if (!o.s.input)
                    *o.s.ready = o.elements < o.limit;
                else if (!*o.s.valid && o.elements < o.limit) {
                    memcpy(o.s.data, o.here(), o.s.bytes);
                    *o.s.valid = 1;
                }
            }
            taps.before(k);
            k->clk = 0;
            k->eval();
            for (Outer &o : outers) {
                o.taken = *o.s.valid && *o.s.ready;
                bool waiting = !o.s.input && *o.s.valid && !*o.s.ready;
                o.held += waiting;
                o.waits += waiting && !o.waiting;
                o.waiting = waiting;
                if (!o.taken)
                    continue;
                if (!o.s.input)
                    memcpy(o.here(), o.s.data, o.s.bytes);
                o.in_element += o.s.bytes;
                if (o.in_element == o.element) {
                    o.in_element = 0;
                    o.elements++;
                    uint64_t tick = (uint64_t)((double)(cycle + 1) * period);
                    for (Border &b : borders)
                        if (&outers[b.outer] == &o && o.s.input)
                            b.taken(o.elements, tick);
                        else if (&outers[b.outer] == &o)
                            b.sent(o.control, o.elements - 1, o.elements - 1 + o.capacity - o.limit, tick);
                }
            }
            for (size_t i = 0; i < parts.size(); i++) {
                if (bit(&k->activity, i))
                    parts[i].active = cycle;
                parts[i].busy += bit(&k->working, i);
            }
            for (size_t i = 0; i < inners.size(); i++) {
                inners[i].put += bit(&k->put, i);
                inners[i].got += bit(&k->got, i);
                bool waiting = bit(&k->held, i);
                inners[i].held += waiting;
                inners[i].waits += waiting && !inners[i].waiting;
                inners[i].waiting = waiting;
            }
            k->clk = 1;
            k->eval();
            taps.after(k);
            for (Outer &o : outers)
                if (o.s.input && o.taken)
                    *o.s.valid = 0;
        }
        for (Outer &o : outers) {
            at<uint64_t>((o.s.input ? o.reader : o.writer) + END_COUNT)->store(o.elements, std::memory_order_relaxed);
            if (!o.s.input) {
                at<uint64_t>(o.control + WAITS)->store(o.waits, std::memory_order_relaxed);
                at<uint64_t>(o.control + BLOCKED)->store((uint64_t)((double)o.held * period), std::memory_order_relaxed);
            }
        }
        for (Inner &i : inners) {
            at<uint64_t>(i.control + WAITS)->store(i.waits, std::memory_order_relaxed);
            at<uint64_t>(i.control + BLOCKED)->store((uint64_t)((double)i.held * period), std::memory_order_relaxed);
            at<uint64_t>(i.writer + END_COUNT)->store((uint64_t)((double)i.put * i.put_bytes / i.element), std::memory_order_relaxed);
            at<uint64_t>(i.reader + END_COUNT)->store((uint64_t)((double)i.got * i.got_bytes / i.element), std::memory_order_relaxed);
        }
        for (size_t n = 0; n < parts.size(); n++) {
            Part &p = parts[n];
            bool over = cycle > p.active + drain;
            for (size_t i : p.outers) {
                bool closed = at<uint32_t>(outers[i].control + CLOSED)->load(std::memory_order_acquire);
                over = over && closed && outers[i].elements == at<uint64_t>(outers[i].control + HEAD)->load(std::memory_order_acquire) && outers[i].in_element == 0;
            }
            for (size_t i : p.inners)
                over = over && parts[inners[i].from].ended;
            at<uint64_t>(p.control + BUSY)->store((uint64_t)((double)p.busy * period), std::memory_order_relaxed);
            at<uint64_t>(p.control + CALLS)->store(p.busy, std::memory_order_relaxed);
            if (over && !p.draining && part_drains[n]) {
                p.draining = true;
                p.active = cycle;
                set(&k->drain, n);
            } else if (over && !p.ended) {
                p.ended = true;
                at<uint32_t>(p.control + KERNEL_DONE)->store(1, std::memory_order_release);
            }
        }
        at<uint64_t>(federate + CYCLES)->store(cycle, std::memory_order_release);
    }
}
