// Package validate runs mappings for real and compares them with what was predicted
// (Beard 2013 §4.4, §5): the flow on every edge, the throughput, and whether the
// mapping that was predicted best is.
//
// It stands after deploy in the data's way; it knows nothing of how mappings were
// found or of how results are printed.
package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"xopt/calibrate"
	"xopt/flow"
	"xopt/internal/deploy"
	"xopt/internal/design"
)

// Options say how long to run.
type Options struct {
	Runs     int           // of each mapping, in turns; 0 for 3
	Window   time.Duration // of each run; 0 for 500 ms
	Input    string
	Progress func(done, all int)
}

// Case is one mapping, predicted and measured.
type Case struct {
	Name       string
	Mapping    *flow.Mapping
	Predicted  float64   // bytes/s out of the sources
	Measured   float64   // the median of the runs
	Runs       []float64 // of each run
	Bottleneck []string
	Edges      []Edge
	// Slow is the kernel whose time for a byte deviates most from its figure, by the
	// part that this adds to the time of its core.
	Slow      string
	SlowRatio float64 // measured over figure
	// Busy is the part of the run that the busiest core worked.
	Busy float64
	Fail string // why it could not be measured; "" when it could
	// Repeated counts runs that were repeated because the reference spin beside them
	// was slow; Disturbed those that were taken all the same.
	Repeated, Disturbed int
}

// Edge is one edge of a case, in bytes/s.
type Edge struct {
	Edge                int
	Predicted, Measured float64
}

// Error is (modelled - measured) / measured, as Beard 2013 Fig. 15 counts it.
func (c *Case) Error() float64 { return (c.Predicted - c.Measured) / c.Measured }

// Mappings predicts and runs mappings of a design, in turns.
func Mappings(ctx context.Context, d *design.Design, names []string, mappings []*flow.Mapping, o Options) (_ []Case, err error) {
	if o.Runs == 0 {
		o.Runs = 3
	}
	if o.Window == 0 {
		o.Window = 500 * time.Millisecond
	}
	cases := make([]Case, len(mappings))
	programs := make([]*deploy.Program, len(mappings))
	defer func() {
		for _, p := range programs {
			if p != nil {
				err = errors.Join(err, p.Remove())
			}
		}
	}()
	step, all := 0, len(mappings)*(1+o.Runs)
	progress := func() {
		if o.Progress != nil {
			o.Progress(step, all)
		}
		step++
	}
	for i, m := range mappings {
		progress()
		c := &cases[i]
		c.Name, c.Mapping = names[i], m
		if err := c.predict(ctx, d); err != nil {
			return nil, fmt.Errorf("predicting mapping %s: %w", c.Name, err)
		}
		placed := *d
		placed.Mapping = m
		if programs[i], err = deploy.Build(ctx, &placed, deploy.Options{Input: o.Input, Elements: math.MaxInt64}, ""); err != nil {
			return nil, fmt.Errorf("deploying mapping %s: %w", c.Name, err)
		}
	}
	steady := machine{}
	sums := make([][][]float64, len(mappings)) // case, edge: runs
	for i := range sums {
		sums[i] = make([][]float64, len(d.Program.Edges))
	}
	for run := range o.Runs {
		for j := range mappings {
			i := j
			if run%2 == 1 { // there and back
				i = len(mappings) - 1 - j
			}
			progress()
			if cases[i].Fail != "" {
				continue
			}
			m, err := steady.run(ctx, programs[i], o.Window, &cases[i])
			if err != nil {
				return nil, fmt.Errorf("running mapping %s: %w", cases[i].Name, err)
			}
			cases[i].take(d, m, sums[i])
		}
	}
	for i := range cases {
		c := &cases[i]
		if c.Fail != "" {
			continue
		}
		c.Measured = median(c.Runs)
		for e := range c.Edges {
			c.Edges[e].Measured = median(sums[i][e])
		}
	}
	return cases, nil
}

// machine knows how fast the machine mostly is.
type machine struct{ spins calibrate.Steadiness }

// repeats is how often a run is repeated when the machine was slow beside it.
const repeats = 5

// run runs a program when the machine is as fast as that.
func (s *machine) run(ctx context.Context, p *deploy.Program, window time.Duration, c *Case) (*deploy.Measurement, error) {
	for try := 0; ; try++ {
		spin := calibrate.ReferenceSpin()
		m, err := p.Run(ctx, deploy.Limits{Time: window, Frame: window / frames})
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !s.spins.Slow(max(spin, calibrate.ReferenceSpin())) {
			return m, nil
		}
		if try == repeats {
			c.Disturbed++
			return m, nil
		}
		c.Repeated++
	}
}

// frames of a run; the first does not count, while caches and batches settle.
const frames = 6

func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func (c *Case) predict(ctx context.Context, d *design.Design) error {
	n, err := flow.NewNetwork(d.Problem, c.Mapping)
	if err != nil {
		return err
	}
	s, err := flow.Fast{}.Solve(ctx, n)
	if err != nil {
		return err
	}
	c.Predicted = s.Throughput
	if len(s.Bottlenecks) > 0 {
		for _, l := range s.Bottlenecks[0].Limits {
			c.Bottleneck = append(c.Bottleneck, n.Limits[l].Name)
		}
	}
	for e := range d.Program.Edges {
		c.Edges = append(c.Edges, Edge{Edge: e, Predicted: s.EdgeFlow[e]})
	}
	return nil
}

