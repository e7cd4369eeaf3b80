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
	for _, i := range chosen {
		p.Variants = append(p.Variants, variant{Slow: map[string]float64{m.Blocks[i].UID: addedWork}})
	}
	o.step("slowing %d blocks in turns", len(chosen))
	r, err := l.run(ctx, mod, p)
	if err != nil {
		return nil, err
	}
	windows := byVariant(r, len(p.Variants))
	x := &Experiment{Work: addedWork}
	load := m.loadOf(windows[0])
	load.Limit = m.Limit().Kind
	base := m.Sink.rates(windows[0])
	for k, i := range chosen {
		slowed := windows[1+k]
		work := mean(slowed, func(w *Window) float64 { return w.Slowed / w.Seconds })
		x.Cases = append(x.Cases, Slowed{Block: m.Blocks[i].Label(), Work: work, Predicted: load.Slowed(i, work),
			Measured: gains(logRatios(m.Sink.rates(slowed), base))})
	}
	return x, nil
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
