// border.h: taps on the edges that leave the FPGA, on this side of the edges. They sample the occupancy that
// elements from the FPGA find, and the latency of elements that the FPGA sends or consumes. Time stamps are in
// virtual time, which is the same on both sides.
#ifndef BORDER_H
#define BORDER_H

#include "samples.h"
#include "script.h"

struct Border {
    Samples samples;
    bool latency; // measure the latency; otherwise the occupancy
    uint64_t every;
    x_mark_queue *queue; // marks of the sampled elements, from writer to reader
    uint64_t marks;      // capacity of the queue in marks
    double carried = 0;  // weight of the samples that did not fit

    explicit Border(const BorderLine &l)
        : samples{in_shared<x_tap_control>(l.control), l.slots, l.log, l.bins, l.low, l.width, l.octaves},
          latency(l.kind == "latency"), every(l.every), queue(in_shared<x_mark_queue>(l.queue)), marks(l.marks) {}

    // sent records the send of element index of an output, and the number of elements that it finds.
    void sent(x_ring_control *ring, uint64_t index, uint64_t found, uint64_t tick) {
        if (index % every != 0)
            return;
        double weight = index == 0 ? 1 : (double)every;
        if (!latency) {
            samples.one(index, tick, (double)found, weight);
            return;
        }
        uint64_t n = queue->written.load();
        carried += weight;
        if (n - queue->read.load(std::memory_order_acquire) >= marks)
            return; // the next sample also represents this sample
        *mark(n) = {index, tick, carried};
        carried = 0;
        ring->marks.fetch_add(1);
        queue->written.store(n + 1, std::memory_order_release);
    }

    // taken records the consumption of elements of an input.
    void taken(uint64_t elements, uint64_t tick) {
        if (!latency)
            return;
        uint64_t n = queue->read.load(), written = queue->written.load(std::memory_order_acquire);
        for (; n != written && mark(n)->index < elements; n++) {
            const x_mark *m = mark(n);
            samples.one(m->index, tick, 1e-12 * (double)(int64_t)(tick - m->origin), m->weight);
            queue->read.store(n + 1, std::memory_order_release);
        }
    }

  private:
    x_mark *mark(uint64_t n) { return x_mark_queue_marks(queue) + n % marks; }
};

#endif
