package gnuradio

import (
	"context"
	"errors"
)

// Experiment is the causal check of a model: additional work in the thread of one block.
type Experiment struct {
	Work  float64  `json:"work"` // added processor time in s/s
	Cases []Slowed `json:"cases"`
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

// addedWork is the processor time that the experiment adds to a thread, in s/s.
const addedWork = 0.25

// Verify slows the busiest block and another block of a measured flow graph, each in turns with the unchanged graph.
// Signals start a loop of known duration in the thread of the block. Verify predicts the changes from the loads of the
// unchanged windows of the same run.
func Verify(ctx context.Context, g *FlowGraph, m *Measurement, o Options) (_ *Experiment, err error) {
	l, err := newLab(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	mod, err := l.compile(ctx, g)
	if err != nil {
		return nil, err
	}
	chosen := m.toSlow()
	p := o.plan(rounds)
	p.Variants = append(p.Variants, m.slowed(chosen)...)
	o.step("slowing %d blocks in turns", len(chosen))
	r, err := l.run(ctx, mod, p)
	if err != nil {
		return nil, err
	}
	windows := byVariant(r, len(p.Variants))
	x := &Experiment{Work: addedWork, Cases: m.effects(chosen, windows[0], windows[1:])}
	m.predictEffects(x.Cases, chosen, m.loadOf(windows[0]))
	return x, nil
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

// slowed returns the variants of a run in which one of the blocks has additional work.
func (m *Measurement) slowed(blocks []int) []variant {
	var list []variant
	for _, i := range blocks {
		list = append(list, variant{Slow: map[string]float64{m.Blocks[i].UID: addedWork}})
	}
	return list
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
