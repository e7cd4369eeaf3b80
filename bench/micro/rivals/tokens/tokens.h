/* tokens.h: the kernels of an application, run in sequence on the buffers of a token. */
#ifndef TOKENS_H
#define TOKENS_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "X.h"

/* settings are the command-line settings of sources and sinks. */
struct settings {
    uint64_t elements;
    const char *input, *output;
};

/* source is the source of an input port: the index of an output among the outputs of all kernels, and the bytes of
 * an element. */
struct source {
    int output;
    size_t size;
};

struct kernel {
    const char *name;
    size_t bytes;         /* of its object */
    bool stateless, once; /* once: a source that sends only at the start */
    void (*config)(void *, const settings &);
    void (*bind)(void *, x_input *, x_output *);
    void (*init)(void *);
    int (*go)(void *);
    void (*push)(void *), (*drain)(void *), (*destroy)(void *);
    std::vector<source> inputs;
    std::vector<size_t> outputs; /* bytes per element of each output */
};

/* token contains data in transit: a buffer for every output. It also contains the stateless kernels, each with its
 * own object, as in xopt's replicas. */
struct token {
    std::vector<x_output> outputs;
    std::vector<std::vector<char>> objects; /* of each kernel; empty if it has state */
};

void X_fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    exit(1);
}

void x_grow(x_output *port, size_t n) {
    size_t room = 2 * port->room + n;
    char *data = (char *)aligned_alloc(64, (room * port->size + 63) / 64 * 64);
    if (!data)
        X_fail("out of memory");
    if (port->data)
        memcpy(data, port->data, port->sent * port->size);
    free(port->data);
    port->data = data;
    port->room = room;
}

/* application contains the kernels, and the objects of stateful kernels. */
struct application {
    const std::vector<kernel> &kernels;
    settings said;
    std::vector<std::vector<char>> objects;
    std::vector<std::vector<std::vector<char>>> kept; /* of each kernel and input: data not consumed yet */
    std::vector<int> first;                           /* of each kernel: number of its first output */
    int outputs = 0;
    std::vector<char> once; /* of each output: sent at the start only */
    token start;            /* data sent at the start */
    bool ended = false;
    uint64_t bytes = 0, elements = 0; /* consumed by the sinks */

    application(const std::vector<kernel> &list, const settings &s) : kernels(list), said(s) {
        for (const kernel &k : kernels) {
            first.push_back(outputs);
            outputs += (int)k.outputs.size();
            once.insert(once.end(), k.outputs.size(), k.once);
            kept.emplace_back(k.inputs.size());
        }
        start = buffers();
        for (size_t k = 0; k < kernels.size(); k++)
            objects.push_back(object(k));
        for (size_t k = 0; k < kernels.size(); k++)
            if (kernels[k].once) {
                kernels[k].bind(objects[k].data(), nullptr, start.outputs.data() + first[k]);
                while (kernels[k].go(objects[k].data()) == 0) {
                }
            }
        for (size_t k = 0; k < kernels.size(); k++)
            begin(k, objects[k]);
    }

    token buffers() const {
        token t;
        for (const kernel &k : kernels)
            for (size_t size : k.outputs)
                t.outputs.push_back({nullptr, 0, 0, size, 0});
        return t;
    }

    std::vector<char> object(size_t k) const {
        std::vector<char> d(kernels[k].bytes);
        kernels[k].config(d.data(), said);
        kernels[k].init(d.data());
        return d;
    }

