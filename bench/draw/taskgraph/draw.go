// Package taskgraph generates synthetic applications from task graphs (Beard 2013 §4.5), which are random or from a
// .tgff file. It writes X files, and kernels in C that compute for the time of their task.
//
// Package tgff generates and reads the graphs. The kernels are based on bench/apps/synthetic.
package taskgraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"xopt/flow/exchange/tgff"
)

// Graph is a synthetic application: a task graph with the time of each task and the size of each arc. A source feeds
// the tasks without incoming arcs, and a sink consumes the output of tasks without outgoing arcs. Therefore, n tasks
// become n+2 kernels.
type Graph struct {
	Graph *tgff.Graph
	Times []float64 // mean of each task in s; times are exponentially distributed
	Sizes []int     // element size on each arc, bytes
	First []int     // size of the elements that the source sends to each task, bytes; 0 for none
	Last  []int     // size of the elements that each task sends to the sink, bytes; 0 for none
}

// Parameters of the paper's synthetic applications (Beard 2013 §4.5).
const (
	paperTasks  = 80    // maximum number of tasks
	paperDegree = 4     // maximum in-degree and out-degree
	paperTime   = 20e-6 // mean time of a task, s, ± paperSpread
	paperSpread = 0.1
	paperBytes  = 64 // maximum size of an arc's elements
)

// Draw returns a random application like those of Beard 2013 §4.5. It has the given number of tasks; 0 selects a random
// number from 1 to 80. In-degrees and out-degrees are 1 to 4. Mean times are 20 µs ± 10 %. The elements on the arcs
// into a task all have the same random size, from 1 to 64 bytes.
func Draw(seed uint64, tasks int) *Graph {
	random := rand.New(rand.NewPCG(seed, 0x7467_6666))
	if tasks == 0 {
		tasks = 1 + random.IntN(paperTasks)
	}
	g := &Graph{Graph: tgff.Generate(tasks, tgff.Degrees{In: paperDegree, Out: paperDegree}, random)}
	g.fill(random, nil, nil)
	return g
}

// fill draws random values for the times and sizes that a file does not contain.
func (g *Graph) fill(random *rand.Rand, times, sizes map[int]float64) {
	volume := make([]int, len(g.Graph.Tasks)) // bytes of the elements on each input
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

// maxElement is the maximum size of an element in a file, in bytes.
const maxElement = 1 << 20

// FromTGFF returns an application for one graph of a file. Times are from the column exec_time or task_time of the
// first processing element with such a column; unit is their unit in s. Sizes are from the first communication table,
// in bytes or, if the column states this, in bits. Missing values are random, as in Draw.
func FromTGFF(f *tgff.File, graph int, unit float64, seed uint64) (*Graph, error) {
	i := slices.IndexFunc(f.Graphs, func(g tgff.Graph) bool { return g.ID == graph })
	if i < 0 {
		var ids []string
		for _, g := range f.Graphs {
			ids = append(ids, fmt.Sprint(g.ID))
		}
		return nil, fmt.Errorf("unknown task graph %d: the file contains the graphs %s", graph, strings.Join(ids, ", "))
	}
	g := &Graph{Graph: &f.Graphs[i]}
	if len(g.Graph.Tasks) == 0 {
		return nil, fmt.Errorf("task graph %d has no tasks (choose another graph of the file)", graph)
	}
	var times map[int]float64
	for i := range f.Tables {
		if column, ok := f.Tables[i].Times(); ok && times == nil {
			times = column
		}
	}
	sizes := f.Sizes()
	for k := range times {
		times[k] *= unit
		if !(times[k] >= 0 && times[k] <= 1) {
			return nil, fmt.Errorf("tasks of type %d take %g s, expected at most 1 s (set the unit of the "+
				"times with --time-unit)", k, times[k])
		}
	}
	for k, v := range sizes {
		if !(v >= 0 && v <= maxElement) {
			return nil, fmt.Errorf("arcs of type %d carry %g bytes, expected at most %d bytes", k, v, maxElement)
		}
	}
	g.fill(rand.New(rand.NewPCG(seed, 0x7467_6666)), times, sizes)
	return g, nil
}

// File returns the application as a .tgff file. Times and sizes are in tables, because graphs in this format have none.
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
