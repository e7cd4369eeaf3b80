// federate.cpp: simulates the kernels of one FPGA in a run in virtual time. It shares the rings of the edges at the
// border of the FPGA with the engine of the processor cores (runtime/virtual.c). The engine determines the cycle up to
// which this program continues.
//
// The second argument is the script (script.h). The optional third argument is the folder for recording the data
// that cross the border (recorder.h).
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <signal.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <vector>
#include "Vk.h"
#include "verilated.h"

struct Stream {
    const char *name;
    bool input;
    unsigned bytes; // bytes of a word
    uint8_t *data;
    CData *valid, *ready;
};
#include "cycles.h"
#include "fail.h"
#include "meet.h"
#include "probes.h"
#include "streams.h" // streams of Vk, part_drains, part_clocks, part_looks, probe_looks and the taps; includes record.h

#include "agent.h"
#include "border.h"
#include "events.h"
#include "reader.h"
#include "recorder.h"

struct Outer { // an edge that leaves the FPGA
    OuterLine line;
    Stream stream;
    x_ring_control *control;
    uint8_t *area = nullptr; // its elements, mapped twice
    std::vector<Border> borders = {};
    uint64_t elements = 0;   // number of complete elements that have moved
    uint64_t in_element = 0; // bytes
    uint64_t limit = 0;      // elements that it may read or write in this round
    bool taken = false, waiting = false;
    uint64_t waits = 0, held = 0; // for an output: cycles in which it waited

    uint8_t *here() const { return area + ((line.first + elements) * line.element + in_element) % line.ring; }
};

struct Inner { // an edge between kernels on the FPGA
    InnerLine line;
    x_ring_control *control;
    uint64_t put = 0, got = 0;    // words that have entered and left
    uint64_t waits = 0, held = 0; // cycles in which a word waited to enter
    bool waiting = false;
    uint64_t bytes = 0, maximum = 0; // current and maximum content
    double cycles = 0;            // sum of the content in bytes over the cycles
    Elements in = {}, out = {};   // elements that entered and left
    uint64_t begun = 0;           // time at which the first word of the next element left, ps
    std::deque<uint64_t> sent = {}; // times at which the elements in the edge entered
};

struct Part {
    x_kernel_control *control;
    std::vector<size_t> outers, inners; // inputs
    uint64_t active = 0, busy = 0;      // last active cycle; number of active cycles
    bool draining = false, ended = false;
    bool loop = false;  // part of a loop
    uint64_t moved = 0; // for a loop: time at which a word last moved or waited to leave, or new data or space arrived
};

// OwnClock is a kernel's own clock. Its first edge comes one period after the FPGA's start.
struct OwnClock {
    size_t part;
    CData *clk;
    double period; // ps
    uint64_t edges = 0;

    double next() const { return (double)(edges + 1) * period; } // ps
};

static void set(void *bits, size_t i) { ((uint8_t *)bits)[i / 8] |= (uint8_t)(1 << i % 8); }
static bool bit(const void *bits, size_t i) { return (((const uint8_t *)bits)[i / 8] >> (i % 8)) & 1; }

class Federate {
  public:
    // Federate records the data that cross the border if folder is not null.
    Federate(const Reader &reader, const Script &script, Vk *k, const char *folder)
        : reader_(reader), script_(script), k_(k), looks_(part_looks(k)), recorder_(folder) {}

    void run() {
        map();
        connect();
        reset();
        show_ready();
        agent_.open(federate_, script_.run.period, script_.samples);
        recorder_.frame(agent_.frame());
        open_events();
        for (uint64_t until; (until = await()) > 0;) {
            look();
            while (cycle_ < until)
                cycle();
            for (Probe &x : probes_)
                x.settle();
            show_edges();
            show_parts();
            events_.flush();
            federate_->done.store(cycle_);
            x_wake(&federate_->awaited);
        }
        finish();
    }

  private:
    const Reader &reader_;
    const Script &script_;
    Vk *k_;
    x_federate *federate_ = nullptr;
    std::vector<Outer> outers_;
    std::vector<Inner> inners_;
    std::vector<Part> parts_;
    std::vector<PartLook> looks_;
    std::vector<OwnClock> clocks_;
    std::vector<Probe> probes_;
    Agent agent_;
    Events events_;
    Recorder recorder_;
    std::vector<uint64_t> passed_; // passes of each testpoint
    uint64_t cycle_ = 0;
    bool loops_ = false; // some kernels are in loops

    uint64_t ps(uint64_t cycles) const { return (uint64_t)((double)cycles * script_.run.period); }

