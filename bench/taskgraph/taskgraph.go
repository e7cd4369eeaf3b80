package taskgraph

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xopt/bench/apps"
	"xopt/bench/tgff"
)

// Graph is a synthetic application: a task graph with the time of each task and the
// size of each arc. A source feeds the tasks that no arc leads to, and a sink drains
// those that none leads from, so that n tasks make n+2 kernels.
type Graph struct {
	Graph *tgff.Graph
	Times []float64 // of each task, s; exponentially distributed about it
	Sizes []int     // of an element on each arc, bytes
	First []int     // of what the source sends to each task, bytes; 0 for nothing
	Last  []int     // of what each task sends to the sink, likewise
}

// Parameters of the paper's synthetic applications (Beard 2013 §4.5).
const (
	paperTasks  = 80    // at the most
	paperDegree = 4     // likewise
	paperTime   = 20e-6 // s, within paperSpread of it
	paperSpread = 0.1
	paperBytes  = 64 // of data, at the most
)

// Draw draws an application as those of Beard 2013 §4.5: 1 to 80 tasks (tasks,
// if that is not 0), in- and out-degrees of 1 to 4, mean times of 20 us within 10 %, 1
// to 64 bytes of input on each arc into a task: what one task sends is what the next
// takes, so that volumes match.
func Draw(seed uint64, tasks int) *Graph {
	random := rand.New(rand.NewPCG(seed, 0x7467_6666))
	if tasks == 0 {
		tasks = 1 + random.IntN(paperTasks)
	}
	g := &Graph{Graph: tgff.Generate(tasks, tgff.Degrees{In: paperDegree, Out: paperDegree}, random)}
	g.fill(random, nil, nil)
	return g
}

// fill draws what the tables of a file do not tell.
func (g *Graph) fill(random *rand.Rand, times, sizes map[int]float64) {
	volume := make([]int, len(g.Graph.Tasks)) // of an input
	for i, t := range g.Graph.Tasks {
		volume[i] = 1 + random.IntN(paperBytes)
		s := paperTime * (1 + paperSpread*(2*random.Float64()-1))
		if x, ok := times[t.Type]; ok && x > 0 {
			s = x
		}
		g.Times = append(g.Times, s)
	}
	in, out := make([]int, len(volume)), make([]int, len(volume))
	for _, a := range g.Graph.Arcs {
		in[a.To]++
		out[a.From]++
		size := volume[a.To]
		if x, ok := sizes[a.Type]; ok && x >= 1 {
			size = int(x)
		}
		g.Sizes = append(g.Sizes, size)
	}
	g.First, g.Last = make([]int, len(volume)), make([]int, len(volume))
	for i := range volume {
		if in[i] == 0 {
			g.First[i] = volume[i]
		}
		if out[i] == 0 {
			g.Last[i] = 1 + random.IntN(paperBytes)
		}
	}
}

// maxElement bounds the size of an element that a file may ask for.
const maxElement = 1 << 20

// FromTGFF makes an application of one graph of a file. Times come from the column
// exec_time or task_time of the first table of a processing element that has one, times
// unit; sizes from the first table of communication, in bytes, or bits where the
// column says so. What is not there is drawn as Draw does.
func FromTGFF(f *tgff.File, graph int, unit float64, seed uint64) (*Graph, error) {
	i := slices.IndexFunc(f.Graphs, func(g tgff.Graph) bool { return g.ID == graph })
	if i < 0 {
		var ids []string
		for _, g := range f.Graphs {
			ids = append(ids, fmt.Sprint(g.ID))
		}
		return nil, fmt.Errorf("there is no task graph %d, only %s", graph, strings.Join(ids, ", "))
	}
	g := &Graph{Graph: &f.Graphs[i]}
	if len(g.Graph.Tasks) == 0 {
		return nil, fmt.Errorf("task graph %d has no tasks", graph)
	}
	var times, sizes map[int]float64
	for i := range f.Tables {
		t := &f.Tables[i]
		if times == nil {
			if column, ok := t.Column("exec_time", "task_time", "time"); ok {
				times = column
			}
		}
		if sizes == nil && (strings.HasPrefix(t.Name, "COMM") || strings.HasPrefix(t.Name, "TRANS")) {
			if column, ok := t.Column("bits"); ok {
				for k := range column {
					column[k] = (column[k] + 7) / 8
				}
				sizes = column
			} else if column, ok := t.Column("bytes", "quantity", "size", "volume", strings.ToLower(t.Name)); ok {
				sizes = column
			}
		}
	}
	for k := range times {
		times[k] *= unit
		if !(times[k] >= 0 && times[k] <= 1) {
			return nil, fmt.Errorf("tasks of type %d take %g s, want at most 1 s: give the unit of the file's times", k,
				times[k])
		}
	}
	for k, v := range sizes {
		if !(v >= 0 && v <= maxElement) {
			return nil, fmt.Errorf("arcs of type %d carry %g bytes, want at most %d", k, v, maxElement)
		}
	}
	g.fill(rand.New(rand.NewPCG(seed, 0x7467_6666)), times, sizes)
	return g, nil
}

