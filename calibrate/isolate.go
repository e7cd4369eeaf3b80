package calibrate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/calibrate/faults"
	"xopt/deploy/program"
	"xopt/flow/design"
	"xopt/flow/xlang"
)

// replayC is the C code of a source that sends the recorded data of an edge repeatedly.
const replayC = `/* Sends the elements of a file repeatedly. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "X_BLOCK.h"

struct state {
    const uint8_t *data;
    size_t count, next;
};

void X_BLOCK_init(X_BLOCK *d) {
    struct state *s = calloc(1, sizeof *s);
    struct stat info;
    int fd = open(d->config.file, O_RDONLY);
    if (!s || fd < 0 || fstat(fd, &info) != 0)
        X_fail("cannot read %s: %s", d->config.file, strerror(errno));
    s->count = (size_t)info.st_size / SIZE;
    s->data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (s->data == MAP_FAILED)
        X_fail("cannot map %s: %s", d->config.file, strerror(errno));
    close(fd);
    d->state = s;
}

int X_BLOCK_go(X_BLOCK *d) {
    struct state *s = d->state;
    size_t n = X_BLOCK_y_room(d);
    if (n < BURST)
        return 0;
    if (n > s->count - s->next)
        n = s->count - s->next;
    if (n == 0)
        return 0;
    memcpy(X_BLOCK_y(d, n), s->data + s->next * SIZE, n * SIZE);
    X_BLOCK_y_send(d, n);
    s->next = (s->next + n) % s->count;
    return 0;
}

void X_BLOCK_destroy(X_BLOCK *d) { free(d->state); }
`

// drainC is the C code of a sink that discards its input.
const drainC = `/* Releases all elements. */
#include "X_BLOCK.h"

void X_BLOCK_init(X_BLOCK *d) { (void)d; }
void X_BLOCK_push(X_BLOCK *d) { X_BLOCK_x_release(d, X_BLOCK_x_avail(d)); }
void X_BLOCK_destroy(X_BLOCK *d) { (void)d; }
`

// readingC is the C code of a sink on another core. Like a kernel, it reads every cache line. The writer must then
// fetch the lines from the cache of the other core. The sink waits until a quarter of its buffer is full, because in an
// application, a busy reader does not follow its writer line by line.
const readingC = `/* Reads every cache line, and releases the elements. */
#include "X_BLOCK.h"

void X_BLOCK_init(X_BLOCK *d) { (void)d; }

void X_BLOCK_push(X_BLOCK *d) {
    if (X_BLOCK_x_avail(d) < BURST)
        return;
    for (; X_BLOCK_x_avail(d) > 0; X_BLOCK_x_release(d, 1)) {
        const volatile uint8_t *x = (const volatile uint8_t *)X_BLOCK_x(d);
        for (size_t i = 0; i < SIZE; i += 64)
            (void)x[i];
    }
}

void X_BLOCK_destroy(X_BLOCK *d) { (void)d; }
`

// enlarge makes each buffer as large as all buffers of an application with the given number of edges. In the
// application, the data of other buffers evict the lines of a buffer from the caches before they are written again. A
// single buffer would remain cached. enlarge does not change fused kernels, because these exchange data in the
// first-level cache.
func enlarge(d *design.Design, edges int) {
	const usual, maximum = 256 << 10, 8 << 20 // bytes
	bytes := float64(min(usual*max(edges, 1), maximum))
	for e, edge := range d.Program.Edges {
		element := d.Program.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes
		d.Buffers[e] = max(2, int(bytes/element))
	}
}

// fused reports whether a core processes each batch with all of its kernels before the next batch.
func fused(core *xlang.Resource) bool {
	return core.Config["processes"].Text == string(program.PerCore) &&
		core.Config["schedule"].Text != string(program.ScheduleSinks)
}

// burstBytes is the number of bytes that a peer on another core sends or consumes at once: a quarter of a buffer.
const burstBytes = 64 << 10

// where selects the peers that run on another core than the kernel: the sources, the sinks, or both.
type where struct{ in, out bool }

