// clock.cpp: experiments on the time of several FPGAs. Each FPGA is the RTL of pharos_clock.v with its own clock. A
// network in virtual time connects the FPGAs (Rafii 2021, 4.2 and 4.3). FPGA 0 has the master. The program computes the
// error of each timer from the true times of all events. It writes one line of JSON.
#include <cstring>
#include <memory>
#include "Vk.h"
#include "verilated.h"
#include "network.h"
#include "options.h"

enum Port { MASTER = 1, SLAVE = 2, SINK = 3, TRAFFIC = 4 };
struct Word {
    uint32_t data[4];
    uint16_t dest, id;
};

// Extremes is a summary of samples.
struct Extremes {
    double minimum = 0, maximum = 0, sum = 0, squares = 0;
    uint64_t n = 0;
    void add(double x) {
        minimum = n == 0 ? x : std::min(minimum, x);
        maximum = n == 0 ? x : std::max(maximum, x);
        sum += x;
        squares += x * x;
        n++;
    }
    void print(const char *name) const {
        printf("\"%s\":{\"n\":%llu,\"min\":%.6f,\"max\":%.6f,\"mean\":%.6f,\"rms\":%.6f}", name,
               (unsigned long long)n, minimum, maximum, n > 0 ? sum / (double)n : 0, n > 0 ? sqrt(squares / (double)n) : 0);
    }
};

// Fpga is an FPGA and its statistics.
struct Fpga {
    Clock clock;
    std::unique_ptr<Vk> k = std::make_unique<Vk>();
    uint64_t edges = 0;       // clock edges, including skipped edges
    uint64_t got = 0;         // edge of the last response
    uint64_t skipped = 0;     // skipped edges since the last response
    uint64_t before = 0;      // time of the FPGA in the previous cycle
    bool used = false;        // the time was synced in the previous cycle
    bool corrected = false;   // a correction is in progress
    uint64_t backwards = 0;   // backward steps of the time
    uint64_t syncs = 0;
    std::vector<double> offsets = {};
    Extremes offset = {}, trip = {}, settled = {}, drifted = {}, latency = {};
    explicit Fpga(Clock c) : clock(c) {}
};

class Experiment {
  public:
    explicit Experiment(const Options &o)
        : n_(o.count("fpgas")), period_(o.count("period")), syncs_(o.count("syncs")), skip_(o.count("skip") != 0),
          probe_(o.count("probe")), interval_(o.count("interval")), until_((fs_t)(o.number("until_ns") * FS_PER_NS)),
          warm_((fs_t)(o.number("warm_ns") * FS_PER_NS)), small_(o.number("small_bytes")),
          large_(o.number("large_bytes")) {
        auto ppm = o.list("ppm", n_), start = o.list("start_ns", n_), up = o.list("up_ns", n_),
             down = o.list("down_ns", n_), load = o.list("load", n_), up_load = o.list("up_load", n_);
        fs_t jitter = (fs_t)(o.number("jitter_ns") * FS_PER_NS);
        double bits = o.number("bits"), other = o.number("other_bytes");
        uint64_t seed = o.count("seed");
        for (unsigned i = 0; i < n_; i++) {
            fpgas_.emplace_back(Clock(o.number("hertz"), ppm[i], (fs_t)(start[i] * FS_PER_NS)));
            network_.add(Way(bits, (fs_t)(up[i] * FS_PER_NS), jitter, up_load[i], other, seed * 1000 + 2 * i),
                         Way(bits, (fs_t)(down[i] * FS_PER_NS), jitter, load[i], other, seed * 1000 + 2 * i + 1));
            begin(fpgas_[i], i, o);
        }
    }

    void run() {
        while (!finished()) {
            unsigned first = 0;
            for (unsigned i = 1; i < n_; i++)
                if (fpgas_[i].clock.next() < fpgas_[first].clock.next())
                    first = i;
            time_ = fpgas_[first].clock.next();
            network_.until(time_);
            edge(first);
            if (skip_ && first == 0)
                skip();
        }
    }

