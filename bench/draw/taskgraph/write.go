package taskgraph

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"xopt/bench/apps"
)

// Options contains the parameters of a written application.
type Options struct {
	Buffer  int     // size of every edge's buffer in elements; 0 to let xopt choose
	Arrival float64 // mean gap between the source's elements in s, exponentially distributed; 0 for the maximum rate
	Speed   float64 // speed of this processor in rounds per µs (see burn.h); 0 to measure it in every run
	Cores   int     // number of cores in arch.x
}

// kernel is a kernel of the application, with the element sizes of its ports.
type kernel struct {
	name, config string
	in, out      []int // element size of each port, bytes
}

func (k *kernel) shape() shape { return shape{len(k.in), len(k.out)} }

// Write writes the application to a folder: app.x, arch.x and the sources of its blocks.
func (g *Graph) Write(dir string, o Options) error {
	kernels, edges := g.wire(o)
	app, err := g.app(kernels, edges, o)
	errs := []error{err}
	written := map[string]string{"app.x": app, "arch.x": arch(o)}
	for i := range kernels {
		s := kernels[i].shape()
		text, err := s.source()
		errs = append(errs, err)
		written[s.File()] = text
	}
	for _, name := range []string{"node.h", "burn.h", "draw.h", "mix.h"} {
		text, err := fs.ReadFile(apps.Files(), "synthetic/"+name)
		errs = append(errs, err)
		written[name] = string(text)
	}
	for name, text := range written {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("writing a synthetic application: %w", err)
	}
	return nil
}

// wire returns the kernels: source, tasks, and sink, in this order. It also returns the X code of the edges: first
// those from the source, then the arcs, then those to the sink.
func (g *Graph) wire(o Options) (kernels []kernel, edges []string) {
	kernels = append(kernels, kernel{name: "source", config: fmt.Sprintf("time=%.6g", o.Arrival*1e6)})
	for i := range g.Graph.Tasks {
		kernels = append(kernels, kernel{name: fmt.Sprintf("t%d", i),
			config: fmt.Sprintf("time=%.6g, seed=%d", g.Times[i]*1e6, i+2)})
	}
	sink := len(kernels)
	kernels = append(kernels, kernel{name: "sink"})
	join := func(from, to, bytes int) {
		f, t := &kernels[from], &kernels[to]
		f.out, t.in = append(f.out, bytes), append(t.in, bytes)
		edges = append(edges, fmt.Sprintf("    e%d: %s.y%d -> %s.x%d;\n", len(edges)+1, f.name, len(f.out), t.name,
			len(t.in)))
	}
	for i, bytes := range g.First {
		if bytes > 0 {
			join(0, i+1, bytes)
		}
	}
	for i, a := range g.Graph.Arcs {
		join(a.From+1, a.To+1, g.Sizes[i])
	}
	for i, bytes := range g.Last {
		if bytes > 0 {
			join(i+1, sink, bytes)
		}
	}
	return kernels, edges
}

// app returns the content of app.x: the blocks of all shapes, and the application with its kernels and edges.
func (g *Graph) app(kernels []kernel, edges []string, o Options) (string, error) {
	var x strings.Builder
	fmt.Fprintf(&x, "// A synthetic task graph of %d tasks and %d arcs between a source and a sink\n"+
		"// (Beard 2013, section 4.5). Times are means in us, exponentially distributed.\n#include \"std.x\"\n",
		len(g.Graph.Tasks), len(g.Graph.Arcs))
	seen := make(map[shape]bool)
	for i := range kernels {
		if s := kernels[i].shape(); !seen[s] {
			seen[s] = true
			text, err := s.block()
			if err != nil {
				return "", err
			}
			x.WriteString(text)
		}
	}
	fmt.Fprintf(&x, "block top {\n    config FLOAT64 speed = %.17g;    // units of work that the processor does in 1 "+
		"us; 0 to measure it\n", o.Speed)
	for i := range kernels {
		k := &kernels[i]
		var configs []string
		for j, bytes := range k.in {
			configs = append(configs, fmt.Sprintf("a%d=%d", j+1, bytes))
		}
		for j, bytes := range k.out {
			configs = append(configs, fmt.Sprintf("b%d=%d", j+1, bytes))
		}
		if k.config != "" {
			configs = append(configs, k.config)
		}
		if i > 0 && i < len(kernels)-1 {
			configs = append(configs, "speed=speed")
		}
		fmt.Fprintf(&x, "    %s %s (%s);\n", k.shape().Name(), k.name, strings.Join(configs, ", "))
	}
	for _, e := range edges {
		x.WriteString(e)
	}
	x.WriteString("};\nuse top;\n")
	if o.Buffer > 0 {
		for i := range edges {
			fmt.Fprintf(&x, "buffer { top.e%d } = %d;\n", i+1, o.Buffer)
		}
	}
	return x.String(), nil
}

// arch returns the content of arch.x.
func arch(o Options) string {
	return fmt.Sprintf("// Processor cores that share memory.\n#include \"std.x\"\n"+
		"resource proc[%d] is C;\nresource mem is memory ({ proc }, bandwidth=\"10GB/s\", from=\"assumed: not a "+
		"limit\");\n", max(o.Cores, 1))
}