// isolated is the program of one kernel, with sources that replay its input and sinks that discard its output. The
// measured kernel is kernel 0.
type isolated struct {
	design *design.Design
	kernel int // index in the application
}

// isolate returns the program of kernel k. recorded contains the file with the data of each edge of the application; ""
// for an edge without data.
func isolate(app *design.Design, k int, recorded []string, far where, dir string) (*isolated, error) {
	p, once := app.Program, app.Program.SentOnce()[k]
	kernel := p.Kernels[k]
	resource := p.Resources[app.Mapping.Place[k]]
	out := &xlang.Program{Top: p.Top, Kernels: []xlang.Kernel{kernel}, Platforms: p.Platforms, Linktypes: p.Linktypes,
		Resources: []xlang.Resource{resource}, Impls: slices.Clone(p.Impls)}
	add := func(name, code string, port xlang.Port, config xlang.Values, sentOnce bool) (int, error) {
		block := fmt.Sprintf("%s%d", name, len(out.Kernels))
		burst := 1
		if far.in || far.out {
			burst = max(1, int(burstBytes/port.ElementBytes))
		}
		text := strings.NewReplacer("BLOCK", block, "SIZE", fmt.Sprintf("%d", int64(port.ElementBytes)), "BURST",
			fmt.Sprint(burst)).Replace(code)
		path := filepath.Join(dir, strings.ToLower(block)+".c")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return 0, fmt.Errorf("writing the harness of %s: %w", kernel.Name, err)
		}
		x := xlang.Kernel{Name: p.Top + "." + strings.ToLower(block), Block: block, Config: config}
		if name == "Replay" {
			port.Name = "y"
			x.Once = sentOnce
			x.Outputs = []xlang.Port{port}
		} else {
			port.Name = "x"
			x.Inputs = []xlang.Port{port}
		}
		out.Kernels = append(out.Kernels, x)
		out.Impls = append(out.Impls, xlang.Impl{Block: block, Platform: resource.Platform,
			Attrs: xlang.Values{"src": {Text: path, Quoted: true}}, Dir: dir})
		return len(out.Kernels) - 1, nil
	}
	for e, edge := range p.Edges {
		if edge.To == k {
			if recorded[e] == "" {
				return nil, faults.EdgeWithoutData.Errorf("edge %s carried no data in the recorded run: record "+
					"more input (--elements, --record)", edge.Name)
			}
			file := xlang.Value{Text: recorded[e], Quoted: true, Type: "STRING"}
			from, err := add("Replay", replayC, kernel.Inputs[edge.ToPort], xlang.Values{"file": file},
				once[edge.ToPort])
			if err != nil {
				return nil, err
			}
			out.Edges = append(out.Edges, xlang.Edge{Name: edge.Name, From: from, To: 0, ToPort: edge.ToPort})
		}
		if edge.From == k {
			code := drainC
			if far.out {
				code = readingC
			}
			to, err := add("Drain", code, kernel.Outputs[edge.FromPort], nil, false)
			if err != nil {
				return nil, err
			}
			out.Edges = append(out.Edges, xlang.Edge{Name: edge.Name, From: 0, FromPort: edge.FromPort, To: to})
		}
	}
	if far.in || far.out {
		out.Resources = append(out.Resources, elsewhere(p, app.Mapping.Place[k]))
		out.Links = []xlang.Link{{Name: "shared memory", Linktype: "memory", Endpoints: []int{0, 1}}}
	}
	for i := range out.Kernels {
		at := 0
		if i > 0 && (far.in && len(out.Kernels[i].Outputs) > 0 || far.out && len(out.Kernels[i].Inputs) > 0) {
			at = 1
		}
		out.Maps = append(out.Maps, xlang.Map{Kernel: i, Edge: -1, Resource: at})
	}
	d, err := design.New(out, design.Options{Purpose: design.ForCheck})
	if err != nil {
		return nil, fmt.Errorf("isolating %s: %w", kernel.Name, err)
	}
	if far.in || far.out {
		if !fused(&resource) {
			enlarge(d, len(p.Edges))
		}
	}
	return &isolated{d, k}, nil
}