    void print() const {
        printf("{\"seconds\":%.9f,", (double)time_ * 1e-15);
        around_.print("around");
        printf(",\"fpgas\":[");
        for (unsigned i = 0; i < n_; i++) {
            const Fpga &f = fpgas_[i];
            printf("%s{\"edges\":%llu,\"syncs\":%llu,\"backwards\":%llu,\"timeouts\":%u,\"slow\":%u,\"ignored\":%u,"
                   "\"unsent\":%u,\"offsets\":[",
                   i > 0 ? "," : "", (unsigned long long)f.edges, (unsigned long long)f.syncs,
                   (unsigned long long)f.backwards, f.k->timeouts, f.k->slow, f.k->ignored, f.k->unsent);
            for (size_t j = 0; j < f.offsets.size() && j < 64; j++)
                printf("%s%.0f", j > 0 ? "," : "", f.offsets[j]);
            printf("],");
            f.offset.print("offset");
            printf(",");
            f.trip.print("trip");
            printf(",");
            f.settled.print("settled");
            printf(",");
            f.drifted.print("drifted");
            printf(",");
            f.latency.print("latency");
            printf("}");
        }
        printf("]}\n");
    }

  private:
    unsigned n_;
    uint64_t period_, syncs_;
    bool skip_;
    uint64_t probe_, interval_;
    fs_t until_, warm_;
    double small_, large_; // bytes on the wire of a packet of this program, and of other traffic
    std::vector<Fpga> fpgas_;
    Network<Word> network_;
    fs_t time_ = 0;
    std::deque<fs_t> born_; // creation times of other traffic that FPGA 1 must send back
    Extremes around_;       // round-trip time of other traffic, ns

    void begin(Fpga &f, unsigned i, const Options &o) {
        Vk *k = f.k.get();
        k->clk = 0;
        k->skip = 0;
        k->skip_cycles = 0;
        k->init = i > 0 && syncs_ > 0;
        k->sync_period = (uint32_t)period_;
        k->max_trip = (uint32_t)o.count("max_trip");
        k->probe_run = 0;
        k->probe_period = (uint32_t)probe_;
        k->probe_to = 1;
        k->reflect = i == 1;
        k->measure = 0;
        k->interval = i == 0 ? (uint32_t)interval_ : 0;
        k->address = (uint16_t)i;
        k->direct = o.count("direct") != 0;
        k->s_axis_net_tvalid = 0;
        k->m_axis_net_tready = 0;
        k->m_axis_figures_tready = 1;
        k->rst = 1;
        for (int c = 0; c < 4; c++) { // before its clock starts
            k->clk = 0;
            k->eval();
            k->clk = 1;
            k->eval();
        }
        k->rst = 0;
    }

    bool finished() const {
        if (until_ > 0)
            return time_ >= until_;
        if (time_ > (fs_t)(3 * (syncs_ + 4) * (period_ + 1000000)) * fpgas_[0].clock.period()) {
            fprintf(stderr, "some slaves have fewer than %llu synchronizations after %.6f s\n",
                    (unsigned long long)syncs_, (double)time_ * 1e-15);
            exit(1);
        }
        for (unsigned i = 1; i < n_; i++)
            if (fpgas_[i].syncs <= syncs_) // the first synchronization sets the time
                return false;
        return true;
    }

    // now returns the time of an FPGA at the true time, in cycles, before its next edge.
    double now(const Fpga &f) const { return (double)(int64_t)f.k->now + 1 + f.clock.cycles(time_); }

    // error returns the lead of an FPGA's time over the master's, in cycles of the master.
    double error(const Fpga &f) const { return now(f) - now(fpgas_[0]); }

