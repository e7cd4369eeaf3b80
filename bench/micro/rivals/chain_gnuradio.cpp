/* chain_gnuradio.cpp: the chain of bench/apps/chain on GNU Radio 3.10. Each kernel is a block with its own thread,
 * as in GNU Radio's scheduler. A message is an item.
 *
 *     chain_gnuradio blocks WORDS STEPS MORE BATCH TOKENS MILLISECONDS EVERY PROCESSOR...
 *
 * BATCH and TOKENS are not used: the scheduler chooses the number of items for a block. The program prints the
 * latency of every EVERY-th message, if EVERY is not 0. Then it prints the messages that the sink consumed in the last
 * four fifths of the time, the seconds, and all messages. */
#include <sched.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <gnuradio/io_signature.h>
#include <gnuradio/sync_block.h>
#include <gnuradio/top_block.h>
#include "work.h"

enum { PASSES = 9, HEAVY_PASS = 4 };

static gr::io_signature::sptr items(int n, uint32_t words) { return gr::io_signature::make(n, n, (int)words * 8); }

class source : public gr::sync_block {
    uint32_t words;
    uint64_t every, sent = 0;

public:
    source(uint32_t w, uint64_t e) : gr::sync_block("source", items(0, w), items(1, w)), words(w), every(e) {}
    int work(int n, gr_vector_const_void_star &, gr_vector_void_star &out) override {
        uint64_t *y = (uint64_t *)out[0];
        for (int i = 0; i < n; i++) {
            work_fill(y + (size_t)i * words, words, sent++);
            work_stamp(y + (size_t)i * words, words, every);
        }
        return n;
    }
};

class pass : public gr::sync_block {
    uint32_t words;
    uint64_t steps;
    volatile uint64_t result = 1;

public:
    pass(uint32_t w, uint64_t s) : gr::sync_block("pass", items(1, w), items(1, w)), words(w), steps(s) {}
    int work(int n, gr_vector_const_void_star &in, gr_vector_void_star &out) override {
        const uint64_t *x = (const uint64_t *)in[0];
        uint64_t *y = (uint64_t *)out[0];
        for (int i = 0; i < n; i++)
            work_pass(y + (size_t)i * words, x + (size_t)i * words, words, steps, &result);
        return n;
    }
};

class sink : public gr::sync_block {
    uint32_t words;
    uint64_t every;

public:
    std::atomic<uint64_t> taken{0};
    sink(uint32_t w, uint64_t e) : gr::sync_block("sink", items(1, w), items(0, w)), words(w), every(e) {}
    int work(int n, gr_vector_const_void_star &in, gr_vector_void_star &) override {
        const uint64_t *x = (const uint64_t *)in[0];
        uint64_t at = taken.load(std::memory_order_relaxed);
        for (int i = 0; i < n; i++) {
            if (x[(size_t)i * words] != at++) {
                fprintf(stderr, "chain_gnuradio: message %llu differs from the sent message\n", (unsigned long long)at);
                _exit(1);
            }
            work_arrived(x + (size_t)i * words, words, every);
        }
        taken.store(at, std::memory_order_relaxed);
        return n;
    }
};

int main(int argc, char **argv) {
    if (argc < 10)
        return 2;
    uint32_t words = (uint32_t)atoi(argv[2]);
    double window = 1e-3 * atof(argv[7]);
    uint64_t every = strtoull(argv[8], NULL, 10);
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 9; i < argc; i++)
        CPU_SET(atoi(argv[i]), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("chain_gnuradio: sched_setaffinity");
        return 1;
    }
    auto top = gr::make_top_block("chain");
    auto first = std::make_shared<source>(words, every);
    auto last = std::make_shared<sink>(words, every);
    gr::basic_block_sptr before = first;
    for (int k = 0; k < PASSES; k++) {
        uint64_t more = k == HEAVY_PASS ? strtoull(argv[4], NULL, 10) : 0;
        auto p = std::make_shared<pass>(words, strtoull(argv[3], NULL, 10) + more);
        top->connect(before, 0, p, 0);
        before = p;
    }
    top->connect(before, 0, last, 0);
    top->start();
    /* Blocks process all items that fit into their buffers before the next block sees the first item. */
    for (double begin = work_seconds(); last->taken.load() == 0 && work_seconds() - begin < 10;)
        usleep(1000);
    usleep((useconds_t)(window / 5 * 1e6));
    double since = work_seconds();
    uint64_t from = last->taken.load();
    usleep((useconds_t)(window * 4 / 5 * 1e6));
    uint64_t counted = last->taken.load() - from;
    double until = work_seconds();
    printf("%llu %.9f %llu\n", (unsigned long long)counted, until - since, (unsigned long long)(from + counted));
    fflush(stdout);
    _exit(0); /* do not wait for items in transit */
}
