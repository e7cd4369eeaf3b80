package mapper

import (
	"slices"

	"xopt/flow"
)

// Candidate is a mapping with the values that rank it.
type Candidate struct {
	Mapping    *flow.Mapping
	Throughput float64 // Γ, bytes/s
	// Value is the value of the first objective, to be minimized; 0 for throughput.
	Value     float64
	Resources int // resources in use
	// Traffic is the sum of the flows on all links, relative to the throughput. A flow counts on each link that it
	// crosses.
	Traffic  float64
	Measures Measures

	key    string
	values []float64 // values of all objectives, if there are several
}

// incumbentPool stores the best candidates with distinct placements.
type incumbentPool struct {
	space *space
	flows *flow.Flows
	goal  *Goal
	meter *measurer
	top   int
	best  []Candidate
	front front // used if there are several objectives
}

func newIncumbentPool(s *space, flows *flow.Flows, goal *Goal, top int) incumbentPool {
	return incumbentPool{space: s, flows: flows, goal: goal, top: top, meter: s.measurer(flows)}
}

// sameThroughput is the relative difference below which two throughputs count as equal, so that rounding does not
// determine the order.
const sameThroughput = 1e-12

// better reports whether a precedes b. The order is by first objective, throughput, number of resources, traffic, and
// key.
func better(a, b *Candidate) bool {
	switch {
	case a.Value < b.Value*(1-sameThroughput):
		return true
	case b.Value < a.Value*(1-sameThroughput):
		return false
	case a.Throughput > b.Throughput*(1+sameThroughput):
		return true
	case b.Throughput > a.Throughput*(1+sameThroughput):
		return false
	case a.Resources != b.Resources:
		return a.Resources < b.Resources
	case a.Traffic < b.Traffic*(1-sameThroughput):
		return true
	case b.Traffic < a.Traffic*(1-sameThroughput):
		return false
	}
	return a.key < b.key
}

// wants reports whether a mapping with this throughput and value may be good enough for the pool.
func (b *incumbentPool) wants(throughput, value float64) bool {
	if !(throughput > 0) || len(b.best) < b.top {
		return throughput > 0
	}
	last := &b.best[len(b.best)-1]
	if value != last.Value {
		return value <= last.Value*(1+sameThroughput)
	}
	return throughput >= last.Throughput*(1-sameThroughput)
}

// worse reports whether the scorer's mapping is not good enough for the pool with any key. It avoids the computation of
// most keys.
func (b *incumbentPool) worse(s *flow.Scorer, throughput, value float64) bool {
	if len(b.best) < b.top {
		return false
	}
	c := b.candidate(s, throughput, value)
	return !better(&c, &b.best[len(b.best)-1]) // the empty key is the smallest
}

// propose inserts the scorer's mapping if it is new and among the best.
func (b *incumbentPool) propose(s *flow.Scorer, throughput, value float64) {
	if !b.wants(throughput, value) || b.worse(s, throughput, value) {
		return
	}
	c := b.candidate(s, throughput, value)
	c.key = keyOf(b.space, s.Place(), s.Route)
	if at := b.placed(&c); at >= 0 && !better(&c, &b.best[at]) || at < 0 && len(b.best) == b.top &&
		!better(&c, &b.best[len(b.best)-1]) {
		return
	}
	b.complete(&c, s)
	b.insert(c)
}

// candidate returns the scorer's mapping with all fields that better compares, except the key.
func (b *incumbentPool) candidate(s *flow.Scorer, throughput, value float64) Candidate {
	return Candidate{Throughput: throughput, Value: value, Resources: s.Used(), Traffic: s.Traffic()}
}

// complete sets the fields that only stored candidates need: the mapping and its measures.
func (b *incumbentPool) complete(c *Candidate, s *flow.Scorer) {
	c.Mapping = b.space.canonical(s.Mapping())
	c.Measures = b.meter.measure(s, b.goal.MinThroughput, true)
}

// placed returns the index of the candidate with the same placement; -1 if there is none. The pool stores only the
// best routes of each placement.
func (b *incumbentPool) placed(c *Candidate) int {
	n := placeBytes * len(b.space.unitOf)
	return slices.IndexFunc(b.best, func(o Candidate) bool { return o.key[:n] == c.key[:n] })
}

// insert inserts a candidate in order, unless the pool already has a better candidate with the same placement.
func (b *incumbentPool) insert(c Candidate) {
	if at := b.placed(&c); at >= 0 {
		if !better(&c, &b.best[at]) {
			return
		}
		b.best = slices.Delete(b.best, at, at+1)
	}
	at, _ := slices.BinarySearchFunc(b.best, c, func(x, y Candidate) int {
		if better(&x, &y) {
			return -1
		}
		return 1
	})
	b.best = slices.Insert(b.best, at, c)
	if len(b.best) > b.top {
		b.best = b.best[:b.top]
	}
}

// merge inserts the candidates and the front of another pool.
func (b *incumbentPool) merge(best []Candidate, front []Candidate) {
	for _, c := range best {
		b.insert(c)
	}
	for _, c := range front {
		b.front.insert(c)
	}
}

// offerFront inserts the scorer's mapping into the front, unless another mapping is at least as good in every
// objective.
func (b *incumbentPool) offerFront(s *flow.Scorer, throughput, value float64, values []float64) {
	if !b.front.wants(values) {
		return
	}
	c := b.candidate(s, throughput, value)
	c.key, c.values = keyOf(b.space, s.Place(), s.Route), slices.Clone(values)
	b.complete(&c, s)
	b.front.insert(c)
}

// first returns a copy of the best candidate; nil if there is none.
func (b *incumbentPool) first() *Candidate {
	if len(b.best) == 0 {
		return nil
	}
	c := b.best[0]
	return &c
}