    // edge executes a clock edge of an FPGA, at time_.
    void edge(unsigned i) {
        Fpga &f = fpgas_[i];
        Vk *k = f.k.get();
        if (probe_ > 0 && i < 2 && time_ >= warm_) {
            k->probe_run = i == 0;
            k->measure = 1;
        }
        auto &waiting = network_.waiting(i);
        k->s_axis_net_tvalid = !waiting.empty() && waiting.front().arrives <= time_ - f.clock.period();
        if (k->s_axis_net_tvalid) {
            const Packet<Word> &p = waiting.front();
            memcpy(&k->s_axis_net_tdata[0], p.word.data, sizeof p.word.data);
            // other traffic uses the path of the probes
            k->s_axis_net_tdest = p.word.dest == TRAFFIC ? (uint16_t)SINK : p.word.dest;
            k->s_axis_net_tid = p.word.id;
            k->s_axis_net_tuser = p.from;
        }
        k->m_axis_net_tready = network_.backlog(i, time_) < 1000 * FS_PER_NS;
        k->clk = 0;
        k->eval();
        if (k->m_axis_net_tvalid && k->m_axis_net_tready)
            send(i, k);
        if (k->s_axis_net_tvalid && k->s_axis_net_tready) {
            if (k->s_axis_net_tdest == SLAVE) {
                f.got = f.edges;
                f.skipped = 0;
                k->sync_period = (uint32_t)period_;
            }
            if (waiting.front().word.data[3] == 0)
                came_back(i, waiting.front().born);
            waiting.pop_front();
        }
        uint64_t skipped = k->skip ? k->skip_cycles : 0;
        k->clk = 1;
        k->eval();
        k->skip = 0;
        f.edges += 1 + skipped;
        f.clock.step(1 + skipped);
        look(i, f);
    }

    // came_back handles the arrival of other traffic, which has no kind.
    void came_back(unsigned i, fs_t born) {
        if (i == 1)
            born_.push_back(born);
        else if (i == 0 && born >= warm_)
            around_.add((double)(time_ - born) / FS_PER_NS);
    }

    void send(unsigned i, Vk *k) {
        Packet<Word> p{};
        memcpy(p.word.data, &k->m_axis_net_tdata[0], sizeof p.word.data);
        p.word.dest = k->m_axis_net_tdest;
        p.word.id = k->m_axis_net_tid;
        p.to = k->m_axis_net_tuser % n_;
        p.from = i;
        p.bytes = p.word.data[3] == 0 ? large_ : small_; // other traffic has no kind
        p.sent = p.born = time_;
        if (i == 1 && p.word.data[3] == 0 && !born_.empty()) {
            p.born = born_.front();
            born_.pop_front();
        }
        network_.send(i, p);
    }

    // look records the actions of an FPGA in the cycle that starts.
    void look(unsigned i, Fpga &f) {
        Vk *k = f.k.get();
        if (k->sample && time_ >= warm_)
            f.latency.add((double)(int32_t)k->latency);
        if (i == 0)
            return;
        if (f.used && k->synced && (int64_t)(k->now - f.before) < 0)
            f.backwards++;
        f.before = k->now;
        f.used = k->synced;
        if (f.corrected && !k->slewing && k->synced) {
            f.settled.add(error(f));
            f.corrected = false;
        }
        if (!k->offset_valid)
            return;
        f.corrected = true;
        f.trip.add(k->round_trip);
        if (f.syncs++ > 0) {
            f.offset.add((double)(int64_t)k->offset);
            f.offsets.push_back((double)(int64_t)k->offset);
            f.drifted.add(error(f));
        }
    }

    // skip omits cycles in which all FPGAs only count.
    void skip() {
        const uint64_t margin = 1000, minimum = 10000; // cycles
        if (!network_.empty())
            return;
        fs_t end = INT64_MAX;
        for (unsigned i = 1; i < n_; i++) {
            Fpga &f = fpgas_[i];
            uint64_t since = f.edges - f.got;
            if (!f.k->synced || f.k->slewing || f.corrected || since < 100 || since + minimum + margin > period_)
                return;
            end = std::min(end, time_ + (fs_t)(period_ - since - margin) * f.clock.period());
        }
        for (Fpga &f : fpgas_) {
            uint64_t n = (uint64_t)((end - f.clock.next()) / f.clock.period());
            f.k->skip = 1;
            f.k->skip_cycles = n;
            f.skipped += n;
            f.k->sync_period = (uint32_t)(period_ - f.skipped);
        }
    }
};

int main(int argc, char **argv) {
    Verilated::commandArgs(argc, argv);
    Experiment e((Options(argc, argv)));
    e.run();
    e.print();
    return 0;
}
