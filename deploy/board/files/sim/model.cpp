// model.cpp: a model of a board. It is the exported design, compiled by Verilator, with the interface of a transport
// of the host (xopt_board.h). Its clock advances while the host waits for a register or pauses.
//
// With the shell xopt_stream, streams are separate from the registers, as with a DMA engine. With a schedule, their
// words move in the same cycles as in the exported run.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>
#include "Vk.h"
#include "verilated.h"

extern "C" {
#include "xopt_board.h"
}

#if SHELL_STREAM
struct Port {
    const char *name;
    bool input;
    unsigned bytes, words; // bytes of a word with its padding; words of an element
    uint8_t *data;
    CData *valid, *ready;
};
#include "ports.h" // std::vector<Port> ports(Vk *k)

struct Limit { // number of elements that may have moved from a cycle on
    uint64_t cycle, elements;
};

struct Lane {
    Port port;
    std::vector<uint8_t> bytes; // bytes to send, or received bytes
    size_t at = 0;              // index of the first unsent, or undelivered, byte
    uint64_t moved = 0;         // number of words that moved
    std::vector<Limit> limits;
    size_t next = 0; // index of the next limit
    uint64_t limit = 0;
    bool taken = false;

    bool may(uint64_t cycle, bool scheduled) {
        for (; next < limits.size() && limits[next].cycle <= cycle; next++)
            limit = limits[next].elements;
        return !scheduled || moved < limit * port.words;
    }
};
#endif

class Model {
  public:
    Model(xopt_transport *t, const char *schedule) : transport_(t), k_(new Vk) {
        (void)schedule;
#if SHELL_STREAM
        for (const Port &p : ports(k_))
            lanes_.push_back({p, {}, 0, 0, {}, 0, 0, false});
        if (*schedule)
            read(schedule);
#endif
        reset();
    }

    ~Model() {
        k_->final();
        delete k_;
    }

    int failed() const { return failed_; }

#if SHELL_SERIAL
    int read_register(uint32_t address, uint32_t *value) {
        const uint8_t say[] = {'R', (uint8_t)address, (uint8_t)(address >> 8)};
        uint8_t hear[4];
        if (!ask(say, sizeof say, hear, sizeof hear))
            return -1;
        *value = (uint32_t)hear[0] | (uint32_t)hear[1] << 8 | (uint32_t)hear[2] << 16 | (uint32_t)hear[3] << 24;
        return 0;
    }

