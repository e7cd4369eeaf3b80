// samples.h: stores samples of a tap where the supervisor reads them: in the slot of the current time frame, like
// taps.c of the runtime.
#ifndef SAMPLES_H
#define SAMPLES_H

#include <cmath>
#include "fail.h"

struct Samples {
    x_tap_control *tap;
    uint64_t slots, log, bins; // log: number of its entries
    double low = 0, width = 1;
    bool octaves = false;

    x_tap_slot *slot() {
        if (slots == 0)
            return nullptr;
        uint64_t frame = in_shared<x_run_control>(0)->frame.load(std::memory_order_relaxed);
        x_tap_slot *s = x_tap_control_slot(tap, frame % slots, bins);
        if (s->frame.load(std::memory_order_relaxed) != frame + 1) {
            memset((void *)s, 0, x_tap_slot_bytes(bins));
            s->frame.store(frame + 1, std::memory_order_release);
        }
        return s;
    }

    // many adds several samples, given by their number, minimum, maximum and sum. counts contains their bins if it
    // is not null. products is the sum of the products of bins.
    void many(uint64_t n, double minimum, double maximum, double sum, const uint32_t *counts, uint64_t of,
              double products = 0) {
        x_tap_slot *s = n > 0 ? slot() : nullptr;
        if (!s)
            return;
        s->min = s->samples == 0 || minimum < s->min ? minimum : s->min;
        s->max = s->samples == 0 || maximum > s->max ? maximum : s->max;
        s->samples += n;
        s->weight += (double)n;
        s->sum += sum;
        s->squares = NAN;
        s->products += products;
        for (uint64_t i = 0; counts && bins > 0 && i < of; i++)
            *(i < bins ? &x_tap_slot_bins(s)[i] : &s->above) += counts[i];
    }

    // one adds the value of one element, which represents weight elements.
    void one(uint64_t index, uint64_t tick, double value, double weight) {
        if (x_tap_slot *s = slot()) {
            s->min = s->samples == 0 || value < s->min ? value : s->min;
            s->max = s->samples == 0 || value > s->max ? value : s->max;
            s->samples++;
            s->weight += weight;
            s->sum += value * weight;
            s->squares += value * value * weight;
            if (bins > 0)
                *bin(s, value) += weight;
        }
        if (log > 0)
            trace({index, tick, value});
    }

    // of adds a value with the given number of samples.
    void of(uint64_t n, double value) {
        x_tap_slot *s = slot();
        if (!s)
            return;
        double weight = (double)n;
        s->min = s->samples == 0 || value < s->min ? value : s->min;
        s->max = s->samples == 0 || value > s->max ? value : s->max;
        s->samples += n;
        s->weight += weight;
        s->sum += value * weight;
        s->squares += value * value * weight;
        if (bins > 0)
            *bin(s, value) += weight;
    }

    // keep appends an entry to the log. If the log is full, it waits for the reader.
    template <class F> void keep(const x_trace &entry, F &&wait) {
        uint64_t n = tap->traced.load();
        while (n - tap->drained.load(std::memory_order_acquire) >= log)
            wait();
        x_tap_control_log(tap, slots, bins)[n % log] = entry;
        tap->traced.store(n + 1, std::memory_order_release);
    }

  private:
    double *bin(x_tap_slot *s, double value) const {
        double place = (value - low) / width;
        if (octaves) { // four bins per octave
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            place = value > 0 ? (double)(bits >> 50) - 4 * 1023 - low : -1;
        }
        if (place < 0)
            return &s->below;
        return place < (double)bins ? &x_tap_slot_bins(s)[(uint64_t)place] : &s->above;
    }

    void trace(const x_trace &entry) {
        uint64_t n = tap->traced.load();
        if (n - tap->drained.load() >= log) {
            tap->lost.fetch_add(1);
            return;
        }
        x_tap_control_log(tap, slots, bins)[n % log] = entry;
        tap->traced.store(n + 1, std::memory_order_release);
    }
};

#endif
