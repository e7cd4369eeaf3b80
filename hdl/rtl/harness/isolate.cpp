// isolate.cpp: simulates one module, cycle by cycle. Every input always has words and every output has space,
// unless stalls are requested. The counts are printed to standard output as JSON.
//
// The words of a stream have the same bytes in the simulation as the elements in memory, so they are copied unchanged.
#include <cinttypes>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include "Vk.h"
#include "verilated.h"

struct Stream {
    const char *name;
    bool input;
    unsigned bytes; // bytes of a word
    uint8_t *data;
    CData *valid, *ready;
};
#include "cycles.h"
#include "streams.h" // streams[] of Vk *k, its input drain, the signals that test its kernels, and cycles_of(k)

// Run is one stream in a run.
struct Run {
    Stream s;
    uint64_t element = 0;  // words per element
    bool follows = false;  // joined to an earlier input, without its own firings
    uint64_t firing = 1;   // elements consumed per firing
    bool only = false;     // sent once, such as a table; does not count as work
    std::vector<uint8_t> file; // words of an input; expected words of an output
    FILE *keep = nullptr;
    double stall = 0;
    std::vector<uint8_t> stalls; // stalls by cycle, repeated; random if empty
    uint64_t words = 0, waited = 0, idle = 0, at = 0, in_element = 0, elements = 0;
    bool taken = false, wrong = false;
    uint64_t wrong_at = 0; // index of the first wrong byte
    uint64_t hash = 1469598103934665603u, hashed = 0;
};

static void fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static std::vector<uint8_t> read_all(const char *path) {
    FILE *f = fopen(path, "rb");
    std::vector<uint8_t> all;
    uint8_t part[65536];
    if (!f)
        fail("cannot read %s", path);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        all.insert(all.end(), part, part + n);
    fclose(f);
    return all;
}