    // at returns the time at the end of the given number of cycles.
    uint64_t at(uint64_t cycles) const { return (uint64_t)(script_.run.phase + (double)cycles * script_.run.period); }

    // map maps the shared memory.
    void map() {
        const RunLine &r = script_.run;
        void *m = mmap(nullptr, r.shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, XRT_SHARED_FD, 0);
        if (m == MAP_FAILED)
            fail("cannot map shared memory");
        shared = (uint8_t *)m;
        process = in_shared<x_process_control>(r.process);
        federate_ = in_shared<x_federate>(r.federate);
    }

    // map_elements maps the elements of an edge twice in a row, so that no word is split.
    static uint8_t *map_elements(const OuterLine &l) {
        void *m = mmap(nullptr, 2 * l.ring, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (m == MAP_FAILED)
            fail("cannot reserve addresses for a buffer");
        uint8_t *area = (uint8_t *)m;
        for (int half = 0; half < 2; half++)
            if (mmap(area + half * l.ring, l.ring, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, XRT_SHARED_FD,
                     (off_t)l.data) == MAP_FAILED)
                fail("cannot map a buffer");
        return area;
    }

    // connect creates the objects of the script.
    void connect() {
        for (const PartLine &l : script_.parts) {
            parts_.push_back({in_shared<x_kernel_control>(l.control), {}, {}});
            parts_.back().loop = l.loop;
            loops_ = loops_ || l.loop;
            if (parts_.size() > looks_.size())
                reader_.wrong(l, "the model has " + std::to_string(looks_.size()) + " parts");
            if (l.counts != looks_[parts_.size() - 1].cycles.counts.size())
                reader_.wrong(l, "the model counts cycles of " +
                                     std::to_string(looks_[parts_.size() - 1].cycles.counts.size()) + " kinds");
            connect_clock(l);
        }
        for (const OuterLine &l : script_.outers)
            connect(l);
        for (const InnerLine &l : script_.inners) {
            part(l, l.from);
            part(l, l.to).inners.push_back(inners_.size());
            inners_.push_back({l, in_shared<x_ring_control>(l.control)});
        }
        for (const SampleLine &l : script_.samples) {
            check_kind(l);
#if TAP_WORDS == 0
            reader_.wrong(l, "the model has no taps");
#endif
        }
        for (const BorderLine &l : script_.borders) {
            check_kind(l);
            if (l.outer >= outers_.size())
                reader_.wrong(l, "there is no outer " + std::to_string(l.outer));
            outers_[l.outer].borders.emplace_back(l);
        }
        std::vector<ProbeLook> looks = probe_looks(k_);
        for (const ProbeLine &l : script_.probes) {
            if (l.number >= looks.size())
                reader_.wrong(l, "the model has " + std::to_string(looks.size()) + " probes");
            probes_.emplace_back(l, looks[l.number]);
        }
    }

    // connect_clock reads the clock of the last part, if it has its own.
    void connect_clock(const PartLine &l) {
        size_t i = parts_.size() - 1;
        CData *clk = part_clocks(k_)[i];
        if ((clk != nullptr) != (l.clock > 0))
            reader_.wrong(l, clk ? "the model has a clock of this part" : "the model has no clock of this part");
        if (clk)
            clocks_.push_back({i, clk, l.clock});
    }

    template <class L> Part &part(const L &line, uint64_t i) {
        if (i >= parts_.size())
            reader_.wrong(line, "there is no part " + std::to_string(i));
        return parts_[i];
    }

    template <class L> void check_kind(const L &line) const {
        if (line.kind != "occupancy" && line.kind != "latency" && line.kind != "gap")
            reader_.wrong(line, "the kind is \"" + line.kind + "\", expected occupancy, latency or gap");
    }

    void connect(const OuterLine &l) {
        for (const Stream &s : streams(k_))
            if (l.stream == s.name) {
                if (s.input)
                    part(l, l.part).outers.push_back(outers_.size());
                outers_.push_back({l, s, in_shared<x_ring_control>(l.control)});
                outers_.back().area = map_elements(l);
                if (!s.input)
                    outers_.back().elements = l.initial;
                return;
            }
        reader_.wrong(l, "the model has no stream " + l.stream);
    }

    // clock advances the model by one cycle.
    void clock() {
        k_->clk = 0;
        k_->eval();
        k_->clk = 1;
        k_->eval();
    }

    void reset() {
        for (Outer &o : outers_)
            *(o.stream.input ? o.stream.valid : o.stream.ready) = 0;
        memset(&k_->drain, 0, sizeof k_->drain);
        for (PartLook &l : looks_)
            *l.ask = 0;
        k_->rst = 1;
        for (int i = 0; i < std::max(2 * TAP_BINS, 16); i++) { // enough cycles to clear the bins of histograms
            clock();
            for (OwnClock &c : clocks_)
                tick(c);
        }
        k_->rst = 0;
    }

    // tick advances a kernel by one cycle of its own clock.
    void tick(OwnClock &c) {
        *c.clk = 1;
        k_->eval();
        *c.clk = 0;
        k_->eval();
    }

    // tick_own_clocks advances the kernels with their own clocks, clock edge by clock edge, to the end of this
    // cycle. It samples their streams before each clock edge.
    void tick_own_clocks() {
        const double end = (double)(cycle_ + 1) * script_.run.period;
        for (;;) {
            OwnClock *next = nullptr;
            for (OwnClock &c : clocks_)
                if (c.next() <= end && (!next || c.next() < next->next()))
                    next = &c;
            if (!next)
                return;
            PartLook &l = looks_[next->part];
            Part &p = parts_[next->part];
            if (l.read(l.valid) != 0)
                p.active = cycle_;
            p.busy += bit(&k_->working, next->part);
            if (l.cycles.reported && !l.cycles.see(l.read(l.valid), l.read(l.ready))) {
                *l.ask = 1;
                k_->eval();
                l.cycles.answer(l.read(l.valid), l.read(l.ready));
                *l.ask = 0;
                k_->eval();
            }
            tick(*next);
            next->edges++;
        }
    }

    // show_ready reports to the supervisor that the run may start, and that ticks are ps.
    void show_ready() {
        process->kernel.store(-1);
        process->tick0.store(0);
        process->ns0.store(0);
        process->tick1.store(1000000000000u);
        process->ns1.store(1000000000u);
        process->ready.store(1);
    }

    // await waits for more work. It returns the cycle up to which to continue; 0 at the end.
    uint64_t await() {
        for (unsigned tries = 0;;) {
            uint64_t until = federate_->until.load();
            if (until > cycle_)
                return until;
            if (federate_->stop.load())
                return 0;
            x_wait(&tries, &federate_->waits);
        }
    }

    // look reads the arrived elements, and the free space.
    void look() {
        for (Outer &o : outers_) {
            uint64_t before = o.limit;
            o.limit = o.stream.input ? o.control->head.load(std::memory_order_acquire)
                                     : o.control->tail.load(std::memory_order_acquire) + o.line.capacity;
            if (o.limit == before)
                continue;
            parts_[o.line.part].moved = cycle_;
            recorder_.limit(o.stream.name, cycle_, o.limit - o.line.initial * !o.stream.input);
        }
    }

    void cycle() {
        for (Outer &o : outers_)
            offer(o);
        agent_.before(k_);
        k_->clk = 0;
        k_->eval();
        if (!clocks_.empty())
            tick_own_clocks();
        for (Outer &o : outers_)
            move(o);
        count();
        for (Probe &x : probes_)
            x.see(cycle_, ps(cycle_));
        look_at_parts();
        k_->clk = 1;
        k_->eval();
        agent_.after(k_);
        recorder_.after(k_);
        for (Outer &o : outers_)
            if (o.stream.input && o.taken)
                *o.stream.valid = 0;
        cycle_++;
    }

    // offer offers the model the next word of an input, or space for a word of an output.
    static void offer(Outer &o) {
        if (!o.stream.input)
            *o.stream.ready = o.elements < o.limit;
        else if (!*o.stream.valid && o.elements < o.limit) {
            memcpy(o.stream.data, o.here(), o.stream.bytes);
            *o.stream.valid = 1;
        }
    }

    // move records whether a word moves in this cycle, and counts waiting cycles.
    void move(Outer &o) {
        o.taken = *o.stream.valid && *o.stream.ready;
        bool waiting = !o.stream.input && *o.stream.valid && !*o.stream.ready;
        o.held += waiting;
        o.waits += waiting && !o.waiting;
        o.waiting = waiting;
        if (!o.taken)
            return;
        if (o.stream.input && o.in_element == 0) // the kernel starts to consume the element
            events_.add(o.line.series, XRT_IN, o.elements, at(cycle_ + 1));
        if (!o.stream.input)
            memcpy(o.here(), o.stream.data, o.stream.bytes);
        recorder_.word(o.stream.name, o.stream.data, o.stream.bytes);
        o.in_element += o.stream.bytes;
        if (o.in_element != o.line.element)
            return;
        o.in_element = 0;
        o.elements++;
        uint64_t tick = at(cycle_ + 1);
        if (!o.stream.input)
            events_.add(o.line.series, XRT_OUT, o.elements - 1, tick);
        for (Border &b : o.borders)
            if (o.stream.input)
                b.taken(o.elements, tick);
            else
                b.sent(o.control, o.elements - 1, o.elements - 1 + o.line.capacity - o.limit, tick);
    }

    // count counts the activity of kernels and of the edges between them in this cycle.
    void count() {
        for (size_t i = 0; i < parts_.size(); i++) {
            if (bit(&k_->activity, i))
                parts_[i].active = cycle_;
            parts_[i].busy += script_.parts[i].clock == 0 && bit(&k_->working, i);
        }
        for (size_t i = 0; i < inners_.size(); i++) {
            Inner &x = inners_[i];
            x.put += bit(&k_->put, i);
            x.got += bit(&k_->got, i);
            x.bytes = x.line.initial * x.line.element + x.put * x.line.put_bytes;
            x.bytes -= std::min(x.bytes, x.got * x.line.got_bytes);
            x.maximum = std::max(x.maximum, x.bytes);
            x.cycles += (double)x.bytes;
            bool waiting = bit(&k_->held, i);
            x.held += waiting;
            x.waits += waiting && !x.waiting;
            x.waiting = waiting;
            if (events_.on())
                record(x, bit(&k_->put, i), bit(&k_->got, i));
        }
        if (loops_)
            count_moves();
#if POINTS
        for (size_t i = 0; i < passed_.size() && i < POINTS; i++)
            if (bit(&k_->points, i)) {
                events_.add(script_.points[i].series, XRT_POINT, passed_[i], at(cycle_ + 1));
                write(in_shared<uint64_t>(script_.points[i].count), ++passed_[i]);
            }
#endif
    }

    // open_events starts recording. Initial elements of an inner edge have already arrived.
    void open_events() {
        events_.open(script_.run.events, script_.run.maximum);
        passed_.resize(script_.points.size());
        for (Inner &x : inners_)
            for (uint64_t i = 0; i < x.line.initial; i++) {
                events_.add(x.line.series, XRT_AVAILABLE, i, 0);
                x.sent.push_back(0);
            }
    }

    // record records the elements in the words that enter and leave an edge. An element that leaves word by word
    // before it is complete counts as consumed when it is complete.
    void record(Inner &x, bool put, bool got) {
        uint64_t now = at(cycle_ + 1);
        uint64_t n = put ? x.in.pass(x.line.put_bytes, x.line.element) : 0;
        for (uint64_t i = x.in.complete - n; i < x.in.complete; i++) {
            events_.add(x.line.series, XRT_OUT, x.line.initial + i, now);
            events_.add(x.line.series, XRT_AVAILABLE, x.line.initial + i, now);
            x.sent.push_back(now);
        }
        if (!got)
            return;
        if (x.out.bytes == 0)
            x.begun = now;
        n = x.out.pass(x.line.got_bytes, x.line.element);
        for (uint64_t i = x.out.complete - n; i < x.out.complete && !x.sent.empty(); i++) {
            events_.add(x.line.series, XRT_IN, i, std::max(x.begun, x.sent.front()));
            x.sent.pop_front();
        }
    }

    // look_at_parts records the activity of each kernel in this cycle, and tests the kernels whose activity is not
    // visible.
    void look_at_parts() {
        bool ask = false;
        for (size_t i = 0; i < looks_.size(); i++) {
            PartLook &l = looks_[i];
            bool own = i < script_.parts.size() && script_.parts[i].clock > 0; // tick_own_clocks has tested it
            if (!own && l.cycles.reported && !l.cycles.see(l.read(l.valid), l.read(l.ready)))
                *l.ask = ask = true;
        }
        if (!ask)
            return;
        k_->eval();
        for (PartLook &l : looks_)
            if (*l.ask) {
                l.cycles.answer(l.read(l.valid), l.read(l.ready));
                *l.ask = 0;
            }
        k_->eval();
    }

    // count_moves records at which kernels a word has moved in this cycle, or waits to leave.
    void count_moves() {
        for (size_t i = 0; i < inners_.size(); i++) {
            const InnerLine &l = inners_[i].line;
            if (bit(&k_->put, i) || inners_[i].waiting)
                parts_[l.from].moved = cycle_;
            if (bit(&k_->got, i))
                parts_[l.to].moved = cycle_;
        }
        for (const Outer &o : outers_)
            if (o.taken || o.waiting)
                parts_[o.line.part].moved = cycle_;
    }

    // write writes a count at an end of an edge, which only this process writes.
    static void write(uint64_t *count, uint64_t value) { *(volatile uint64_t *)count = value; }

    void show_waits(x_ring_control *c, uint64_t waits, uint64_t cycles) const {
        c->waits.store(waits, std::memory_order_relaxed);
        c->blocked.store(ps(cycles), std::memory_order_relaxed);
    }

    void show_edges() {
        for (Outer &o : outers_) {
            if (o.stream.input) {
                write(&in_shared<x_reader>(o.line.reader)->tail, o.elements);
            } else {
                write(&in_shared<x_writer>(o.line.writer)->head, o.elements);
                show_waits(o.control, o.waits, o.held);
            }
        }
        for (Inner &x : inners_) {
            double element = (double)x.line.element;
            show_waits(x.control, x.waits, x.held);
            x.control->held.store((uint64_t)(x.cycles / element * script_.run.period / 1000), // elements x ns
                                  std::memory_order_relaxed);
            x.control->maximum.store((x.maximum + x.line.element - 1) / x.line.element, std::memory_order_relaxed);
            write(&in_shared<x_writer>(x.line.writer)->head,
                  x.line.initial + (uint64_t)((double)x.put * (double)x.line.put_bytes / element));
            write(&in_shared<x_reader>(x.line.reader)->tail,
                  (uint64_t)((double)x.got * (double)x.line.got_bytes / element));
        }
    }

    // finished reports whether a kernel has no more work. Its input has ended and is consumed, and it has been idle for
    // long enough.
    bool finished(const Part &p) const {
        if (p.loop)
            return still(p) && closed(p);
        bool finished = cycle_ > p.active + script_.run.drain;
        for (size_t i : p.outers) {
            const Outer &o = outers_[i];
            bool closed = o.control->closed.load(std::memory_order_acquire);
            finished = finished && closed && o.elements == o.control->head.load(std::memory_order_acquire) && o.in_element == 0;
        }
        for (size_t i : p.inners)
            finished = finished && parts_[inners_[i].line.from].ended;
        return finished;
    }

    // still reports whether a kernel in a loop cannot continue: for a long time no word has moved, and none waits
    // to leave. Words may wait for a kernel that needs other words.
    bool still(const Part &p) const { return cycle_ > p.moved + script_.run.rest; }

    // closed reports whether no more input arrives at a kernel in a loop.
    bool closed(const Part &p) const {
        for (size_t i : p.outers)
            if (!outers_[i].control->closed.load(std::memory_order_acquire))
                return false;
        for (size_t i : p.inners) {
            const Inner &x = inners_[i];
            if (x.line.back ? !x.control->closed.load(std::memory_order_acquire) : !parts_[x.line.from].ended)
                return false;
        }
        return true;
    }

    void show_parts() {
        for (size_t n = 0; n < parts_.size(); n++) {
            Part &p = parts_[n];
            double own = script_.parts[n].clock;
            p.control->busy.store(own > 0 ? (uint64_t)((double)p.busy * own) : ps(p.busy), std::memory_order_relaxed);
            p.control->calls.store(p.busy, std::memory_order_relaxed);
            for (size_t i = 0; i < looks_[n].cycles.counts.size(); i++)
                x_federate_figures(federate_)[script_.parts[n].spent + i].store(looks_[n].cycles.counts[i],
                                                                               std::memory_order_relaxed);
            p.control->still.store(p.loop && still(p), std::memory_order_release);
            if (!finished(p))
                continue;
            if (!p.draining && part_drains[n]) {
                p.draining = true;
                p.active = p.moved = cycle_;
                set(&k_->drain, n);
                recorder_.drain(n, cycle_);
            } else if (!p.ended) {
                p.ended = true;
                p.control->done.store(1, std::memory_order_release);
            }
        }
    }

    void finish() {
        recorder_.end(cycle_);
        agent_.close([this] {
            agent_.before(k_);
            clock();
            agent_.after(k_);
            recorder_.after(k_);
        });
        recorder_.close();
        k_->final();
        events_.flush();
        process->done.store(1);
    }
};

int main(int argc, char **argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc < 3)
        fail("start this program with xopt deploy");
    Verilated::commandArgs(argc, argv);
    Reader reader(argv[2]);
    Script script = reader.read();
    Federate(reader, script, new Vk, argc > 3 ? argv[3] : nullptr).run();
    return 0;
}