// File is the application as a .tgff file, with what is not in its format of graphs in
// tables.
func (g *Graph) File() *tgff.File {
	f := &tgff.File{Graphs: []tgff.Graph{{Tasks: slices.Clone(g.Graph.Tasks), Arcs: slices.Clone(g.Graph.Arcs)}}}
	times := tgff.Table{Name: "PE", Columns: []string{"type", "exec_time"}}
	for i := range g.Times {
		f.Graphs[0].Tasks[i].Type = i
		times.Rows = append(times.Rows, []float64{float64(i), g.Times[i]})
	}
	sizes := tgff.Table{Name: "COMMUN", Columns: []string{"type", "bytes"}}
	for i := range g.Sizes {
		f.Graphs[0].Arcs[i].Type = i
		sizes.Rows = append(sizes.Rows, []float64{float64(i), float64(g.Sizes[i])})
	}
	f.Tables = []tgff.Table{times, sizes}
	return f
}

// Options says how an application is written.
type Options struct {
	Buffer  int     // elements of every edge; 0 for xopt's own choice
	Arrival float64 // s between what the source sends, exponentially; 0 for as fast as it is taken
	Speed   float64 // what this processor works in 1 us (see burn.h); 0 to measure it in every run
	Cores   int     // of arch.x
}

// shape is how many inputs and outputs a kernel has: a block of its own.
type shape struct{ ins, outs int }

func (s shape) name() string {
	switch {
	case s.ins == 0:
		return fmt.Sprintf("Source%d", s.outs)
	case s.outs == 0:
		return fmt.Sprintf("Sink%d", s.ins)
	}
	return fmt.Sprintf("Node%dx%d", s.ins, s.outs)
}

// kernel is one kernel of the application, and its edges by port.
type taskKernel struct {
	name, config string
	in, out      []int // bytes of each port
}

// Write writes the application to a folder: app.x, arch.x and the sources of its blocks.
func (g *Graph) Write(dir string, o Options) error {
	var kernels []taskKernel
	kernels = append(kernels, taskKernel{name: "source", config: fmt.Sprintf("time=%.6g", o.Arrival*1e6)})
	for i := range g.Graph.Tasks {
		kernels = append(kernels, taskKernel{name: fmt.Sprintf("t%d", i), config: fmt.Sprintf("time=%.6g, seed=%d",
			g.Times[i]*1e6, i+2)})
	}
	kernels = append(kernels, taskKernel{name: "sink"})
	sink := len(kernels) - 1
	var edges strings.Builder
	count := 0
	join := func(from, to, bytes int) {
		count++
		kernels[from].out = append(kernels[from].out, bytes)
		kernels[to].in = append(kernels[to].in, bytes)
		fmt.Fprintf(&edges, "    e%d: %s.y%d -> %s.x%d;\n", count, kernels[from].name, len(kernels[from].out),
			kernels[to].name, len(kernels[to].in))
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
	shapes := make(map[shape]bool)
	var x strings.Builder
	fmt.Fprintf(&x, "// A synthetic task graph of %d tasks and %d arcs, between a source and a sink\n"+
		"// (Beard 2013, section 4.5). Times are means in us, exponentially distributed.\n#include \"std.x\"\n",
		len(g.Graph.Tasks), len(g.Graph.Arcs))
	written := make(map[string]string)
	for i := range kernels {
		s := shape{len(kernels[i].in), len(kernels[i].out)}
		if shapes[s] {
			continue
		}
		shapes[s] = true
		x.WriteString(s.block())
		written[strings.ToLower(s.name())+".c"] = s.source()
	}
	fmt.Fprintf(&x, "block top {\n    config FLOAT64 speed = %.17g;    // what the processor works in 1 us; 0 to "+
		"measure it\n", o.Speed)
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
		if i > 0 && i < sink {
			configs = append(configs, "speed=speed")
		}
		fmt.Fprintf(&x, "    %s %s (%s);\n", shape{len(k.in), len(k.out)}.name(), k.name, strings.Join(configs, ", "))
	}
	x.WriteString(edges.String())
	x.WriteString("};\nuse top;\n")
	if o.Buffer > 0 {
		for i := range count {
			fmt.Fprintf(&x, "buffer { top.e%d } = %d;\n", i+1, o.Buffer)
		}
	}
	written["app.x"] = x.String()
	written["arch.x"] = fmt.Sprintf("// Processor cores that share memory.\n#include \"std.x\"\n"+
		"resource proc[%d] is C;\nresource mem is memory ({ proc }, bandwidth=\"10GB/s\", from=\"assumed: not a "+
		"limit\");\n", max(o.Cores, 1))
	var errs []error
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

// list makes a text of each number from 1 to n.
func list(n int, separator, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i+1))
	}
	return strings.Join(parts, separator)
}