static uint64_t random_state = 1;
static double draw() { // xorshift64*, in [0, 1)
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (double)((random_state * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

// Settings contains the settings of a run that do not belong to one stream.
struct Settings {
    uint64_t most_cycles = 1000000, firings_wanted = UINT64_MAX, quiet = 100000, window = UINT64_MAX, hash_words = 0;
    bool once = false;
};

// of_stream parses a line for a stream: a word, the stream's name, and a value. It reports whether the word is known.
static bool of_stream(Run &r, const std::string &word, const char *value) {
    if (word == "element")
        r.element = strtoull(value, nullptr, 10);
    else if (word == "follows")
        r.follows = true;
    else if (word == "firing")
        r.firing = strtoull(value, nullptr, 10);
    else if (word == "only")
        r.only = true;
    else if (word == "stall")
        r.stall = atof(value);
    else if (word == "stalls")
        r.stalls = read_all(value);
    else if (word == "file")
        r.file = read_all(value);
    else if (word == "keep") {
        if (!(r.keep = fopen(value, "wb")))
            fail("cannot write %s", value);
    } else
        return false;
    return true;
}

// of_run parses a line for the entire run: a word and a number. It reports whether the word is known.
static bool of_run(Settings &s, const std::string &word, uint64_t number) {
    if (word == "cycles")
        s.most_cycles = number;
    else if (word == "firings")
        s.firings_wanted = number;
    else if (word == "quiet")
        s.quiet = number;
    else if (word == "window")
        s.window = number;
    else if (word == "hash")
        s.hash_words = number;
    else if (word == "seed")
        random_state = number | 1;
    else if (word == "once")
        s.once = true;
    else
        return false;
    return true;
}

// read_script reads the file that xopt writes. Each line contains a word, for some words the name of a stream, and
// a value.
static Settings read_script(const char *path, std::vector<Run> &runs) {
    Settings settings;
    FILE *f = fopen(path, "r");
    if (!f)
        fail("cannot read %s", path);
    static char line[8192];
    for (int n = 1; fgets(line, sizeof line, f); n++) {
        std::string text(line);
        while (!text.empty() && text.back() == '\n')
            text.pop_back();
        size_t a = text.find(' '), b = a == std::string::npos ? a : text.find(' ', a + 1);
        std::string word = text.substr(0, a), name, value;
        if (a != std::string::npos)
            name = text.substr(a + 1, b == std::string::npos ? b : b - a - 1);
        if (b != std::string::npos)
            value = text.substr(b + 1);
        if (of_run(settings, word, strtoull(name.c_str(), nullptr, 10)))
            continue;
        Run *r = nullptr;
        for (Run &x : runs)
            if (name == std::string(x.s.input ? "s." : "m.") + x.s.name)
                r = &x;
        if (!r)
            fail("%s:%d: the module has no stream %s", path, n, name.c_str());
        if (!of_stream(*r, word, value.c_str()))
            fail("%s:%d: %s is not a word of this file: xopt and this simulation are of different versions; remove the simulation from the cache", path, n, word.c_str());
    }
    fclose(f);
    return settings;
}

// reset holds the module in reset for some cycles.
static void reset(Vk *k, const std::vector<Run> &runs) {
    for (const Run &r : runs)
        if (r.s.input)
            *r.s.valid = 0;
        else
            *r.s.ready = 0;
    if (CData *drain = drain_of(k))
        *drain = 0;
    ask_nothing(k);
    k->rst = 1;
    for (int i = 0; i < 16; i++) {
        k->clk = 0;
        k->eval();
        k->clk = 1;
        k->eval();
    }
    k->rst = 0;
}

// stalled reports whether a stream stalls in a cycle. A stalled input has no new word; a stalled output has no space.
static bool stalled(const Run &r, uint64_t cycle) {
    if (!r.stalls.empty())
        return r.stalls[cycle % r.stalls.size()] != 0;
    return r.stall != 0 && draw() < r.stall;
}

// look classifies the current cycle. If the class is invisible, it tests the kernel.
static void look(Vk *k, const std::vector<Run> &runs, Cycles &cycles) {
    uint64_t valid = 0, ready = 0;
    auto read = [&] {
        valid = ready = 0;
        for (size_t i = 0; i < runs.size(); i++) {
            valid |= (uint64_t)(*runs[i].s.valid & 1) << i;
            ready |= (uint64_t)(*runs[i].s.ready & 1) << i;
        }
    };
    read();
    if (cycles.see(valid, ready))
        return;
    auto show = [&](CData what) {
        for (size_t i = 0; i < runs.size(); i++) {
            if (cycles.lacks() >> i & 1)
                *runs[i].s.valid = what;
            if (cycles.closed() >> i & 1)
                *runs[i].s.ready = what;
        }
        k->eval();
    };
    show(1);
    read();
    show(0);
    cycles.answer(valid, ready);
}

// print_streams prints the counts of each stream.
static void print_streams(const std::vector<Run> &runs) {
    for (size_t i = 0; i < runs.size(); i++) {
        const Run &r = runs[i];
        printf("%s{\"name\":\"%s\",\"input\":%s,\"words\":%" PRIu64 ",\"elements\":%" PRIu64 ",\"waited\":%" PRIu64 ",", i ? "," : "", r.s.name,
               r.s.input ? "true" : "false", r.words, r.elements, r.waited);
        printf("\"idle\":%" PRIu64 ",\"compared\":%" PRIu64 ",\"wrong\":%s,\"wrongAt\":%" PRIu64 ",\"hash\":\"%" PRIx64 "\"}", r.idle,
               r.s.input ? 0 : r.at, r.wrong ? "true" : "false", r.wrong_at, r.hash);
    }
}

int main(int argc, char **argv) {
    if (argc < 2)
        fail("this program is started by xopt");
    Verilated::commandArgs(argc, argv);
    Vk *k = new Vk;
    std::vector<Run> runs;
    for (const Stream &s : streams(k)) {
        Run r;
        r.s = s;
        runs.push_back(r);
    }
    const Settings settings = read_script(argv[1], runs);
    bool source = true;
    for (Run &r : runs)
        source = source && !r.s.input;

    reset(k, runs);
    CData *drain = drain_of(k);
    Cycles cycles = cycles_of(k);

    uint64_t cycle = 0, firings = 0, last_move = 0, last_firing = 0, first_in = UINT64_MAX, first_out = UINT64_MAX;
    // Statistics of the cycles between firings.
    uint64_t services = 0;
    double sum = 0, squares = 0, minimum = 1e300, maximum = 0;
    std::string windows;
    uint64_t window_cycle = 0, next_window = settings.window;
    bool ended = false, left = false; // left: an input has remaining words of data that are not repeated
    while (cycle < settings.most_cycles && firings < settings.firings_wanted && !ended) {
        for (Run &r : runs) {
            if (!r.s.input) {
                *r.s.ready = !stalled(r, cycle);
                continue;
            }
            if (*r.s.valid)
                continue; // a word remains until it is consumed
            if (r.at >= r.file.size()) {
                if (settings.once || r.only || r.file.empty())
                    continue;
                r.at = 0;
            }
            if (!stalled(r, cycle)) {
                memcpy(r.s.data, &r.file[r.at], r.s.bytes);
                *r.s.valid = 1;
            }
        }
        k->clk = 0;
        k->eval();
        if (cycles.reported)
            look(k, runs, cycles);
        // Words that move at the next clock edge.
        bool fired = false;
        for (Run &r : runs) {
            if (!*r.s.valid) {
                r.idle++;
                continue;
            }
            if (!*r.s.ready) {
                r.waited++;
                continue;
            }
            last_move = cycle;
            r.words++;
            if (r.s.input) {
                if (first_in == UINT64_MAX && !r.only)
                    first_in = cycle;
                r.at += r.s.bytes;
            } else {
                if (first_out == UINT64_MAX)
                    first_out = cycle;
                if (r.keep)
                    fwrite(r.s.data, 1, r.s.bytes, r.keep);
                if (!r.wrong && r.at + r.s.bytes <= r.file.size()) {
                    if (memcmp(r.s.data, &r.file[r.at], r.s.bytes) != 0) {
                        r.wrong = true;
                        r.wrong_at = r.at;
                    } else
                        r.at += r.s.bytes;
                }
                if (r.hashed < settings.hash_words) {
                    r.hashed++;
                    for (unsigned i = 0; i < r.s.bytes; i++)
                        r.hash = (r.hash ^ r.s.data[i]) * 1099511628211u;
                }
            }
            if (++r.in_element == r.element) {
                r.in_element = 0;
                r.elements++;
                bool counts = source ? !r.s.input : r.s.input && !r.follows && !r.only && r.elements % r.firing == 0;
                fired = fired || counts;
                firings += counts;
            }
        }
        // Consumed words make space for the next words after the clock edge.
        for (Run &r : runs)
            r.taken = r.s.input && *r.s.valid && *r.s.ready;
        k->clk = 1;
        k->eval();
        for (Run &r : runs)
            if (r.taken)
                *r.s.valid = 0;
        cycle++;
        if (fired) {
            if (last_firing > 0 && (settings.window == UINT64_MAX || !windows.empty())) {
                double took = (double)(cycle - last_firing);
                services++;
                sum += took;
                squares += took * took;
                minimum = took < minimum ? took : minimum;
                maximum = took > maximum ? took : maximum;
            }
            last_firing = cycle;
            if (firings >= next_window) {
                char text[512];
                snprintf(text, sizeof text, "%s{\"cycles\":%" PRIu64 ",\"words\":[", windows.empty() ? "" : ",", cycle - window_cycle);
                windows += text;
                for (size_t i = 0; i < runs.size(); i++) {
                    snprintf(text, sizeof text, "%s%" PRIu64, i ? "," : "", runs[i].words);
                    windows += text;
                }
                windows += "]}";
                window_cycle = cycle;
                next_window += settings.window;
            }
        }
        if (cycle - last_move > settings.quiet) {
            for (Run &r : runs)
                left = left || (r.s.input && (*r.s.valid || ((settings.once || r.only) && r.at < r.file.size())));
            if (settings.once && !left && drain && !*drain) { // the remaining data of the module
                *drain = 1;
                last_move = cycle;
            } else
                ended = true;
        }
    }
    for (Run &r : runs) {
        if (r.keep && fclose(r.keep) != 0)
            fail("cannot write the output of %s", r.s.name);
    }
    printf("{\"cycles\":%" PRIu64 ",\"firings\":%" PRIu64 ",\"stuck\":%s,\"lastMove\":%" PRIu64 ",", cycle, firings, ended && left ? "true" : "false", last_move);
    printf("\"latency\":%" PRIu64 ",\"services\":%" PRIu64 ",\"sum\":%.17g,\"squares\":%.17g,\"min\":%.17g,\"max\":%.17g,",
           first_in != UINT64_MAX && first_out != UINT64_MAX ? first_out - first_in : 0, services, sum, squares, services ? minimum : 0, maximum);
    printf("\"windows\":[%s],\"streams\":[", windows.c_str());
    print_streams(runs);
    printf("],\"spent\":[");
    for (size_t i = 0; i < cycles.counts.size(); i++)
        printf("%s%" PRIu64, i ? "," : "", cycles.counts[i]);
    printf("]}\n");
    fflush(stdout);
    k->final();
    delete k;
    return 0;
}
