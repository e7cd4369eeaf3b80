// probes.h: samples signals of kernels in every cycle, before the clock edge. A constant value counts once, with
// its number of cycles. The log has an entry when the value changes or counts again. An entry without a number
// means that the value no longer counts.
#ifndef PROBES_H
#define PROBES_H

#include <unistd.h>
#include "cycles.h"
#include "samples.h"
#include "script.h"

class Probe {
  public:
    Probe(const ProbeLine &l, const ProbeLook &look)
        : samples_{in_shared<x_tap_control>(l.control), l.slots, l.log, l.bins, l.low, l.width, l.octaves}, look_(look),
          most_(l.maximum) {}

    // see samples the current cycle, which starts at a time in ps.
    void see(uint64_t cycle, uint64_t tick) {
        begun_ = begun_ || *look_.after;
        if (!begun_ || !*look_.when) {
            settle();
            if (counts_)
                log(cycle, tick, NAN);
            counts_ = false;
            return;
        }
        double value = look_.read();
        if (!counts_ || value != value_) {
            settle();
            counts_ = true;
            value_ = value;
            log(cycle, tick, value);
        }
        cycles_++;
    }

    // settle adds the cycles until now to the current frame.
    void settle() {
        if (cycles_ > 0)
            samples_.of(cycles_, value_);
        cycles_ = 0;
    }

  private:
    Samples samples_;
    ProbeLook look_;
    uint64_t most_, logged_ = 0, cycles_ = 0;
    bool begun_ = false, counts_ = false;
    double value_ = 0;

    void log(uint64_t cycle, uint64_t tick, double value) {
        if (samples_.log == 0)
            return;
        if (most_ > 0 && logged_ == most_) {
            samples_.tap->lost.fetch_add(1);
            return;
        }
        logged_++;
        samples_.keep({cycle, tick, value}, [] { usleep(100); });
    }
};

#endif