// take adds a run.
func (c *Case) take(d *design.Design, m *deploy.Measurement, sums [][]float64) {
	if f := m.Failure; f != nil && f.Kind != "stopped" {
		c.Fail = f.Text
		return
	}
	from := m.Frames[min(1, len(m.Frames)-1)].Start
	last := len(m.Frames) - 1
	if last > 1 && m.Failure != nil {
		last-- // the rest after the last whole frame
	}
	seconds := m.Frames[last].End - from
	if len(m.Frames) < frames || !(seconds > 0) {
		c.Fail = fmt.Sprintf("the run ended by itself after %.3g s: give the sources more to send", m.Seconds)
		return
	}
	throughput := 0.0
	busy := make([]float64, len(d.Program.Resources))
	kernels := make([]float64, len(d.Program.Kernels))
	for _, f := range m.Frames[1 : last+1] {
		for k := range f.Kernels {
			busy[c.Mapping.Place[k]] += f.Kernels[k].Busy / seconds
			kernels[k] += f.Kernels[k].Busy
		}
	}
	in, out := make([]float64, len(kernels)), make([]float64, len(kernels))
	for e, edge := range d.Program.Edges {
		size := d.Program.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes
		sent, taken := 0.0, 0.0
		for _, f := range m.Frames[1 : last+1] {
			sent += float64(f.Edges[e].Sent) * size
			taken += float64(f.Edges[e].Taken) * size
		}
		sums[e] = append(sums[e], sent/seconds)
		in[edge.To] += taken
		out[edge.From] += sent
		if len(d.Program.Kernels[edge.From].Inputs) == 0 {
			throughput += sent / seconds
		}
	}
	c.Runs = append(c.Runs, throughput)
	c.Busy = slices.Max(busy)
	c.blame(d, kernels, in, out, seconds)
}

// blame finds the kernel that deviates most from its figure.
func (c *Case) blame(d *design.Design, busy, in, out []float64, seconds float64) {
	worst := 0.0
	for k := range busy {
		bytes := in[k]
		if len(d.Program.Kernels[k].Inputs) == 0 {
			bytes = out[k]
		}
		rate := d.Problem.Figures[k][c.Mapping.Place[k]].ServiceRate
		if !(bytes > 0) || !(rate > 0) || math.IsInf(rate, 1) {
			continue
		}
		if extra := (busy[k] - bytes/rate) / seconds; math.Abs(extra) > worst {
			worst = math.Abs(extra)
			c.Slow, c.SlowRatio = d.Program.Kernels[k].Name, busy[k]/(bytes/rate)
		}
	}
}

// Summary compares all cases.
type Summary struct {
	Cases                        int
	Mean, Median, P95, Worst     float64 // of the errors' magnitudes
	EdgeMedian, EdgeP95, RSquare float64 // of the flows on all edges of all cases; R² is 0 where flows do not differ
	Kendall                      float64 // τ between predicted and measured throughputs
	Regret                       float64 // how much slower the first case is than the best, relatively
}

// Summarize compares the cases that could be measured; the first is the mapping
// that was predicted best.
func Summarize(cases []Case) Summary {
	var s Summary
	var errs, edges, predicted, measured []float64
	best, first := 0.0, 0.0
	var ok []*Case
	for i := range cases {
		c := &cases[i]
		if c.Fail != "" {
			continue
		}
		ok = append(ok, c)
		errs = append(errs, math.Abs(c.Error()))
		best = max(best, c.Measured)
		if i == 0 {
			first = c.Measured
		}
		for _, e := range c.Edges {
			if e.Measured > 0 && e.Predicted > 0 {
				edges = append(edges, math.Abs(e.Predicted-e.Measured)/e.Measured)
				predicted, measured = append(predicted, e.Predicted), append(measured, e.Measured)
			}
		}
	}
	s.Cases = len(ok)
	if len(ok) == 0 {
		return s
	}
	slices.Sort(errs)
	slices.Sort(edges)
	s.Mean, s.Median, s.P95, s.Worst = stat.Mean(errs, nil), median(errs), stat.Quantile(0.95, stat.Empirical, errs, nil), errs[len(errs)-1]
	if len(edges) > 0 {
		s.EdgeMedian, s.EdgeP95 = median(edges), stat.Quantile(0.95, stat.Empirical, edges, nil)
	}
	if r := stat.Correlation(predicted, measured, nil); len(edges) > 1 && !math.IsNaN(r) {
		s.RSquare = r * r
	}
	concordant, pairs := 0.0, 0.0
	for i, a := range ok {
		for _, b := range ok[:i] {
			pairs++
			switch d := (a.Predicted - b.Predicted) * (a.Measured - b.Measured); {
			case d > 0:
				concordant++
			case d < 0:
				concordant--
			}
		}
	}
	s.Kendall = concordant / max(pairs, 1)
	s.Regret = (best - first) / best
	return s
}
