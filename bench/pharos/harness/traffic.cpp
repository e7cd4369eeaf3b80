// traffic.cpp: the experiment on traffic (Rafii 2021, 4.4). Three FPGAs in a row are each the RTL of pharos_traffic.v.
// Links of equal latency in virtual time connect the FPGAs. The program writes one line of JSON.
#include <array>
#include <cstring>
#include <memory>
#include "Vk.h"
#include "verilated.h"
#include "network.h"
#include "options.h"

struct Word {
    uint32_t data[16];
    uint64_t keep;
    bool last;
    int measure; // 0 or 1: a signal for the next FPGA, and no word; else -1
};

struct Monitor {
    uint64_t cycles = 0, words = 0, packets = 0, bytes = 0;
    std::vector<double> averages = {};
    std::vector<uint64_t> hits[2] = {};
};

struct Fpga {
    Clock clock;
    std::unique_ptr<Vk> k = std::make_unique<Vk>();
    std::deque<Packet<Word>> waiting = {};
    bool measured = false;
    std::array<Monitor, 2> monitors = {};
    bool finished = false;
    explicit Fpga(Clock c) : clock(c) {}
};

class Experiment {
  public:
    static constexpr unsigned N = 3;
    explicit Experiment(const Options &o) : way_((fs_t)(o.number("way_ns") * FS_PER_NS)), cycles_(o.count("cycles")) {
        auto ppm = o.list("ppm", N), start = o.list("start_ns", N);
        for (unsigned i = 0; i < N; i++) {
            fpgas_.emplace_back(Clock(o.number("hertz"), ppm[i], (fs_t)(start[i] * FS_PER_NS)));
            Vk *k = fpgas_[i].k.get();
            k->packets = i == 0 ? (uint32_t)o.count("packets") : 0;
            k->gap = (uint32_t)o.count("gap");
            k->limit = (uint32_t)o.count("limit");
            k->average_period = (uint32_t)o.count("average_period");
            k->trigger0 = (uint32_t)o.count("trigger0");
            k->trigger1 = (uint32_t)o.count("trigger1");
            k->m_axis_net_tready = 1;
            k->s_axis_net_tvalid = k->measure_in = 0;
            k->rst = 1;
            for (int c = 0; c < 4; c++) { // before its clock starts
                k->clk = 0;
                k->eval();
                k->clk = 1;
                k->eval();
            }
            k->rst = 0;
        }
    }

    void run() {
        const int warm = 64; // cycles until the experiment starts
        for (uint64_t edges = 0; !(fpgas_[2].finished && fpgas_[1].finished) && edges < N * cycles_; edges++) {
            unsigned first = 0;
            for (unsigned i = 1; i < N; i++)
                if (fpgas_[i].clock.next() < fpgas_[first].clock.next())
                    first = i;
            if (first == 0 && ++begun_ >= warm)
                fpgas_[0].k->measure_in = 1;
            edge(first);
        }
    }

    void print() const {
        // The monitors of the thesis: one of the source, both of the forwarder, and one of the sink.
        const Monitor *seen[] = {&fpgas_[0].monitors[1], &fpgas_[1].monitors[0], &fpgas_[1].monitors[1],
                                 &fpgas_[2].monitors[0]};
        printf("{\"monitors\":[");
        for (int i = 0; i < 4; i++) {
            const Monitor &m = *seen[i];
            printf("%s{\"cycles\":%llu,\"words\":%llu,\"packets\":%llu,\"bytes\":%llu,\"averages\":[", i > 0 ? "," : "",
                   (unsigned long long)m.cycles, (unsigned long long)m.words, (unsigned long long)m.packets,
                   (unsigned long long)m.bytes);
            for (size_t j = 0; j < m.averages.size(); j++)
                printf("%s%.6f", j > 0 ? "," : "", m.averages[j]);
            printf("],\"hits\":[");
            for (int e = 0; e < 2; e++) {
                printf("%s[", e > 0 ? "," : "");
                for (size_t j = 0; j < m.hits[e].size(); j++)
                    printf("%s%llu", j > 0 ? "," : "", (unsigned long long)m.hits[e][j]);
                printf("]");
            }
            printf("]}");
        }
        printf("]}\n");
    }

  private:
    fs_t way_;
    uint64_t cycles_; // maximum
    int begun_ = 0;
    std::vector<Fpga> fpgas_;

    void edge(unsigned i) {
        Fpga &f = fpgas_[i];
        Vk *k = f.k.get();
        fs_t time = f.clock.next(), seen = time - f.clock.period();
        k->s_axis_net_tvalid = 0;
        hear(f, seen);
        if (!f.waiting.empty() && f.waiting.front().arrives <= seen) {
            const Word &w = f.waiting.front().word;
            memcpy(&k->s_axis_net_tdata[0], w.data, sizeof w.data);
            k->s_axis_net_tkeep = w.keep;
            k->s_axis_net_tlast = w.last;
            k->s_axis_net_tvalid = 1;
            f.waiting.pop_front();
            hear(f, seen); // the signal of the cycle in which the word was sent
        }
        k->clk = 0;
        k->eval();
        note(f);
        if (i + 1 < N)
            send(i, time);
        k->clk = 1;
        k->eval();
        f.clock.step(1);
    }

    // hear processes a signal to an FPGA without a word.
    static void hear(Fpga &f, fs_t seen) {
        for (; !f.waiting.empty() && f.waiting.front().arrives <= seen && f.waiting.front().word.measure >= 0;
             f.waiting.pop_front())
            f.k->measure_in = (CData)f.waiting.front().word.measure;
    }

    // send forwards the output of an FPGA, and its measure signal when that changes.
    void send(unsigned i, fs_t time) {
        Fpga &f = fpgas_[i];
        Vk *k = f.k.get();
        Packet<Word> p{};
        p.arrives = time + way_;
        p.word.measure = -1;
        if (k->m_axis_net_tvalid) {
            memcpy(p.word.data, &k->m_axis_net_tdata[0], sizeof p.word.data);
            p.word.keep = k->m_axis_net_tkeep;
            p.word.last = k->m_axis_net_tlast;
            fpgas_[i + 1].waiting.push_back(p);
        }
        if ((bool)k->measure != f.measured) {
            p.word.measure = k->measure;
            fpgas_[i + 1].waiting.push_back(p);
        }
        f.measured = k->measure;
    }

    // note records the output of the monitors.
    void note(Fpga &f) {
        Vk *k = f.k.get();
        for (unsigned m = 0; m < 2; m++) {
            Monitor &x = f.monitors[m];
            if (k->total_valid >> m & 1) {
                uint64_t t[4];
                memcpy(t, (const uint32_t *)&k->total[0] + 8 * m, sizeof t);
                x.cycles = t[0], x.words = t[1], x.packets = t[2], x.bytes = t[3];
                f.finished = true;
            }
            if (k->size_valid >> m & 1) {
                uint64_t size;
                memcpy(&size, (const uint32_t *)&k->size[0] + 2 * m, sizeof size);
                x.averages.push_back((double)size / 65536);
            }
            for (unsigned e = 0; e < 2; e++)
                if (k->event_valid >> (2 * m + e) & 1) {
                    uint64_t at;
                    memcpy(&at, (const uint32_t *)&k->event_time[0] + 2 * (2 * m + e), sizeof at);
                    x.hits[e].push_back(at);
                }
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
