package mapper

import (
	"context"
	"math"
	"math/rand/v2"

	"xopt/flow"
)

// The annealing schedule. Temperature is in units of log throughput.
const (
	startAcceptance = 0.8   // of moves, at the temperature that a descent starts from
	endAcceptance   = 0.004 // below it the descent has frozen
	epochMoves      = 40    // moves per unit and temperature
	cooling         = 0.90  // factor between temperatures
	maxEpochs       = 150
	// loadWeight breaks ties between mappings of equal throughput: of two, that
	// which keeps its resources less busy has more in reserve behind its
	// bottleneck. It is small against the differences that matter.
	loadWeight = 0.02
	// clusterMost is the largest group of neighbours that moves at once.
	clusterMost = 5
)

// chain is one sequence of annealing descents on one goroutine.
type chain struct {
	*space
	scorer *flow.Scorer
	rng    *rand.Rand
	board  board
	tally  tally
	walker *walker

	hash    uint64   // of the placement and routes, not up to renaming
	zobrist []uint64 // unit × resource
	offered []uint64 // hashes offered lately
	cluster []int
	routed  []int // edges that may have a choice of routes
}

func newChain(s *space, scorer *flow.Scorer, flows *flow.Flows, top int, seed, index uint64, t tally) *chain {
	c := &chain{space: s, scorer: scorer, rng: rand.New(rand.NewPCG(seed, index)), tally: t, walker: newWalker(s)}
	c.board = board{space: s, flows: flows, top: top}
	c.zobrist = make([]uint64, len(s.units)*len(s.class))
	for i := range c.zobrist {
		c.zobrist[i] = c.rng.Uint64()
	}
	c.offered = make([]uint64, 1<<12)
	c.cluster = make([]int, 0, clusterMost)
	n := len(s.class)
	for e, edge := range s.problem.Application.Edges {
		choice := false
		for _, a := range s.allowed[s.unitOf[edge.From]] {
			for _, b := range s.allowed[s.unitOf[edge.To]] {
				choice = choice || len(s.routes.Between(a, b)) > 1
			}
			if n > 64 && choice {
				break
			}
		}
		if choice {
			c.routed = append(c.routed, e)
		}
	}
	return c
}

// energy is what annealing lowers; +Inf for what cannot be.
func (c *chain) energy() float64 {
	throughput := c.scorer.Throughput()
	c.tally.scored(throughput)
	if !(throughput > 0) {
		return math.Inf(1)
	}
	if c.board.wants(throughput) {
		c.offer(throughput)
	}
	square := 0.0
	loads := c.scorer.Loads()
	for _, l := range loads {
		square += l * l
	}
	return loadWeight*square/float64(len(loads)) - math.Log(throughput)
}

// offer passes a mapping to the board unless it was there lately.
func (c *chain) offer(throughput float64) {
	h := c.hash
	for i, e := range c.routed {
		for _, l := range c.scorer.Route(e) {
			h = h*0x9e3779b97f4a7c15 + uint64(l) + uint64(i)<<32
		}
	}
	slot := &c.offered[h>>52]
	if *slot == h {
		return
	}
	*slot = h
	c.board.offer(c.scorer, throughput)
}

// start goes to a random walk's mapping.
func (c *chain) start() error {
	if !c.walker.draw(c.rng) {
		return c.walker.failure()
	}
	return c.set(c.walker.mapping())
}

func (c *chain) set(m *flow.Mapping) error {
	if err := c.scorer.Set(m); err != nil {
		return err
	}
	c.hash = 0
	for u := range c.units {
		c.hash ^= c.zobrist[u*len(c.class)+c.unitAt(u)]
	}
	return nil
}

func (c *chain) unitAt(u int) int { return int(c.scorer.Place()[c.units[u][0]]) }

// moveUnit places a unit elsewhere.
func (c *chain) moveUnit(u, r int) {
	c.hash ^= c.zobrist[u*len(c.class)+c.unitAt(u)] ^ c.zobrist[u*len(c.class)+r]
	for _, k := range c.units[u] {
		c.scorer.Move(k, r)
	}
}

// clashes reports whether a unit shares its resource with one that it must be
// apart from.
func (c *chain) clashes(u int) bool {
	r := c.unitAt(u)
	for _, v := range c.apart[u] {
		if c.unitAt(v) == r {
			return true
		}
	}
	return false
}

