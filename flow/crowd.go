package flow

import "slices"

// crowd is what goes round a loop that nothing feeds. Of each byte there as many come at the first
// kernel in the end as it is worth, so that what all are worth stays the same; by Little's law it
// is what passes times how long it stays, which is at the least the service and the way.
type crowd struct {
	worth  []float64 // of a byte at each kernel
	passes []float64 // bytes through each kernel for one through the first
	bytes  []float64 // of an element of each wait
	all    float64   // what all is worth that the loop holds: bytes at the first kernel
}

// newCrowds are those of the loops that no circle holds all kernels of: where one does, its
// cycles say more.
func newCrowds(app *Application, f *Flows, circles []*circle) []*circle {
	var crowds []*circle
	for _, l := range f.loops.all {
		whole := func(c *circle) bool { return slices.Equal(c.kernels, l.kernels) }
		if !l.closed || slices.ContainsFunc(circles, whole) {
			continue
		}
		c := &circle{kernels: l.kernels, lacking: -1, crowd: &crowd{worth: l.worth, passes: l.shares}}
		for s := range f.Free {
			c.turns = append(c.turns, f.Arrival(l.kernels[0])[s])
		}
		s := c.source()
		for _, k := range l.kernels {
			c.firings = append(c.firings, f.FiringRate(k, s)/c.turns[s])
		}
		for e := range app.Edges {
			edge := &app.Edges[e]
			if f.loops.of(edge.From) != l || f.loops.of(edge.To) != l || !(f.Edge(e)[s] > 0) {
				continue
			}
			elements := f.Edge(e)[s] / edge.ElementBytes
			c.waits = append(c.waits, wait{edge: e, from: slices.Index(l.kernels, edge.From),
				to: slices.Index(l.kernels, edge.To), sends: elements / f.FiringRate(edge.From, s), takes: 1,
				initial: float64(edge.Initial), turn: elements / c.turns[s], most: float64(mostInitial(app))})
			c.crowd.bytes = append(c.crowd.bytes, edge.ElementBytes)
		}
		c.fill()
		crowds = append(crowds, c)
	}
	return crowds
}

// mostInitial is how many elements all edges together hold at the start.
func mostInitial(app *Application) int {
	all := 0
	for i := range app.Edges {
		all += app.Edges[i].Initial
	}
	return all
}

// count works out what the initial elements are worth.
func (x *crowd) count(c *circle) {
	x.all = 0
	for i := range c.waits {
		w := &c.waits[i]
		x.all += w.initial * x.bytes[i] * x.worth[w.to]
	}
}

// stays are how much passes, in what it is worth, and stays for a firing of each kernel, and over
// each wait, for a byte at the first kernel.
func (x *crowd) stays(c *circle, between []crossing) (kernels, waits []float64) {
	kernels, waits = make([]float64, len(c.kernels)), make([]float64, len(c.waits))
	for i := range c.kernels {
		kernels[i] = x.passes[i] * x.worth[i]
	}
	for i := range c.waits {
		w := &c.waits[i]
		waits[i] = w.turn * x.bytes[i] * x.worth[w.to]
		kernels[w.from] += waits[i] * between[i].writer
		kernels[w.to] += waits[i] * between[i].reader
	}
	return kernels, waits
}

// ratio is how long a byte at the first kernel takes, s.
func (x *crowd) ratio(c *circle, service []float64, between []crossing) float64 {
	kernels, waits := x.stays(c, between)
	sum := 0.0
	for i, k := range kernels {
		sum += k * service[i]
	}
	for i, b := range between {
		sum += waits[i] * (b.element + b.fixed)
	}
	return sum / x.all
}
