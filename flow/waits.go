package flow

import (
	"math"
	"slices"

	"xopt/queueing/sdf"
)

// circle is a set of kernels that wait for each other. Each kernel fires only with an element from another kernel of
// the set, and its output eventually returns to that kernel. The initial elements limit the firing rate. The period of
// a firing is at least the largest ratio of time to initial elements over all cycles in the circle (maximum cycle
// mean). A kernel that accepts elements from any port waits for no other kernel.
//
// A turn is a round of the circle: the firings of all its kernels after which each wait has its initial number of
// elements again.
type circle struct {
	kernels []int
	firings []float64 // of each kernel in a turn
	waits   []wait
	copies  int  // firings of all kernels in a turn; 0 if their numbers are not integers, or too large
	unfolds bool // the firings differ, or move several elements, so that each firing is modeled separately
	// turns[f] is the number of turns per second, per byte/s of free source f.
	turns []float64
	// lacking is the wait with too few initial elements for one turn, or -1. needs is the minimum number of initial
	// elements of this wait.
	lacking int
	needs   int
	// crowd is nil, except for a loop without input whose kernels accept elements from any port. These kernels do not
	// wait for each other, but the amount of data in the loop is constant.
	crowd *crowd
}

// wait is an edge of a circle whose reader waits for its elements.
type wait struct {
	edge     int // of the application
	from, to int // indices into kernels
	sends    float64
	consumes float64 // elements per firing
	initial  float64
	useful   float64 // initial elements, rounded down to a multiple of gcd(sends, consumes)
	turn     float64 // elements per turn
	max      float64 // maximum number of elements on the edge
}

// maxCopies is the maximum number of firings in a turn for which the graph has a node per firing. For longer turns, the
// graph models the elements as a fluid, which can only overestimate the rate.
const maxCopies = 16384

// newCircles finds the circles. The flows must contain the firings.
func newCircles(app *Application, f *Flows) []*circle {
	if !slices.Contains(f.Back, true) {
		return nil
	}
	awaited := f.awaited(app)
	without := make([]bool, len(app.Edges))
	for e := range without {
		without[e] = !awaited[e]
	}
	parts, of := f.graph.components(without)
	index := make([]int, len(app.Kernels))
	circles := make([]*circle, len(parts))
	for i, part := range parts {
		for j, k := range part {
			index[k] = j
		}
		circles[i] = &circle{kernels: part, lacking: -1}
	}
	for e := range app.Edges {
		edge := &app.Edges[e]
		if c := circles[of[edge.From]]; awaited[e] && of[edge.From] == of[edge.To] {
			c.waits = append(c.waits, wait{edge: e, from: index[edge.From], to: index[edge.To],
				initial: float64(edge.Initial)})
		}
	}
	circles = slices.DeleteFunc(circles, func(c *circle) bool { return len(c.waits) == 0 })
	for _, c := range circles {
		c.count(app, f)
	}
	return append(circles, newCrowds(app, f, circles)...)
}

// awaited reports for each edge whether every firing of its reader waits for its elements. This requires that the edge
// is alone at its port, and that the reader has no other input or joins all inputs.
func (f *Flows) awaited(app *Application) []bool {
	flows := func(e int) bool { return slices.ContainsFunc(f.Edge(e), func(x float64) bool { return x != 0 }) }
	awaited := make([]bool, len(app.Edges))
	in := f.graph.In
	for k := range app.Kernels {
		some := slices.DeleteFunc(slices.Clone(in[k]), func(e int) bool { return !flows(e) })
		if len(some) == 1 {
			awaited[some[0]] = true
			continue
		}
		for _, j := range app.Kernels[k].Joins {
			ports, edges := 0, 0
			for _, p := range j.Ports {
				of := slices.DeleteFunc(slices.Clone(p.Edges), func(e int) bool { return !flows(e) })
				edges += len(of)
				if len(of) > 0 {
					ports++
				}
				if len(of) == 1 {
					awaited[of[0]] = true
				}
			}
			if edges < len(some) { // the kernel also consumes from ports outside the join
				for _, e := range some {
					awaited[e] = false
				}
			}
		}
	}
	return awaited
}

// count computes the firings of a circle's kernels in a turn, and the elements that the waits send, consume and can
// contain.
func (c *circle) count(app *Application, f *Flows) {
	s := 0 // a free source that drives the circle; the firing ratios are the same for all such sources
	for s+1 < f.Free && !(f.FiringRate(c.kernels[0], s) > 0) {
		s++
	}
	first := f.FiringRate(c.kernels[0], s)
	for _, k := range c.kernels {
		c.firings = append(c.firings, f.FiringRate(k, s)/first)
	}
	for i := range c.waits {
		w := &c.waits[i]
		edge := &app.Edges[w.edge]
		w.sends = f.Edge(w.edge)[s] / edge.ElementBytes / f.FiringRate(c.kernels[w.from], s)
		w.consumes = f.Edge(w.edge)[s] / edge.ElementBytes / f.FiringRate(c.kernels[w.to], s)
	}
	c.extendTurn()
	c.fill()
	for j := range f.Free {
		c.turns = append(c.turns, f.FiringRate(c.kernels[0], j)/c.firings[0])
	}
	if c.copies > 0 {
		c.lacking, c.needs = c.starved()
	}
}