// propose changes the mapping at random: a move, a swap, a move of a cluster, or
// another route. It returns whether the result may be scored; on false the
// caller undoes it.
func (c *chain) propose() bool {
	u := c.rng.IntN(len(c.units))
	switch kind := c.rng.IntN(20); {
	case kind < 2 && len(c.routed) > 0:
		e := c.routed[c.rng.IntN(len(c.routed))]
		n := c.scorer.Alternatives(e)
		if n < 2 {
			return false
		}
		c.scorer.Reroute(e, c.rng.IntN(n))
		return true
	case kind < 7 && len(c.units) > 1:
		v := c.rng.IntN(len(c.units))
		a, b := c.unitAt(u), c.unitAt(v)
		if a == b || !c.isIn[u][b] || !c.isIn[v][a] {
			return false
		}
		c.moveUnit(u, b)
		c.moveUnit(v, a)
		return !c.clashes(u) && !c.clashes(v) && c.scorer.Violations() == 0
	case kind < 11:
		return c.moveCluster(u)
	}
	r := c.allowed[u][c.rng.IntN(len(c.allowed[u]))]
	if r == c.unitAt(u) {
		return false
	}
	c.moveUnit(u, r)
	return !c.clashes(u) && c.scorer.Violations() == 0
}

// moveCluster takes a unit and neighbours that are on the same resource to
// another one.
func (c *chain) moveCluster(u int) bool {
	from := c.unitAt(u)
	r := c.allowed[u][c.rng.IntN(len(c.allowed[u]))]
	if r == from {
		return false
	}
	want := 2 + c.rng.IntN(clusterMost-1)
	c.cluster = append(c.cluster[:0], u)
	c.moveUnit(u, r)
	for i := 0; i < len(c.cluster) && len(c.cluster) < want; i++ {
		for _, v := range c.near[c.cluster[i]] {
			if len(c.cluster) < want && c.isIn[v][r] && c.unitAt(v) == from {
				c.cluster = append(c.cluster, v)
				c.moveUnit(v, r)
			}
		}
	}
	for _, v := range c.cluster {
		if c.clashes(v) {
			return false
		}
	}
	return c.scorer.Violations() == 0
}

// try proposes and accepts by Metropolis's rule. It returns the energy that
// holds then.
func (c *chain) try(energy, temperature float64) (after float64, accepted bool) {
	hash := c.hash
	if c.propose() {
		next := c.energy()
		if next <= energy || c.rng.Float64() < math.Exp((energy-next)/temperature) {
			c.scorer.Commit()
			return next, true
		}
	}
	c.scorer.Undo()
	c.hash = hash
	return energy, false
}

// descend anneals once from the present mapping and polishes the result. It
// returns false when the search has to end.
func (c *chain) descend(ctx context.Context) bool {
	energy := c.energy()
	temperature, energy := c.heat(energy)
	moves := epochMoves * len(c.units)
	for range maxEpochs {
		accepted := 0
		for range moves {
			var ok bool
			if energy, ok = c.try(energy, temperature); ok {
				accepted++
			}
			if c.tally.stop(ctx) {
				return false
			}
		}
		rate := float64(accepted) / float64(moves)
		c.tally.shared.temperature.Store(math.Float64bits(temperature))
		c.tally.shared.acceptance.Store(math.Float64bits(rate))
		if rate < endAcceptance {
			break
		}
		temperature *= cooling
	}
	return c.polish(ctx)
}

// heat finds the temperature at which most moves are accepted, by the changes of
// energy that random moves make.
func (c *chain) heat(energy float64) (temperature, after float64) {
	sum, n := 0.0, 0
	for range 20 + 4*len(c.units) {
		next, _ := c.try(energy, math.MaxFloat64)
		if d := math.Abs(next - energy); d > 0 && !math.IsInf(d, 0) {
			sum += d
			n++
		}
		energy = next
	}
	if n == 0 {
		return 1e-3, energy
	}
	return sum / float64(n) / -math.Log(startAcceptance), energy
}

// polish moves single units, and swaps pairs, as long as that helps.
func (c *chain) polish(ctx context.Context) bool {
	energy := c.energy()
	improve := func() bool {
		next := c.energy()
		if c.scorer.Violations() == 0 && next < energy-1e-12 {
			energy = next
			c.scorer.Commit()
			return true
		}
		return false
	}
	for again := true; again; {
		again = false
		for u := range c.units {
			for _, r := range c.allowed[u] {
				if r == c.unitAt(u) {
					continue
				}
				hash := c.hash
				c.moveUnit(u, r)
				if !c.clashes(u) && improve() {
					again = true
				} else {
					c.scorer.Undo()
					c.hash = hash
				}
				if c.tally.stop(ctx) {
					return false
				}
			}
			for v := range u {
				a, b := c.unitAt(u), c.unitAt(v)
				if a == b || !c.isIn[u][b] || !c.isIn[v][a] {
					continue
				}
				hash := c.hash
				c.moveUnit(u, b)
				c.moveUnit(v, a)
				if !c.clashes(u) && !c.clashes(v) && improve() {
					again = true
				} else {
					c.scorer.Undo()
					c.hash = hash
				}
				if c.tally.stop(ctx) {
					return false
				}
			}
		}
		for _, e := range c.routed {
			for a := range c.scorer.Alternatives(e) {
				c.scorer.Reroute(e, a)
				if improve() {
					again = true
				} else {
					c.scorer.Undo()
				}
				if c.tally.stop(ctx) {
					return false
				}
			}
		}
	}
	return true
}
