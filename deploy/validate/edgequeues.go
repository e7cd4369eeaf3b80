package validate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/deploy/run"
	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/mapper/result"
)

// Looked contains the queue lengths observed in the runs of a case.
type Looked struct {
	Max, Room []float64 // longest queue and capacity of each edge in elements, over all runs
	Looks     int       // number of samples of all runs
	Seconds   float64   // duration of the longest run
}

// addLooks adds the queue lengths of a run.
func (c *Case) addLooks(m *run.Measurement) {
	x := &c.Looked
	if len(x.Max) < len(m.Edges) {
		x.Max, x.Room = make([]float64, len(m.Edges)), make([]float64, len(m.Edges))
	}
	looks := 0
	for e := range m.Edges {
		y := &m.Edges[e]
		x.Max[e], x.Room[e] = max(x.Max[e], float64(y.MaxOccupancy)), max(x.Room[e], float64(y.Capacity))
		looks = max(looks, y.Looks)
	}
	x.Looks, x.Seconds = x.Looks+looks, max(x.Seconds, m.Seconds)
}

// filled is the fraction of the capacity above which a buffer counts as full in a run. Its writer then has too little
// space for an entire firing.
const filled = 0.9

// edgeQueues compares the longest queue of every edge with a simulation.
func (c *Case) edgeQueues(ctx context.Context, d *design.Design, virtual bool) error {
	c.EdgeQueues = nil
	if len(c.Looked.Max) != len(d.Program.Edges) {
		return nil
	}
	ran := buffers.Ran{Seconds: c.Looked.Seconds, Virtual: virtual}
	for _, room := range c.Looked.Room {
		ran.Capacity = append(ran.Capacity, int(room))
	}
	if !virtual {
		ran.Looks = max(1, c.Looked.Looks)
	}
	for r := range d.Program.Resources {
		if d.Program.Resources[r].Config["processes"].Text == "kernel" {
			ran.Style = buffers.KernelStyle
		}
	}
	lengths, err := buffers.Lengths(ctx, c.network, c.solution, ran)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for e := range d.Program.Edges {
		q := result.EdgeQueue{Edge: d.Program.Edges[e].Name, Measured: c.Looked.Max[e], Buffer: c.Looked.Room[e]}
		switch {
		case err != nil:
			q.Unknown = err.Error()
		case math.IsNaN(lengths[e].Max):
			q.Unknown = "the model predicts no flow on this edge"
		default:
			q.Predicted = lengths[e].Max
			q.Full, q.Why = c.whyLong(d, e, &q, &lengths[e])
		}
		c.EdgeQueues = append(c.EdgeQueues, q)
	}
	return nil
}

// bottleneckAfter returns the bottleneck limits that the data of an edge reach: limits that the edge crosses, and
// limits of the kernels and edges after it.
func (c *Case) bottleneckAfter(d *design.Design, e int) (names []string) {
	if len(c.solution.Bottlenecks) == 0 {
		return nil
	}
	edges := d.Program.Edges
	kernels, crossed := map[int]bool{edges[e].To: true}, map[int]bool{e: true}
	for grows := true; grows; {
		grows = false
		for i := range edges {
			if kernels[edges[i].From] && !crossed[i] {
				crossed[i], kernels[edges[i].To], grows = true, true, true
			}
		}
	}
	for _, l := range c.solution.Bottlenecks[0].Limits {
		limit := &c.network.Limits[l]
		if slices.ContainsFunc(limit.Members, func(i int) bool {
			s := &c.network.Stations[i]
			return s.Kind == flow.KernelStation && kernels[s.Kernel] || s.Kind != flow.KernelStation && crossed[s.Edge]
		}) {
			names = append(names, limit.Name)
		}
	}
	return names
}

// whyLong explains the simulated length of a queue and, if the length in the run differs, the difference. full reports
// that the buffer was full in the simulation and in the run.
func (c *Case) whyLong(d *design.Design, e int, q *result.EdgeQueue, l *buffers.Length) (full bool, why string) {
	edge := &d.Program.Edges[e]
	reader, writer := d.Program.Kernels[edge.To].Name, d.Program.Kernels[edge.From].Name
	ran := q.Buffer > 1 && q.Measured >= filled*q.Buffer
	var of []string
	switch {
	case l.Fills:
		of = append(of, "a full buffer that is not before the bottleneck")
		if names := c.bottleneckAfter(d, e); len(names) > 0 {
			of[0] = "a full buffer before the bottleneck, " + strings.Join(names, ", ")
		}
	case l.Turn:
		of = append(of, fmt.Sprintf("a batch: %s or %s continues for a turn of its process", writer, reader))
	}
	if l.For >= 0 {
		of = append(of, fmt.Sprintf("a join: %s waits for %s", reader, d.Program.Edges[l.For].Name))
	}
	if l.Batch >= 1 && !l.Fills && 2*l.Batch >= l.Max {
		of = append(of, "a batch that moves to another process or device at once")
	}
	if l.Fills && ran {
		return true, strings.Join(of, "; ")
	}
	switch {
	case q.Near():
	case l.Fills:
		of = append(of, "the run did not fill the buffer")
	case ran:
		of = append(of, "the run filled the buffer: the kernels after the edge were slower than predicted, at "+
			"least temporarily")
	case l.Chosen:
		of = append(of, fmt.Sprintf("%s consumes its inputs in its own order, but the simulation consumes any input "+
			"with data", reader))
	case len(l.Assumed) > 0 && q.Predicted > q.Measured:
		var names []string
		for _, k := range l.Assumed {
			names = append(names, d.Program.Kernels[k].Name)
		}
		of = append(of, "the variation of the times of "+strings.Join(names, " and ")+" is unknown, so xopt assumes "+
			"exponential times")
	default:
		of = append(of, "the cause of the difference is unknown")
	}
	return false, strings.Join(of, "; ")
}
