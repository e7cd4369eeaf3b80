// events.h: the events of the edges and testpoints of an FPGA, cycle by cycle, like runtime/events.c for kernels on
// cores. They are written to a pipe, which the supervisor reads. This process waits while the pipe is full, so that no
// event is lost.
#ifndef EVENTS_H
#define EVENTS_H

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <vector>
#include "layout.h"

class Events {
  public:
    void open(bool on, uint64_t maximum) {
        on_ = on && fcntl(XRT_EVENTS_FD, F_GETFL) >= 0; // the supervisor reads the events
        most_ = maximum;
        if (on_)
            list_.reserve(AT_ONCE);
    }

    bool on() const { return on_; }

    void add(uint64_t series, x_event_kind kind, uint64_t index, uint64_t time) {
        if (!on_ || (most_ > 0 && index >= most_))
            return;
        x_event e = {};
        e.time = time;
        e.index = index;
        e.count = 1;
        e.what = (uint32_t)(series << 2 | kind);
        list_.push_back(e);
        if (list_.size() == AT_ONCE)
            flush();
    }

    void flush() {
        const char *at = (const char *)list_.data(), *end = at + list_.size() * sizeof(x_event);
        while (at < end && on_) {
            ssize_t n = write(XRT_EVENTS_FD, at, (size_t)(end - at));
            if (n > 0)
                at += n;
            else if (n == 0 || errno != EINTR)
                on_ = false; // the reader has closed the pipe
        }
        list_.clear();
    }

  private:
    static constexpr size_t AT_ONCE = 2048;
    std::vector<x_event> list_;
    bool on_ = false;
    uint64_t most_ = 0;
};

// Elements counts the complete elements in the words at one end of an edge.
struct Elements {
    uint64_t bytes = 0, complete = 0; // bytes since the last complete element; number of complete elements

    // pass counts a word, and returns the number of elements that it completes.
    uint64_t pass(uint64_t word, uint64_t element) {
        bytes += word;
        uint64_t n = bytes / element;
        bytes -= n * element;
        complete += n;
        return n;
    }
};

#endif
