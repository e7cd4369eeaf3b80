/* app_tbb.cpp: an application of xopt on oneTBB's parallel_pipeline, with the sources of its own kernels. Each
 * kernel is a filter, in the order of data flow and in the style of oneTBB's guide. Filters of stateless kernels are
 * parallel. Filters of other kernels process tokens in order. A token has the output of BATCH firings of the source.
 *
 *     app_tbb BATCH TOKENS MILLISECONDS ELEMENTS INPUT OUTPUT PROCESSOR...
 *
 * The program prints the bytes that the sinks consumed in the last four fifths of the time, the seconds, and all
 * elements that they consumed. With 0 milliseconds it runs to the end of the stream. INPUT and OUTPUT are files,
 * or - for none. */
#include <sched.h>
#include <time.h>
#include <unistd.h>
#include <string>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#include "graph.h"

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

/* window counts the consumption of the sinks between two times. A serial filter writes it. */
struct window {
    double warm, end, since = 0, until = 0;
    uint64_t bytes = 0;
    bool stop = false; /* read in another filter */

    void look(const application &a) {
        double now = seconds();
        if (since == 0 && now >= warm) {
            since = now;
            bytes = __atomic_load_n(&a.bytes, __ATOMIC_RELAXED);
        } else if (since > 0 && until == 0 && now >= end) {
            until = now;
            bytes = __atomic_load_n(&a.bytes, __ATOMIC_RELAXED) - bytes;
            __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
        }
    }
};

static void pipeline(application &a, std::vector<token> &live, size_t batch, window *w) {
    size_t next = 0;
    tbb::filter<void, size_t> front = tbb::make_filter<void, size_t>(tbb::filter_mode::serial_in_order,
        [&](tbb::flow_control &f) -> size_t {
            size_t n = next++ % live.size();
            if ((w && __atomic_load_n(&w->stop, __ATOMIC_RELAXED)) || !a.fill(live[n], batch))
                f.stop();
            return n;
        });
    for (size_t k = 0; k < a.kernels.size(); k++) {
        if (a.kernels[k].go)
            continue;
        auto mode = a.kernels[k].stateless ? tbb::filter_mode::parallel : tbb::filter_mode::serial_in_order;
        front = front & tbb::make_filter<size_t, size_t>(mode, [&, k](size_t n) {
                    a.fire(live[n], k, false);
                    return n;
                });
    }
    auto look = [&](size_t) {
        if (w)
            w->look(a);
    };
    tbb::parallel_pipeline(live.size(),
                           front & tbb::make_filter<size_t, void>(tbb::filter_mode::serial_in_order, look));
}

int main(int argc, char **argv) {
    if (argc < 8)
        return 2;
    size_t batch = (size_t)atol(argv[1]), tokens = (size_t)atol(argv[2]);
    double length = 1e-3 * atof(argv[3]);
    auto file = [](const char *name) { return strcmp(name, "-") == 0 ? "" : name; };
    std::vector<int> cpus;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 7; i < argc; i++) {
        cpus.push_back(atoi(argv[i]));
        CPU_SET(cpus.back(), &set);
    }
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("app_tbb: sched_setaffinity");
        return 1;
    }
    application a(kernels, {strtoull(argv[4], NULL, 10), file(argv[5]), file(argv[6])});
    std::vector<token> live;
    for (size_t i = 0; i < tokens; i++)
        live.push_back(a.make());
    tbb::global_control threads(tbb::global_control::max_allowed_parallelism, cpus.size());
    pinning pins(cpus);
    double begin = seconds();
    if (length == 0) {
        pipeline(a, live, batch, nullptr);
        a.end();
        printf("%llu %.9f %llu\n", (unsigned long long)a.bytes, seconds() - begin, (unsigned long long)a.elements);
        return 0;
    }
    window w;
    w.warm = begin + length / 5;
    w.end = begin + length;
    pipeline(a, live, batch, &w);
    printf("%llu %.9f %llu\n", (unsigned long long)w.bytes, w.until - w.since, (unsigned long long)a.elements);
    fflush(stdout);
    _exit(0); /* do not wait for the remaining data of stateful kernels */
}
