package validate

import (
	"math"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/result"
)

// record adds a run of a program and returns the speed of the machine in this run; nil if unknown.
func (c *Case) record(d *design.Design, p *program.Program, m *run.Measurement, sums [][]float64,
	o Options) *design.MachineState {
	if f := m.Failure; f != nil && f.Kind != "stopped" {
		c.Fail, c.Faulted = f.Text, true
		return nil
	}
	first, last, fail := counts(m, o)
	if unsteady(m) {
		c.UnsteadyRuns++
	}
	if fail != "" {
		c.Fail = fail
		return nil
	}
	frames := m.Frames[first : last+1]
	seconds := m.Frames[last].End - m.Frames[first].Start
	worked := make([]float64, len(d.Program.Kernels))
	for _, f := range frames {
		for k := range f.Kernels {
			worked[k] += f.Kernels[k].Worked / seconds
		}
	}
	in, out := make([]float64, len(worked)), make([]float64, len(worked))
	copies := d.Program.Copies()
	bytes := throughput(d, frames) * seconds // bytes from the sources
	for e, edge := range d.Program.Edges {
		size := d.Program.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes
		sent, consumed, blocked := 0.0, 0.0, 0.0
		for _, f := range frames {
			sent += float64(sentOn(&edge, &f.Edges[e])) * size
			consumed += float64(f.Edges[e].Consumed) * size
			blocked += f.Edges[e].Blocked / seconds
		}
		if drift := math.Abs(sent-consumed) / max(sent, consumed, size); drift > c.Drift && c.Edges[e].Predicted > 0 {
			c.Drift, c.DriftEdge = drift, edge.Name
		}
		if blocked > c.BlockedPart {
			c.Blocked, c.BlockedPart = edge.Name, blocked
		}
		sums[e] = append(sums[e], sent/seconds)
		c.Waited = grown(c.Waited, len(d.Program.Edges))
		c.Waited[e] = append(c.Waited[e], blocked*seconds/max(bytes, 1))
		in[edge.To] += consumed
		if !copies[e] {
			out[edge.From] += sent
		}
	}
	c.Runs = append(c.Runs, bytes/seconds)
	c.gains(d, in, out)
	c.addQueues(d, m)
	c.addLooks(m)
	c.addSizes(m)
	for k := range d.Program.Kernels { // for a source, the bytes that it sent
		if len(d.Program.Kernels[k].Inputs) == 0 {
			in[k] = out[k]
		}
	}
	c.addWork(worked, in, seconds, bytes)
	c.utilize(d, c.network, c.solution, c.meanWorked(worked), sums)
	return stateOf(d, c.Mapping, p, m, period{m.Frames[first].Start, m.Frames[last].End})
}

// meanWorked adds the utilization of each kernel in a run and returns the mean over all runs. The bottleneck of a
// single run may be due to a slow phase.
func (c *Case) meanWorked(worked []float64) []float64 {
	if len(c.Worked) != len(worked) {
		c.Worked = make([]float64, len(worked))
	}
	n := float64(len(c.Runs)) // including this run
	for k, x := range worked {
		c.Worked[k] += (x - c.Worked[k]) / n
	}
	return c.Worked
}

// addWork adds the work of each kernel and its input, per byte of the sources.
func (c *Case) addWork(worked, own []float64, seconds, bytes float64) {
	c.Work, c.Flow = grown(c.Work, len(worked)), grown(c.Flow, len(worked))
	if !(bytes > 0) {
		return
	}
	for k := range worked {
		c.Work[k], c.Flow[k] = append(c.Work[k], worked[k]*seconds/bytes), append(c.Flow[k], own[k]/bytes)
	}
}

// grown extends a list to at least n entries.
func grown(x [][]float64, n int) [][]float64 {
	if len(x) < n {
		x = append(x, make([][]float64, n-len(x))...)
	}
	return x
}

// InPlace returns the measured times of the kernels on cores in the runs of a case. It adds their predictions at the
// speed of the machine in these runs.
func (c *Case) InPlace(d *design.Design) []result.InPlace {
	var list []result.InPlace
	if c.network == nil {
		return nil
	}
	n, s := c.asItWas()
	for i := range n.Stations {
		st, state := &n.Stations[i], &s.Stations[i]
		if st.Kind != flow.KernelStation || !(state.ArrivalRate > 0) || st.Kernel >= len(c.Work) ||
			design.IsFPGA(d.Program, c.Mapping.Place[st.Kernel]) {
			continue
		}
		k := st.Kernel
		times := c.timesOf(k, state)
		x := result.InPlace{Kernel: d.Program.Kernels[k].Name,
			Platform:  d.Program.Resources[c.Mapping.Place[k]].Platform,
			Predicted: times.predicted, Alone: times.alone}
		for run := range c.Work[k] {
			if f := c.Flow[k][run]; f > 0 {
				x.Runs = append(x.Runs, c.Work[k][run]/f)
			}
		}
		if len(x.Runs) > 0 {
			list = append(list, x)
		}
	}
	return list
}
