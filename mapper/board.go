package mapper

import (
	"slices"

	"xopt/flow"
)

// Candidate is a mapping with its score.
type Candidate struct {
	Mapping    *flow.Mapping
	Throughput float64 // Γ, bytes/s
	Resources  int     // resources in use
	// Traffic is the flow over links, each hop counted, per byte/s of throughput.
	Traffic float64

	key string
}

// board keeps the best distinct candidates.
type board struct {
	space *space
	flows *flow.Flows
	top   int
	best  []Candidate

	seen  []uint32 // per resource: the offer in which it was last seen in use
	count uint32   // of offers
}

// sameThroughput is how close, relatively, two throughputs must be to count as
// equal, so that rounding does not decide between mappings.
const sameThroughput = 1e-12

// better orders candidates: by throughput, then fewer resources, then less
// traffic, then the key, so that the order is complete.
func better(a, b *Candidate) bool {
	switch {
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

// wants reports whether a mapping of this throughput could enter.
func (b *board) wants(throughput float64) bool {
	return throughput > 0 && (len(b.best) < b.top || throughput >= b.best[len(b.best)-1].Throughput*(1-sameThroughput))
}

// offer enters the scorer's mapping if it is among the best and not there yet.
func (b *board) offer(s *flow.Scorer, throughput float64) {
	if !b.wants(throughput) {
		return
	}
	c := Candidate{Throughput: throughput, Resources: b.inUse(s.Place()), Traffic: b.space.traffic(b.flows, s.Route)}
	full := len(b.best) == b.top
	if full && !better(&c, &b.best[len(b.best)-1]) { // the empty key is the smallest
		return
	}
	c.key = b.space.key(s.Place(), s.Route)
	if slices.ContainsFunc(b.best, func(o Candidate) bool { return o.key == c.key }) {
		return
	}
	if full && !better(&c, &b.best[len(b.best)-1]) {
		return
	}
	c.Mapping = b.space.canonical(s.Mapping())
	b.insert(c)
}

// inUse counts the resources that hold kernels.
func (b *board) inUse(place []int32) int {
	if b.seen == nil {
		b.seen = make([]uint32, len(b.space.class))
	}
	b.count++
	n := 0
	for _, r := range place {
		if b.seen[r] != b.count {
			b.seen[r] = b.count
			n++
		}
	}
	return n
}

func (b *board) insert(c Candidate) {
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

// merge enters the candidates of another board.
func (b *board) merge(other *board) {
	for _, c := range other.best {
		if !slices.ContainsFunc(b.best, func(x Candidate) bool { return x.key == c.key }) {
			b.insert(c)
		}
	}
}
