package flow

import "slices"

// crowd describes the data in a loop without input. The worth of a byte is the number of bytes at the first kernel that
// result from this byte. The total worth is constant. By Little's law, the total worth equals the flow multiplied by
// the time in the loop. This time is at least the service time plus the transfer time.
type crowd struct {
	worth  []float64 // of a byte at each kernel
	passes []float64 // bytes through each kernel per byte through the first kernel
	bytes  []float64 // bytes of an element of each wait
	all    float64   // the loop's initial elements, converted to bytes at the first kernel
}

// newCrowds returns the crowds of the closed loops that no circle covers completely. For the other loops, the cycles of
// the circles give tighter bounds.
func newCrowds(app *Application, f *Flows, circles []*circle) []*circle {
	var crowds []*circle
	for _, l := range f.loops.all {
		complete := func(c *circle) bool { return slices.Equal(c.kernels, l.kernels) }
		if !l.closed || slices.ContainsFunc(circles, complete) {
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
				to: slices.Index(l.kernels, edge.To), sends: elements / f.FiringRate(edge.From, s), consumes: 1,
				initial: float64(edge.Initial), turn: elements / c.turns[s], max: float64(totalInitial(app))})
			c.crowd.bytes = append(c.crowd.bytes, edge.ElementBytes)
		}
		c.fill()
		crowds = append(crowds, c)
	}
	return crowds
}

// totalInitial returns the sum of the initial elements of all edges.
func totalInitial(app *Application) int {
	all := 0
	for i := range app.Edges {
		all += app.Edges[i].Initial
	}
	return all
}

func (x *crowd) count(c *circle) {
	x.all = 0
	for i := range c.waits {
		w := &c.waits[i]
		x.all += w.initial * x.bytes[i] * x.worth[w.to]
	}
}

// stays returns the weights of the kernels' service times and of the waits' delays. The weighted sum is the time that
// one byte at the first kernel spends in the loop.
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

// ratio returns the time in seconds that one byte at the first kernel spends in the loop.
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
