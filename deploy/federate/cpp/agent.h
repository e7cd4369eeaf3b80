// agent.h: reads the records of the agent in hardware (hdl/agent). It combines the records of all frames into the
// figures of taps behind the x_federate, and into the samples of a run's taps. record.h defines records and commands.
#ifndef AGENT_H
#define AGENT_H

#include <vector>
#include "samples.h"
#include "script.h"

#if TAPS

struct HardwareSamples { // samples of a tap of the run, from figures of a record
    Samples samples;
    SampleLine line;
};

class Agent {
  public:
    // open starts the agent with several records in a frame of the run. Each record belongs to the frame in
    // which it arrives.
    void open(x_federate *federate, double period, const std::vector<SampleLine> &lines) {
        federate_ = federate;
        for (const SampleLine &l : lines)
            sampled_.push_back({Samples{in_shared<x_tap_control>(l.control), l.slots, 0, l.bins}, l});
        uint64_t frame = (uint64_t)((double)in_shared<x_run_control>(0)->frame_length / period) / IN_FRAME;
        if (frame == 0 || frame > MOST_CYCLES)
            frame = MOST_CYCLES;
        if (frame < LEAST_CYCLES)
            frame = LEAST_CYCLES;
        frame_ = frame;
        commands_ = {record_command(COMMAND_LENGTH_LOW, (uint32_t)frame),
                     record_command(COMMAND_LENGTH_HIGH, (uint32_t)(frame >> 24)), record_command(COMMAND_ENABLE, 1)};
        for (size_t i = 0; i < TAP_WORDS; i++)
            if (tap_merge[i] == MERGE_MIN)
                figure(i).store(UINT64_MAX);
    }

    // frame returns the number of cycles in a frame of the agent; 0 without one.
    uint64_t frame() const { return frame_; }

    // before and after are called before and after the clock edge.
    void before(Vk *k) {
        k->record_ready = 1;
        k->command_valid = !commands_.empty();
        if (!commands_.empty())
            k->command_data = commands_.front();
    }

    void after(Vk *k) {
        if (k->command_valid)
            commands_.erase(commands_.begin());
        k->command_valid = 0;
        if (!k->record_valid)
            return;
        record_.push_back(k->record_data);
        if (k->record_last) {
            accept();
            record_.clear();
        }
    }

    // close continues the clock until the counts since the last record have also arrived.
    template <class F> void close(F &&clock) {
        commands_.push_back(record_command(COMMAND_END_FRAME, 0));
        uint64_t records = federate_->records.load();
        for (int i = 0; i < 2 * (MOST_CYCLES + LEAST_CYCLES) && federate_->records.load() == records; i++)
            clock();
    }

  private:
    enum {
        BINS = TAP_BINS * TAP_HISTOGRAMS,
        RECORD = RECORD_WORDS(TAP_WORDS, BINS),
        IN_FRAME = 20,         // records, and frames of the agent, per frame of the run
        MOST_CYCLES = (1 << 16) - 1, // maximum cycles in a frame of the agent, below the limit of state counts
        LEAST_CYCLES = 2 * TAP_WORDS + 6 * BINS + 100,
    };
    x_federate *federate_ = nullptr;
    uint64_t frame_ = 0; // cycles
    std::vector<uint32_t> record_, commands_;
    std::vector<HardwareSamples> sampled_;
    uint16_t counts_[2][TAP_STATES + 1][TAP_BINS] = {}; // counts of each bank

    std::atomic<uint64_t> &figure(size_t i) { return x_federate_figures(federate_)[i]; }

    static double both(uint32_t low, uint32_t high) { return (double)((uint64_t)high << 32 | low); }

    // accept processes a complete record.
    void accept() {
        if (record_.size() != RECORD || record_[RECORD_MAGIC_AT] != RECORD_MAGIC ||
            record_check(record_.data(), record_.size() - 1) != record_.back()) {
            federate_->wrong.fetch_add(1);
            return;
        }
        federate_->records.fetch_add(1);
        federate_->lost.store(record_[RECORD_LOST]);
        federate_->tapped.store(((uint64_t)record_[RECORD_CYCLE_HIGH] << 32 | record_[RECORD_CYCLE_LOW]) + 1);
        for (size_t i = 0; i < TAP_WORDS; i++)
            if (tap_merge[i] != MERGE_NONE)
                figure(i).store(merged(i, figure(i).load()));
        for (HardwareSamples &x : sampled_)
            sample(x);
        for (size_t i = 0; i < TAP_STATES; i++)
            grow(i);
    }

    // merged returns figure i of all frames, computed from figure i of the previous frames.
    uint64_t merged(size_t i, uint64_t old) const {
        uint64_t now = record_[RECORD_FIGURES + i];
        switch (tap_merge[i]) {
        case MERGE_SUM: return old + now;
        case MERGE_MIN: return now < old ? now : old;
        case MERGE_MAX: return now > old ? now : old;
        case MERGE_SUM_LOW: return old + (now | (uint64_t)record_[RECORD_FIGURES + i + 1] << 32);
        case MERGE_SUM_HIGH: return 0; // included in the lower half
        case MERGE_NONE: break;
        }
        return old;
    }

    // grow adds the increase of a monitor's counts since the frame before the last, which used the same bank of
    // counters (hdl/tap/xopt_states.v). These counts follow the figures of the taps.
    void grow(size_t i) {
        const uint32_t *bins = &record_[RECORD_FIGURES + TAP_WORDS + TAP_BINS * (size_t)tap_states[i]];
        for (size_t j = 0; j < TAP_BINS; j++) {
            uint16_t &before = counts_[record_[RECORD_NUMBER] % 2][i][j];
            std::atomic<uint64_t> &sum = figure(TAP_WORDS + TAP_BINS * i + j);
            sum.store(sum.load() + (uint16_t)(bins[j] - before));
            before = (uint16_t)bins[j];
        }
    }

    void sample(HardwareSamples &x) {
        const uint32_t *n = &record_[RECORD_FIGURES + x.line.first];
        const uint32_t *bins = nullptr;
        if (x.line.histogram >= 0)
            bins = &record_[RECORD_FIGURES + TAP_WORDS + TAP_BINS * (size_t)x.line.histogram];
        double unit = x.line.unit;
        if (x.line.kind == "occupancy")
            x.samples.many(n[OCCUPANCY_COUNT], unit * n[OCCUPANCY_MIN], unit * n[OCCUPANCY_MAX],
                           unit * both(n[OCCUPANCY_SUM_LOW], n[OCCUPANCY_SUM_HIGH]), bins, TAP_BINS);
        else if (x.line.kind == "gap")
            x.samples.many(n[GAP_COUNT], unit * n[GAP_MIN], unit * n[GAP_MAX],
                           unit * both(n[GAP_SUM_LOW], n[GAP_SUM_HIGH]), bins, TAP_BINS,
                           both(n[GAP_PRODUCTS_LOW], n[GAP_PRODUCTS_HIGH]));
        else
            x.samples.many(n[LATENCY_COUNT], unit * n[LATENCY_MIN], unit * n[LATENCY_MAX],
                           unit * both(n[LATENCY_SUM_LOW], n[LATENCY_SUM_HIGH]), bins, TAP_BINS);
    }
};

#else

class Agent { // for hardware without an agent
  public:
    void open(x_federate *, double, const std::vector<SampleLine> &) {}
    uint64_t frame() const { return 0; }
    void before(Vk *) {}
    void after(Vk *) {}
    template <class F> void close(F &&) {}
};

#endif
#endif
