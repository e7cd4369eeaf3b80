package validate

import (
	"math"
	"slices"

	"xopt/internal/deploy/run"
	"xopt/internal/design"
)

// take adds a run.
func (c *Case) take(d *design.Design, m *run.Measurement, sums [][]float64) {
	if f := m.Failure; f != nil && f.Kind != "stopped" {
		c.Fail = f.Text
		return
	}
	first, last, fail := counts(m)
	if fail != "" {
		c.Fail = fail
		return
	}
	frames := m.Frames[first : last+1]
	seconds := m.Frames[last].End - m.Frames[first].Start
	busy := make([]float64, len(d.Program.Resources))
	kernels, worked := make([]float64, len(d.Program.Kernels)), make([]float64, len(d.Program.Kernels))
	for _, f := range frames {
		for k := range f.Kernels {
			kernels[k] += f.Kernels[k].Busy
			worked[k] += f.Kernels[k].Worked / seconds
		}
	}
	for k, r := range c.Mapping.Place {
		if design.IsFPGA(d.Program, r) { // where kernels work side by side
			busy[r] = max(busy[r], worked[k])
		} else {
			busy[r] += worked[k]
		}
	}
	for r := range busy { // processes that share a core count what it gives to others, too
		if busy[r] > 1 {
			busy[r], c.BusyEstimated = 1, true
		}
	}
	in, out := make([]float64, len(kernels)), make([]float64, len(kernels))
	copies := d.Program.Copies()
	for e, edge := range d.Program.Edges {
		size := d.Program.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes
		sent, taken, blocked := 0.0, 0.0, 0.0
		for _, f := range frames {
			sent += float64(f.Edges[e].Sent) * size
			taken += float64(f.Edges[e].Taken) * size
			blocked += f.Edges[e].Blocked / seconds
		}
		if drift := math.Abs(sent-taken) / max(sent, taken, size); drift > c.Drift && c.Edges[e].Predicted > 0 {
			c.Drift, c.DriftEdge = drift, edge.Name
		}
		if blocked > c.BlockedPart {
			c.Blocked, c.BlockedPart = edge.Name, blocked
		}
		sums[e] = append(sums[e], sent/seconds)
		in[edge.To] += taken
		if !copies[e] {
			out[edge.From] += sent
		}
	}
	c.Runs = append(c.Runs, throughput(d, frames))
	c.Busy = slices.Max(busy)
	c.gains(d, in, out)
	c.takeQueues(d, m)
	c.takeSizes(m)
	c.blame(d, kernels, in, out, seconds)
	c.receiveCosts(d, kernels, in, out)
	c.utilize(d, c.network, c.solution, worked, sums)
}