    /* begin runs a kernel on the data that are sent at the start. */
    void begin(size_t k, std::vector<char> &d) {
        std::vector<x_input> in(kernels[k].inputs.size());
        bool any = false;
        for (size_t i = 0; i < in.size(); i++) {
            const source &s = kernels[k].inputs[i];
            in[i] = {nullptr, 0, s.size};
            if (once[(size_t)s.output]) {
                const x_output &y = start.outputs[(size_t)s.output];
                in[i].at = y.data;
                in[i].left = y.sent;
                any = true;
            }
        }
        if (!any)
            return;
        token unused = buffers();
        kernels[k].bind(d.data(), in.data(), unused.outputs.data() + first[k]);
        kernels[k].push(d.data());
        for (const x_input &x : in)
            if (x.left > 0)
                X_fail("%s left elements of a \"once\" input unread", kernels[k].name);
        for (size_t i = 0; i < kernels[k].outputs.size(); i++)
            if (unused.outputs[(size_t)first[k] + i].sent > 0)
                X_fail("%s sent elements before the start of the stream", kernels[k].name);
    }

    /* make returns a new token. */
    token make() {
        token t = buffers();
        for (size_t k = 0; k < kernels.size(); k++) {
            t.objects.emplace_back();
            if (kernels[k].stateless && !kernels[k].go) {
                t.objects[k] = object(k);
                begin(k, t.objects[k]);
            }
        }
        return t;
    }

    /* fill runs the sources until one of their outputs has the given number of elements. It returns false at the
     * end. */
    bool fill(token &t, size_t batch) {
        for (x_output &y : t.outputs)
            y.sent = 0;
        bool any = false;
        for (size_t k = 0; k < kernels.size() && !ended; k++) {
            if (!kernels[k].go || kernels[k].once)
                continue;
            x_output *y = t.outputs.data() + first[k];
            kernels[k].bind(objects[k].data(), nullptr, y);
            for (size_t maximum = 0; maximum < batch && !ended;) {
                ended = kernels[k].go(objects[k].data()) != 0;
                for (size_t i = 0; i < kernels[k].outputs.size(); i++)
                    maximum = y[i].sent > maximum ? y[i].sent : maximum;
            }
            for (size_t i = 0; i < kernels[k].outputs.size(); i++) {
                y[i].before += y[i].sent;
                any = any || y[i].sent > 0;
            }
        }
        return any;
    }

    /* fire runs a kernel on the data of a token. A stateful kernel keeps the data that it has not consumed. */
    void fire(token &t, size_t k, bool drain) {
        const kernel &self = kernels[k];
        std::vector<x_input> in(self.inputs.size());
        for (size_t i = 0; i < in.size(); i++) {
            const source &s = self.inputs[i];
            in[i] = {nullptr, 0, s.size};
            if (once[(size_t)s.output])
                continue;
            const x_output &y = t.outputs[(size_t)s.output];
            std::vector<char> &rest = kept[k][i];
            if (rest.empty()) {
                in[i].at = y.data;
                in[i].left = y.sent;
            } else {
                rest.insert(rest.end(), y.data, y.data + y.sent * y.size);
                in[i].at = rest.data();
                in[i].left = rest.size() / y.size;
            }
            if (self.outputs.empty()) {
                __atomic_fetch_add(&bytes, y.sent * y.size, __ATOMIC_RELAXED); /* sinks may run concurrently */
                __atomic_fetch_add(&elements, y.sent, __ATOMIC_RELAXED);
            }
        }
        char *d = (self.stateless ? t.objects[k] : objects[k]).data();
        self.bind(d, in.data(), t.outputs.data() + first[k]);
        self.push(d);
        for (size_t i = 0; i < in.size(); i++) {
            if (in[i].left > 0 && self.stateless)
                X_fail("%s left %zu elements of a token unread, but has no state", self.name, in[i].left);
            if (!self.stateless && (in[i].left > 0 || !kept[k][i].empty())) {
                std::vector<char> rest(in[i].at, in[i].at + in[i].left * in[i].size);
                kept[k][i].swap(rest);
            }
        }
        if (drain)
            self.drain(d);
    }

    /* end ends the stream. */
    void end() {
        token t = make();
        for (size_t k = 0; k < kernels.size(); k++)
            if (!kernels[k].go)
                fire(t, k, true);
        for (size_t k = 0; k < kernels.size(); k++)
            kernels[k].destroy(objects[k].data());
    }
};

#endif