// fill computes the values that depend on the initial elements.
func (c *circle) fill() {
	if c.crowd != nil {
		c.crowd.count(c)
		return
	}
	for i := range c.waits {
		w := &c.waits[i]
		w.turn = w.consumes * c.firings[w.to]
		w.useful = w.initial
		if c.copies > 0 {
			step := float64(sdf.GCD(int(w.sends), int(w.consumes)))
			w.useful = math.Floor(w.initial/step) * step
			c.unfolds = c.unfolds || w.consumes > 1 || w.sends > 1
		}
	}
	c.unfolds = c.unfolds || c.copies > len(c.kernels)
	c.maximize()
}

// integerTolerance is the tolerance within which a count is treated as an integer, because gains and routing may be
// rounded.
const integerTolerance = 1e-5

// extendTurn extends a turn so that every kernel fires an integer number of times in it. It leaves copies at 0 if a
// kernel sends or consumes fractions of elements, or if the turn is too long to simulate.
func (c *circle) extendTurn() {
	for i := range c.waits {
		w := &c.waits[i]
		for _, x := range []*float64{&w.sends, &w.consumes} {
			n := math.Round(*x)
			if n < 1 || math.Abs(*x-n) > integerTolerance*n {
				return
			}
			*x = n
		}
	}
	for turn := 1.0; turn <= maxCopies; turn++ {
		sum, fits := 0.0, true
		for _, x := range c.firings {
			n := math.Round(x * turn)
			fits = fits && n >= 1 && math.Abs(x*turn-n) <= integerTolerance*n
			sum += n
		}
		if sum > maxCopies && turn > 1 || sum > 1e9 {
			return
		}
		if fits && c.balanced(turn) {
			for i, x := range c.firings {
				c.firings[i] = math.Round(x * turn)
			}
			if sum <= maxCopies {
				c.copies = int(sum)
			}
			return
		}
	}
}

// balanced reports whether every wait sends and consumes the same number of elements in a turn.
func (c *circle) balanced(turn float64) bool {
	for i := range c.waits {
		w := &c.waits[i]
		if w.sends*math.Round(c.firings[w.from]*turn) != w.consumes*math.Round(c.firings[w.to]*turn) {
			return false
		}
	}
	return true
}

// maximize computes the maximum number of elements on each wait: the smallest number that a cycle through the wait
// permits.
func (c *circle) maximize() {
	n := len(c.kernels)
	if n > maxCircle {
		for i := range c.waits {
			c.waits[i].max = math.Inf(1)
		}
		return
	}
	minimum := make([][]float64, n) // minimum number of turns on a path from one kernel to another
	for i := range minimum {
		minimum[i] = make([]float64, n)
		for j := range minimum[i] {
			if i != j {
				minimum[i][j] = math.Inf(1)
			}
		}
	}
	for i := range c.waits {
		w := &c.waits[i]
		minimum[w.from][w.to] = min(minimum[w.from][w.to], w.initial/w.turn)
	}
	for k := range n {
		for i := range n {
			for j := range n {
				minimum[i][j] = min(minimum[i][j], minimum[i][k]+minimum[k][j])
			}
		}
	}
	for i := range c.waits {
		w := &c.waits[i]
		w.max = math.Floor(w.initial + minimum[w.to][w.from]*w.turn + integerTolerance)
	}
}

// maxCircle is the number of kernels of the largest circle for which maximize computes the maxima.
const maxCircle = 200

// starved simulates the firings of a turn. It returns a wait with too few initial elements, preferably one with initial
// elements, and the number of elements that it needs if the other waits stay unchanged. It returns -1 if there are
// enough elements.
func (c *circle) starved() (at, needs int) {
	g := &sdf.Graph{Actors: make([]sdf.Actor, len(c.kernels))}
	firings := make([]int64, len(c.firings))
	for k, n := range c.firings {
		firings[k] = int64(n)
	}
	for i := range c.waits {
		w := &c.waits[i]
		g.Channels = append(g.Channels, sdf.Channel{From: w.from, To: w.to, Produced: int64(w.sends),
			Consumed: int64(w.consumes), Initial: int64(w.initial)})
	}
	blocking := func() int {
		at := -1
		for _, i := range g.Starved(firings) {
			if at < 0 || g.Channels[i].Initial > g.Channels[at].Initial {
				at = i
			}
		}
		return at
	}
	if at = blocking(); at < 0 {
		return -1, 0
	}
	initial := &g.Channels[at].Initial
	low, high := *initial, *initial+int64(c.waits[at].turn)
	for high-low > 1 {
		if *initial = (low + high) / 2; blocking() == at {
			low = *initial
		} else {
			high = *initial
		}
	}
	return at, int(high)
}
