// network.h: clocks, and a network in virtual time. Each FPGA has a link to a switch and a link back, and the switch
// has a queue before each of its outputs. Times are in fs.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

typedef int64_t fs_t;
constexpr fs_t FS_PER_NS = 1000000;

// Clock is the clock of an FPGA: its edges, exact to 2^-32 fs, so that a drift of parts in 10^9 stays exact for
// hours.
class Clock {
  public:
    Clock(double hertz, double ppm, fs_t start)
        : period_((__int128)std::llround(4294967296e15 / (hertz * (1 + ppm * 1e-6)))), next_((__int128)start << 32) {}
    fs_t next() const { return (fs_t)(next_ >> 32); }
    fs_t period() const { return (fs_t)(period_ >> 32); }
    // cycles returns the number of cycles from the next edge to a time.
    double cycles(fs_t time) const { return (double)(((__int128)time << 32) - next_) / (double)period_; }
    void step(uint64_t n) { next_ += period_ * n; }

  private:
    __int128 period_, next_; // 2^-32 fs
};

// Random is splitmix64.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    double uniform() { // above 0, at most 1
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return (double)((z ^ (z >> 31)) + 1.0) * 0x1p-64;
    }
    double exponential(double mean) { return -mean * std::log(uniform()); }

  private:
    uint64_t state_;
};

// Packet is a word of an FPGA on the network.
template <class Word> struct Packet {
    Word word;
    unsigned from, to;
    double bytes; // on the wire
    fs_t born, sent, arrives; // born: time at which its first sender sent it
    uint64_t number;
};

// Way is a link, or an output of the switch, with packets in order of arrival. Other traffic arrives at random
// (Poisson), in packets of one size, with a fraction of the bandwidth.
class Way {
  public:
    Way(double bits, fs_t latency, fs_t jitter, double load, double other, uint64_t seed)
        : bits_(bits), latency_(latency), jitter_(jitter), other_((fs_t)(other * 8e15 / bits)), random_(seed) {
        mean_ = load > 0 ? (double)other_ / load : 0;
        next_other_ = mean_ > 0 ? (fs_t)random_.exponential(mean_) : 0;
    }

    // accept sends a packet at a time, and returns its arrival time.
    fs_t accept(fs_t time, double bytes) {
        others(time);
        fs_t begin = std::max(time, free_);
        waited_ += begin - time;
        taken_++;
        free_ = begin + (fs_t)std::llround(bytes * 8e15 / bits_);
        fs_t jitter = jitter_ > 0 ? (fs_t)(random_.uniform() * (double)jitter_) : 0;
        return last_ = std::max(last_, free_ + latency_ + jitter); // in order
    }

    fs_t backlog(fs_t time) const { return std::max<fs_t>(0, free_ - time); }

  private:
    double bits_; // per second
    fs_t latency_, jitter_, other_;
    double mean_; // mean time between packets of other traffic
    fs_t free_ = 0, last_ = 0, next_other_;
    fs_t waited_ = 0;
    uint64_t taken_ = 0;
    Random random_;

    void others(fs_t time) {
        if (mean_ <= 0)
            return;
        const fs_t memory = (fs_t)(2000 * mean_); // older packets have no influence
        if (next_other_ < time - memory)
            next_other_ = time - memory;
        while (next_other_ <= time) {
            free_ = std::max(free_, next_other_) + other_;
            next_other_ += (fs_t)random_.exponential(mean_);
        }
    }
};

// Network moves packets from FPGA to FPGA.
template <class Word> class Network {
  public:
    void add(Way up, Way out) {
        up_.push_back(up);
        out_.push_back(out);
        waiting_.emplace_back();
    }

    // send puts a packet of an FPGA on its link to the switch.
    void send(unsigned from, Packet<Word> p) {
        p.arrives = up_[from].accept(p.sent, p.bytes);
        p.number = sent_++;
        at_switch_.push(p);
    }

    // until moves the packets that have arrived at the switch by a time to the outputs.
    void until(fs_t time) {
        while (!at_switch_.empty() && at_switch_.top().arrives <= time) {
            Packet<Word> p = at_switch_.top();
            at_switch_.pop();
            p.arrives = out_[p.to].accept(p.arrives, p.bytes);
            waiting_[p.to].push_back(p);
        }
    }

    std::deque<Packet<Word>> &waiting(unsigned fpga) { return waiting_[fpga]; }
    fs_t backlog(unsigned fpga, fs_t time) const { return up_[fpga].backlog(time); }
    bool empty() const {
        for (auto &w : waiting_)
            if (!w.empty())
                return false;
        return at_switch_.empty();
    }

  private:
    struct Later {
        bool operator()(const Packet<Word> &a, const Packet<Word> &b) const {
            return a.arrives != b.arrives ? a.arrives > b.arrives : a.number > b.number;
        }
    };
    std::vector<Way> up_, out_;
    std::priority_queue<Packet<Word>, std::vector<Packet<Word>>, Later> at_switch_;
    std::vector<std::deque<Packet<Word>>> waiting_;
    uint64_t sent_ = 0;
};
