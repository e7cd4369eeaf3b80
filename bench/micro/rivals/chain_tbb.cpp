/* chain_tbb.cpp: the chain of bench/apps/chain on oneTBB, in the style of its guide.
 *
 *     chain_tbb pipeline|graph WORDS STEPS MORE BATCH TOKENS MILLISECONDS EVERY PROCESSOR...
 *
 * A token has BATCH messages in two buffers, and each of the nine kernels copies from one buffer to the other. The
 * contents of a token stay with the thread that processes it. pipeline is parallel_pipeline, whose nine stateless
 * filters are parallel. graph is a flow graph whose nine nodes are parallel, too. It restores the order of tokens
 * before the sink, because neither kind of node preserves it. MORE is the number of steps that the fifth kernel
 * does beyond STEPS. The program prints the latency of every EVERY-th message, if EVERY is not 0. Then it
 * prints the messages that the sink consumed in the last four fifths of the time, the seconds, and all messages. */
#include <sched.h>
#include <cstdio>
#include <cstring>
#include <vector>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#include "work.h"

enum { PASSES = 9, HEAVY_PASS = 4 };

struct token {
    uint64_t *from, *to;
};

struct chain {
    uint32_t words;
    uint64_t steps[PASSES];
    uint64_t every;
    size_t batch, tokens;
    double begin, warm, end;
    uint64_t sent = 0, taken = 0, counted = 0;
    double since = 0, until = 0;
    bool stop = false; /* written and read in serial stages */
    std::vector<token> live;

    size_t message() const { return words; }

    token &at(size_t n) { return live[n % live.size()]; }

    /* fill is the source of token n. It returns false at the end. */
    bool fill(size_t &n) {
        if (__atomic_load_n(&stop, __ATOMIC_RELAXED))
            return false;
        n = sent / batch;
        for (size_t i = 0; i < batch; i++) {
            work_fill(at(n).from + i * message(), words, sent++);
            work_stamp(at(n).from + i * message(), words, every);
        }
        return true;
    }

    size_t pass(size_t n, int kernel) {
        static thread_local volatile uint64_t result = 1;
        token &t = at(n);
        for (size_t i = 0; i < batch; i++)
            work_pass(t.to + i * message(), t.from + i * message(), words, steps[kernel], &result);
        std::swap(t.from, t.to);
        return n;
    }

    void accept(size_t n) {
        for (size_t i = 0; i < batch; i++) {
            if (at(n).from[i * message()] != taken++) {
                fprintf(stderr, "chain_tbb: message %llu differs from the sent message\n", (unsigned long long)taken);
                exit(1);
            }
            work_arrived(at(n).from + i * message(), words, every);
        }
        double now = work_seconds();
        if (since == 0 && now >= warm) {
            since = now;
            counted = taken;
        } else if (since > 0 && until == 0 && now >= end) {
            until = now;
            counted = taken - counted;
            __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
        }
    }
};

/* pinning pins each thread to its own processor. */
struct pinning : tbb::task_scheduler_observer {
    const std::vector<int> &cpus;
    explicit pinning(const std::vector<int> &c) : cpus(c) { observe(true); }
    ~pinning() { observe(false); }
    void on_scheduler_entry(bool) override {
        int i = tbb::this_task_arena::current_thread_index();
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpus[i < 0 ? 0 : (size_t)i % cpus.size()], &set);
        sched_setaffinity(0, sizeof set, &set);
    }
};

static void pipeline(chain &c) {
    tbb::filter<void, size_t> front = tbb::make_filter<void, size_t>(tbb::filter_mode::serial_in_order,
        [&](tbb::flow_control &f) -> size_t {
            size_t n = 0;
            if (!c.fill(n))
                f.stop();
            return n;
        });
    for (int k = 0; k < PASSES; k++)
        front = front & tbb::make_filter<size_t, size_t>(tbb::filter_mode::parallel,
                                                         [&c, k](size_t n) { return c.pass(n, k); });
    tbb::parallel_pipeline(c.tokens, front & tbb::make_filter<size_t, void>(tbb::filter_mode::serial_in_order,
                                                                          [&](size_t n) { c.accept(n); }));
}

static void graph(chain &c) {
    using namespace tbb::flow;
    tbb::flow::graph g;
    input_node<size_t> source(g, [&](tbb::flow_control &f) -> size_t {
        size_t n = 0;
        if (!c.fill(n))
            f.stop();
        return n;
    });
    limiter_node<size_t> limit(g, c.tokens);
    make_edge(source, limit);
    std::vector<function_node<size_t, size_t> *> passes;
    for (int k = 0; k < PASSES; k++) {
        passes.push_back(new function_node<size_t, size_t>(g, unlimited, [&c, k](size_t n) { return c.pass(n, k); }));
        if (k == 0)
            make_edge(limit, *passes[0]);
        else
            make_edge(*passes[(size_t)k - 1], *passes[(size_t)k]);
    }
    sequencer_node<size_t> order(g, [](const size_t &n) { return n; });
    function_node<size_t, continue_msg> sink(g, serial, [&](size_t n) {
        c.accept(n);
        return continue_msg();
    });
    make_edge(*passes.back(), order);
    make_edge(order, sink);
    make_edge(sink, limit.decrementer());
    source.activate();
    g.wait_for_all();
    for (function_node<size_t, size_t> *p : passes)
        delete p;
}

int main(int argc, char **argv) {
    if (argc < 10)
        return 2;
    chain c;
    c.words = (uint32_t)atoi(argv[2]);
    for (int k = 0; k < PASSES; k++)
        c.steps[k] = strtoull(argv[3], NULL, 10) + (k == HEAVY_PASS ? strtoull(argv[4], NULL, 10) : 0);
    c.batch = (size_t)atol(argv[5]);
    c.tokens = (size_t)atol(argv[6]);
    double window = 1e-3 * atof(argv[7]);
    c.every = strtoull(argv[8], NULL, 10);
    std::vector<int> cpus;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 9; i < argc; i++) {
        cpus.push_back(atoi(argv[i]));
        CPU_SET(cpus.back(), &set);
    }
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("chain_tbb: sched_setaffinity");
        return 1;
    }
    size_t slots = c.tokens + (strcmp(argv[1], "graph") == 0); /* the source of a graph fills a token early */
    for (size_t i = 0; i < slots; i++) {
        token t;
        t.from = (uint64_t *)aligned_alloc(4096, (c.batch * c.words * 8 + 4095) / 4096 * 4096);
        t.to = (uint64_t *)aligned_alloc(4096, (c.batch * c.words * 8 + 4095) / 4096 * 4096);
        if (!t.from || !t.to)
            return 1;
        memset(t.from, 0, c.batch * c.words * 8);
        memset(t.to, 0, c.batch * c.words * 8);
        c.live.push_back(t);
    }
    tbb::global_control threads(tbb::global_control::max_allowed_parallelism, cpus.size());
    pinning pins(cpus);
    c.begin = work_seconds();
    c.warm = c.begin + window / 5;
    c.end = c.begin + window;
    if (strcmp(argv[1], "pipeline") == 0)
        pipeline(c);
    else
        graph(c);
    printf("%llu %.9f %llu\n", (unsigned long long)c.counted, c.until - c.since, (unsigned long long)c.taken);
    return 0;
}