    int write_register(uint32_t address, uint32_t value) {
        const uint8_t say[] = {'W', (uint8_t)address, (uint8_t)(address >> 8), (uint8_t)value, (uint8_t)(value >> 8),
                               (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
        uint8_t hear[1];
        return ask(say, sizeof say, hear, sizeof hear) && hear[0] == 'A' ? 0 : -1;
    }
#else
    int read_register(uint32_t address, uint32_t *value) {
        k_->s_axi_araddr = address;
        k_->s_axi_arvalid = 1;
        k_->s_axi_rready = 1;
        for (int tries = 0; tries < 1000; tries++) {
            step();
            if (ar_taken_)
                k_->s_axi_arvalid = 0;
            if (r_taken_) {
                k_->s_axi_rready = 0;
                *value = r_data_;
                return 0;
            }
        }
        return refuse("no answer on AXI4-Lite");
    }

    int write_register(uint32_t address, uint32_t value) {
        k_->s_axi_awaddr = address;
        k_->s_axi_wdata = value;
        k_->s_axi_wstrb = 15;
        k_->s_axi_awvalid = k_->s_axi_wvalid = 1;
        k_->s_axi_bready = 1;
        for (int tries = 0; tries < 1000; tries++) {
            step();
            if (w_taken_)
                k_->s_axi_awvalid = k_->s_axi_wvalid = 0;
            if (b_taken_) {
                k_->s_axi_bready = 0;
                return b_error_ ? refuse("AXI4-Lite refuses to write") : 0;
            }
        }
        return refuse("no answer on AXI4-Lite");
    }
#endif

#if SHELL_STREAM
    long send(unsigned stream, const void *words, size_t bytes) {
        Lane &l = lanes_[stream];
        if (l.at == l.bytes.size()) {
            l.bytes.clear();
            l.at = 0;
        }
        if (l.bytes.size() - l.at > MOST)
            return 0;
        const uint8_t *from = (const uint8_t *)words;
        l.bytes.insert(l.bytes.end(), from, from + bytes);
        return (long)bytes;
    }

    long receive(unsigned stream, void *words, size_t bytes) {
        Lane &l = lanes_[stream];
        size_t n = l.bytes.size() - l.at;
        n = n < bytes ? n : bytes;
        memcpy(words, l.bytes.data() + l.at, n);
        l.at += n;
        if (l.at == l.bytes.size()) {
            l.bytes.clear();
            l.at = 0;
        }
        return (long)n;
    }
#endif

    // pause advances to a cycle, counted since the kernels started.
    void pause(uint64_t cycle) {
        while (k_->running && cycle_ < cycle)
            step();
        if (!k_->running)
            step();
    }

  private:
    enum { MOST = 1 << 20 }; // maximum number of bytes that wait to be sent
    xopt_transport *transport_;
    Vk *k_;
    uint64_t cycle_ = 0;
    int failed_ = 0;
    bool scheduled_ = false;
    bool ar_taken_ = false, r_taken_ = false, w_taken_ = false, b_taken_ = false, b_error_ = false;
    uint32_t r_data_ = 0;
#if SHELL_STREAM
    std::vector<Lane> lanes_;

    void read(const char *path) {
        FILE *f = fopen(path, "r");
        char line[256], name[64];
        scheduled_ = true;
        if (!f) {
            failed_ = refuse("cannot read the schedule");
            return;
        }
        while (fgets(line, sizeof line, f)) {
            Limit limit;
            if (sscanf(line, "limit %63s %" SCNu64 " %" SCNu64, name, &limit.cycle, &limit.elements) == 3)
                for (Lane &l : lanes_)
                    if (strcmp(l.port.name, name) == 0)
                        l.limits.push_back(limit);
        }
        fclose(f);
    }
#endif

    int refuse(const char *why) {
        snprintf(transport_->error, sizeof transport_->error, "%s", why);
        return -1;
    }

    void reset() {
#if SHELL_SERIAL
        k_->rx = 1;
#else
        k_->aresetn = 0;
        k_->s_axi_awvalid = k_->s_axi_wvalid = k_->s_axi_arvalid = k_->s_axi_bready = k_->s_axi_rready = 0;
#endif
        for (int i = 0; i < 32; i++)
            step();
#if !SHELL_SERIAL
        k_->aresetn = 1;
#endif
        step();
    }

    // step advances the model by one cycle.
    void step() {
        const bool running = k_->running;
#if SHELL_STREAM
        for (Lane &l : lanes_)
            offer(l, running);
#endif
        k_->aclk = 0;
        k_->eval();
#if SHELL_STREAM
        for (Lane &l : lanes_)
            move(l);
#endif
#if !SHELL_SERIAL
        ar_taken_ = k_->s_axi_arvalid && k_->s_axi_arready;
        r_taken_ = k_->s_axi_rvalid && k_->s_axi_rready;
        r_data_ = k_->s_axi_rdata;
        w_taken_ = k_->s_axi_awvalid && k_->s_axi_awready && k_->s_axi_wready;
        b_taken_ = k_->s_axi_bvalid && k_->s_axi_bready;
        b_error_ = k_->s_axi_bresp != 0;
#endif
        k_->aclk = 1;
        k_->eval();
#if SHELL_STREAM
        for (Lane &l : lanes_)
            if (l.port.input && l.taken)
                *l.port.valid = 0;
#endif
        cycle_ = !k_->running ? 0 : running ? cycle_ + 1 : 0;
    }

#if SHELL_STREAM
    void offer(Lane &l, bool running) {
        const bool may = running && l.may(cycle_, scheduled_);
        if (!l.port.input)
            *l.port.ready = may && l.bytes.size() - l.at <= MOST;
        else if (!*l.port.valid && may && l.at < l.bytes.size()) {
            memcpy(l.port.data, l.bytes.data() + l.at, l.port.bytes);
            *l.port.valid = 1;
        }
    }

    void move(Lane &l) {
        l.taken = *l.port.valid && *l.port.ready;
        if (!l.taken)
            return;
        l.moved++;
        if (l.port.input)
            l.at += l.port.bytes;
        else
            l.bytes.insert(l.bytes.end(), l.port.data, l.port.data + l.port.bytes);
    }
#endif

#if SHELL_SERIAL
    // ask sends bytes on the line and reads the given number of bytes.
    bool ask(const uint8_t *say, size_t n, uint8_t *hear, size_t want) {
        for (size_t i = 0; i < n; i++) {
            bit(0);
            for (int at = 0; at < 8; at++)
                bit(say[i] >> at & 1);
            bit(1);
        }
        for (size_t i = 0; i < want; i++)
            if (!listen(&hear[i]))
                return false;
        return true;
    }

    void bit(int value) {
        k_->rx = (CData)value;
        for (int i = 0; i < DIVISOR; i++)
            step();
    }

    bool listen(uint8_t *byte) {
        for (int tries = 0; k_->tx; tries++) {
            if (tries > 100000) {
                refuse("no answer on the serial line");
                return false;
            }
            step();
        }
        for (int i = 0; i < DIVISOR / 2; i++)
            step();
        *byte = 0;
        for (int at = 0; at < 8; at++) {
            for (int i = 0; i < DIVISOR; i++)
                step();
            *byte = (uint8_t)(*byte | k_->tx << at);
        }
        for (int i = 0; i < DIVISOR; i++) // advance into the stop bit
            step();
        return true;
    }
#endif
};

static Model *of(void *self) { return (Model *)self; }

extern "C" int xopt_model_open(struct xopt_transport *t, const char *schedule) {
    static const char *none[] = {"model", nullptr};
    Verilated::commandArgs(1, none);
    Model *m = new Model(t, schedule);
    t->self = m;
    t->read = [](void *self, uint32_t address, uint32_t *value) { return of(self)->read_register(address, value); };
    t->write = [](void *self, uint32_t address, uint32_t value) { return of(self)->write_register(address, value); };
#if SHELL_STREAM
    t->send = [](void *self, unsigned stream, const void *words, size_t bytes) {
        return of(self)->send(stream, words, bytes);
    };
    t->receive = [](void *self, unsigned stream, void *words, size_t bytes) {
        return of(self)->receive(stream, words, bytes);
    };
#endif
    t->pause = [](void *self, uint64_t cycle) {
        of(self)->pause(cycle);
        return 0;
    };
    t->close = [](void *self) { delete of(self); };
    t->what = "model";
    return m->failed();
}
