package gnuradio

import (
	"context"
	"errors"
	"slices"

	"xopt/deploy/faults"
	"xopt/internal/units"
)

// Experiment is the causal check of a model: additional work in the thread of one block.
type Experiment struct {
	Work  float64  `json:"work"` // added processor time in s/s
	Sum   float64  `json:"sum"`  // processors that the threads used without the work
	Cases []Slowed `json:"cases"`
	// Others is the number of processors that other programs used during the experiment.
	Others float64 `json:"others"`
}

// Slowed is the effect of work in the thread of one block.
type Slowed struct {
	Block     string   `json:"block"`
	Work      float64  `json:"work"`      // added processor time in s/s, as measured
	Predicted float64  `json:"predicted"` // relative change of the rate at the sink
	Measured  Estimate `json:"measured"`
}

// Loss returns the measured loss of rate per added work: 1 if the rate falls by as much as the work adds.
func (s *Slowed) Loss() float64 { return -s.Measured.Mean / s.Work }

// half of an expected effect of additional work is the limit below which the effect counts as none.
const half = 0.5

// Agrees reports whether the measured effects match a limit on a number of processors. The first case is the busiest
// block. Additional work of w s/s lowers the rate by about
//
//   - w, if the thread of the block is the limit, or less if the thread is sometimes idle
//   - w/n, if the n processors are the limit
//   - w/s in any block, if the blocks wait for each other and use s processors, or w if s is below 1
//   - 0, if the rate is set from outside
//
// An effect of less than half of these values counts as none:
//
//	thread:      the busiest block loses at least w/2n, and more than the other block
//	processors:  both blocks lose at least w/2n
//	waiting:     both blocks lose at least w/2s
//	others:      the busiest block loses less than w/2
func (x *Experiment) Agrees(limit LimitKind, processors int) bool {
	if len(x.Cases) == 0 {
		return false
	}
	minimum, busiest := half, x.Cases[0].Loss()
	switch limit {
	case LimitThread, LimitProcessors:
		minimum /= float64(processors)
	case LimitWaiting:
		minimum /= max(1, x.Sum)
	}
	switch limit {
	case LimitThread:
		return busiest >= minimum && (len(x.Cases) < 2 || busiest > x.Cases[1].Loss())
	case LimitProcessors, LimitWaiting:
		return !slices.ContainsFunc(x.Cases, func(c Slowed) bool { return c.Loss() < minimum })
	}
	return busiest < minimum
}

// IsConclusive reports whether the intervals of all effects are narrower than the added work.
func (x *Experiment) IsConclusive() bool {
	return !slices.ContainsFunc(x.Cases, func(c Slowed) bool { return c.Measured.High-c.Measured.Low > c.Work })
}

// addedWork is the processor time that the experiment adds to a thread, in s/s.
const addedWork = 0.25

// Verify slows the busiest block and another block of a measured flow graph, each in turns with the unchanged graph.
// Signals start a loop of known duration in the thread of the block. Verify predicts the changes from the loads of the
// unchanged windows of the same run.
func Verify(ctx context.Context, g *FlowGraph, m *Measurement, o Options) (_ *Experiment, err error) {
	if m.Limit().Kind == LimitUnsteady {
		return nil, faults.LimitUnknown.Errorf("the experiment needs a known limit, but the rate of %s varies too "+
			"much (measure again, with a longer --run-time)", g.Path)
	}
	l, err := newLab(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	mod, err := l.compile(ctx, g)
	if err != nil {
		return nil, err
	}
	return l.slow(ctx, mod, m)
}

// slow slows the busiest block and another block, each in turns with the unchanged graph. No other setting runs in the
// same process, because a graph needs longer than a window to recover from a pinning.
func (l *lab) slow(ctx context.Context, mod *module, m *Measurement) (*Experiment, error) {
	chosen := m.toSlow()
	p := l.options.plan(rounds)
	for _, i := range chosen {
		p.Variants = append(p.Variants, variant{Slow: map[string]float64{m.Blocks[i].UID: addedWork}})
	}
	l.options.step("slowing %s in turns", units.Counted(len(chosen), "block", "blocks"))
	r, err := l.run(ctx, mod, p)
	if err != nil {
		return nil, err
	}
	windows := byVariant(r, len(p.Variants))
	cases := m.effects(chosen, windows[0], windows[1:])
	load := m.loadOf(windows[0])
	m.predictEffects(cases, chosen, load)
	return &Experiment{Work: addedWork, Sum: load.Sum(), Cases: cases, Others: othersIn(r.Windows)}, nil
}

// predictEffects sets the predicted effects of additional work in blocks with a load.
func (m *Measurement) predictEffects(cases []Slowed, blocks []int, load Load) {
	if load.Limit = m.Limit().Kind; load.Limit.IsFixed() { // the scheduler gives a graph with idle time its share
		load.Processors = max(load.Processors, float64(len(m.CPUs))/2)
	}
	for k, i := range blocks {
		cases[k].Predicted = load.Slowed(i, cases[k].Work)
	}
}

// effects returns the measured effects of additional work in blocks. base has the windows without it, and windows those
// of each block.
func (m *Measurement) effects(blocks []int, base []Window, windows [][]Window) []Slowed {
	var list []Slowed
	for k, i := range blocks {
		list = append(list, Slowed{Block: m.Blocks[i].Label(),
			Work:     mean(windows[k], func(w *Window) float64 { return w.Slowed / w.Seconds }),
			Measured: gains(logRatios(m.Sink.rates(windows[k]), m.Sink.rates(base)))})
	}
	return list
}

// loadOf returns the mean load in windows of another run of the same graph.
func (m *Measurement) loadOf(windows []Window) Load {
	var shares []float64
	for i := range m.Blocks {
		shares = append(shares, estimate(sharesOf(m.Blocks[i].UID, windows)).Mean)
	}
	return m.loadWith(shares, othersIn(windows)+unassigned(windows))
}

// toSlow returns the busiest block, and the block in the middle of the order of shares, for contrast. Both are
// connected to the sink.
func (m *Measurement) toSlow() []int {
	var order []int
	connected := m.connected()
	for _, i := range m.ByShare() {
		if m.Blocks[i].Thread && connected[i] {
			order = append(order, i)
		}
	}
	if len(order) < 2 {
		return order
	}
	return []int{order[0], order[(len(order)+1)/2]}
}
