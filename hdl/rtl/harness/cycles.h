// cycles.h: classifies the cycles of one kernel. In each cycle it does one of these:
//   - words move, at one or more of its streams;
//   - otherwise, an output has a word but no space: it waits at the first such output;
//   - otherwise, it waits at the first input that has no word and would consume one. This may be invisible, because an
//     input may be ready only if another input has a word or an output has space. The kernel is then tested: every
//     input shows a word and every output space, and its reaction is sampled before the clock edge;
//   - otherwise, if it would move a word with space at its outputs, it waits at the first output without space;
//   - otherwise, it works.
#ifndef CYCLES_H
#define CYCLES_H

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

// Machine is a state machine of the kernel: a register of up to 64 bits, and the codes of its states in ascending
// order.
struct Machine {
    const void *bits;
    size_t bytes;
    std::vector<uint64_t> codes;
};

class Cycles {
  public:
    // counts contains numbers of cycles. The first numbers are MOVING, WORKING, and WAITING at each stream. The next
    // numbers are the cycles in which a word moved at each stream. For each machine, the cycles in each state and in no
    // state follow, and then the same numbers for the cycles in which the kernel works.
    enum { MOVING, WORKING, WAITING };
    std::vector<uint64_t> counts;

    // If a kernel has more streams than a number has bits, its cycles are not classified.
    const bool reported;

    // inputs has a bit for each stream: 1 for an input.
    Cycles(unsigned streams, uint64_t inputs, std::vector<Machine> machines)
        : reported(streams <= 64), streams_(streams), inputs_(inputs), outputs_(~inputs & (streams < 64 ? ((uint64_t)1 << streams) - 1 : ~(uint64_t)0)) {
        size_t n = WAITING + 2 * (size_t)streams;
        for (Machine &m : machines) {
            looked_.push_back({std::move(m), n});
            n += 2 * looked_.back().row();
        }
        counts.resize(n);
    }

    // see classifies a cycle by the words at each stream and whether they are consumed. It returns false if the
    // kernel must be tested (lacks, closed); answer then classifies the cycle.
    bool see(uint64_t valid, uint64_t ready) {
        lacks_ = inputs_ & ~valid;
        closed_ = outputs_ & ~ready;
        if (uint64_t moved = valid & ready) {
            count(MOVING);
            for (; moved != 0; moved &= moved - 1)
                counts[WAITING + streams_ + (size_t)__builtin_ctzll(moved)]++;
        } else if (uint64_t held = valid & outputs_)
            wait(held);
        else if (uint64_t would = lacks_ & ready)
            wait(would);
        else if (lacks_ | closed_)
            return false;
        else
            count(WORKING);
        return true;
    }

    // answer classifies the cycle by the reaction to words and space.
    void answer(uint64_t valid, uint64_t ready) {
        if (uint64_t would = lacks_ & ready)
            wait(would);
        else if (!((valid | lacks_) & (ready | closed_)))
            count(WORKING);
        else
            wait(closed_ ? closed_ : lacks_);
    }

    uint64_t lacks() const { return lacks_; }
    uint64_t closed() const { return closed_; }

  private:
    struct Looked {
        Machine machine;
        size_t at;       // index of its counts
        size_t last = 0; // index of the last state

        size_t row() const { return machine.codes.size() + 1; }

        size_t state() {
            uint64_t code = 0;
            memcpy(&code, machine.bits, machine.bytes);
            const std::vector<uint64_t> &codes = machine.codes;
            if (last < codes.size() && codes[last] == code)
                return last;
            for (last = 0; last < codes.size() && codes[last] != code;)
                last++;
            return last;
        }
    };
    size_t streams_;
    uint64_t inputs_, outputs_, lacks_ = 0, closed_ = 0;
    std::vector<Looked> looked_;

    void wait(uint64_t at) { count(WAITING + (size_t)__builtin_ctzll(at)); }

    void count(size_t what) {
        counts[what]++;
        for (Looked &l : looked_) {
            size_t state = l.at + l.state();
            counts[state]++;
            if (what == WORKING)
                counts[state + l.row()]++;
        }
    }
};

// PartLook describes one of the kernels in a model. It contains the signals of the kernel's streams and the signal that
// tests the kernel. A signal has one bit per stream, and the given number of bytes.
struct PartLook {
    const void *valid, *ready;
    size_t bytes;
    uint8_t *ask;
    Cycles cycles;

    uint64_t read(const void *bits) const {
        uint64_t value = 0;
        memcpy(&value, bits, bytes);
        return value;
    }
};

// ProbeLook contains the positions in the model of a value, of whether it counts in a cycle, and of whether
// counting starts.
struct ProbeLook {
    const void *value;
    size_t bytes;
    const uint8_t *when, *after;
    unsigned width; // bits
    bool has_sign;

    double read() const {
        uint64_t bits = 0;
        memcpy(&bits, value, bytes);
        if (has_sign && width < 64 && bits >> (width - 1) & 1)
            bits |= ~(uint64_t)0 << width;
        return has_sign ? (double)(int64_t)bits : (double)bits;
    }
};

#endif