// block declares the block of a shape in X.
func (s shape) block() string {
	var b strings.Builder
	fmt.Fprintf(&b, "block %s {\n", s.name())
	b.WriteString(list(s.ins, "", "    config UNSIGNED32 a#;\n"))
	b.WriteString(list(s.outs, "", "    config UNSIGNED32 b#;\n"))
	if s.ins == 0 {
		b.WriteString("    config UNSIGNED64 elements = 1000;\n    config FLOAT64 time = 0;\n")
	} else if s.outs > 0 {
		b.WriteString("    config FLOAT64 time = 20;\n    config STRING distribution = \"exponential\";\n" +
			"    config FLOAT64 speed = 0;\n    config UNSIGNED32 seed = 1;\n")
	} else {
		b.WriteString("    config STRING output = \"\";\n")
	}
	b.WriteString(list(s.ins, "", "    input UNSIGNED8[a#] x#;\n"))
	b.WriteString(list(s.outs, "", "    output UNSIGNED8[b#] y#;\n"))
	if s.ins > 1 {
		fmt.Fprintf(&b, "    join %s;\n", list(s.ins, ", ", "x#"))
	}
	fmt.Fprintf(&b, "};\nplatform C { impl %s (src=%q); };\n", s.name(), strings.ToLower(s.name())+".c")
	return b.String()
}

// source is the C source of the block of a shape.
func (s shape) source() string {
	var b strings.Builder
	use := func(format string) string { return strings.ReplaceAll(format, "BLOCK", s.name()) }
	b.WriteString(use("#include \"X_BLOCK.h\"\n#include \"node.h\"\n\n"))
	send := use(list(s.outs, "", "        node_write(n, X_BLOCK_y#(d, 1), d->config.b#);\n"+
		"        X_BLOCK_y#_send(d, 1);\n"))
	switch {
	case s.ins == 0:
		b.WriteString(use("void X_BLOCK_init(X_BLOCK *d) { d->state = node_new(d->config.time, \"exponential\", 1, " +
			"1); }\n\n" +
			"int X_BLOCK_go(X_BLOCK *d) {\n    struct node *n = d->state;\n" +
			"    if (n->elements >= d->config.elements)\n        return 1;\n    if (node_due(n)) {\n" + send +
			"        n->elements++;\n    }\n    return 0;\n}\n\nvoid X_BLOCK_destroy(X_BLOCK *d) { free(d->state); }\n"))
		return b.String()
	case s.outs == 0:
		b.WriteString(use("void X_BLOCK_init(X_BLOCK *d) { d->state = node_new(0, \"deterministic\", 1, 1); }\n\n"))
	default:
		b.WriteString(use("void X_BLOCK_init(X_BLOCK *d) { d->state = node_new(d->config.time, " +
			"d->config.distribution, d->config.speed, d->config.seed); }\n\n"))
	}
	b.WriteString(use("void X_BLOCK_push(X_BLOCK *d) {\n    struct node *n = d->state;\n    while (" +
		list(s.ins, " && ", "X_BLOCK_x#_avail(d) > 0") + ") {\n" +
		list(s.ins, "", "        node_read(n, X_BLOCK_x#(d), d->config.a#);\n") + "        node_work(n);\n" +
		list(s.ins, "", "        X_BLOCK_x#_release(d, 1);\n") + send + "    }\n}\n\n"))
	if s.outs == 0 {
		b.WriteString(use("void X_BLOCK_destroy(X_BLOCK *d) { node_report(d->state, d->config.output); }\n"))
	} else {
		b.WriteString(use("void X_BLOCK_destroy(X_BLOCK *d) { free(d->state); }\n"))
	}
	return b.String()
}
