package mapper

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"xopt/flow"
)

// The annealing schedule. Temperatures are differences in the natural logarithm of throughput.
const (
	startAcceptance = 0.8   // fraction of accepted moves at the first temperature of a descent
	endAcceptance   = 0.004 // fraction of accepted moves at the last temperature of a descent
	epochMoves      = 10    // moves per unit and temperature in the first descent
	doublings       = 3     // number of descents after which the number of moves stops doubling
	moreDoublings   = 4     // further doublings of a settled chain
	longerAfter     = 12    // restarts for each further doubling
	cooling         = 0.90  // factor between temperatures
	maxEpochs       = 150
	// loadWeight is the weight of the total load, which breaks ties between mappings of equal throughput. A lower load
	// of the other resources makes later improvements more likely. The weight is small, so that throughput decides
	// first.
	loadWeight = 0.02
	// reheat scales the first temperature of a descent that starts from another chain's best mapping.
	reheat = 0.1
	// maxMoved is the maximum number of units that moveCluster moves.
	maxMoved = 5
)

// chain is the state of a search on one goroutine, such as a sequence of annealing descents.
type chain struct {
	*space
	scorer *flow.Scorer
	pcg    *rand.PCG
	rng    *rand.Rand // uses pcg
	goal   *Goal
	pool   incumbentPool
	tally  tally
	walker *walker
	scalar scalarization
	// proposed reports that a mapping has been offered to the pool since the last check of the context.
	proposed bool

	nearest nearest

	number    int
	exchange  *exchange
	publishAt uint64        // evaluations at the next publication; a node counts as nodeMoves evaluations
	waited    time.Duration // time that the chain waited for other chains
	lookEvery uint64        // number of evaluations between polls, a power of two
	course    course
	kept      *kept  // the latest checkpoint; nil if none are written
	proof     *proof // the proof that this chain executes, or nil
	mixed     bool   // methods alternate
	closed    bool   // no mapping can be better than the best one found

	hash    uint64   // hash of the placement; equal resources are distinct
	zobrist []uint64 // random numbers by unit and class, which form hash
	offered []uint64 // hashes of recent offers
	cluster []int
	routed  []int // edges that may have several routes
}

// newChain returns the chain with the given number. No other chain may use its scorer.
func (r *runner) newChain(scorer *flow.Scorer, number int, t tally) *chain {
	s, goal := r.space, &r.options.Goal
	pcg := rand.NewPCG(r.options.Seed, uint64(number))
	c := &chain{space: s, scorer: scorer, pcg: pcg, rng: rand.New(pcg), goal: goal, tally: t, walker: newWalker(s)}
	c.pool = newIncumbentPool(s, r.flows, goal, r.options.Top)
	c.lookEvery = reportEvery
	for c.lookEvery > minReport && c.lookEvery*uint64(len(s.units)) > reportUnits {
		c.lookEvery /= 2
	}
	c.scalar = newScalarization(goal)
	c.zobrist = make([]uint64, len(s.units)*len(s.class))
	for i := range c.zobrist {
		c.zobrist[i] = c.rng.Uint64()
	}
	c.offered = make([]uint64, 1<<12)
	c.cluster = make([]int, 0, maxMoved)
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

// below returns a uniformly distributed random integer from 0 to n-1.
func (c *chain) below(n int) int {
	hi, _ := bits.Mul64(c.pcg.Uint64(), uint64(n))
	return int(hi)
}

// stop reports whether the chain must end. It calls poll only once in several evaluations.
func (c *chain) stop(ctx context.Context) bool {
	slow := c.proposed // the evaluation of a large mapping takes a long time
	c.proposed = false
	return slow && ctx.Err() != nil || c.tally.work() >= c.tally.next && c.poll(ctx)
}

// spent reports whether the chain has reached its limit of evaluations.
func (c *chain) spent() bool {
	return c.tally.full || c.tally.limit > 0 && c.tally.work() >= c.tally.limit
}

// poll checks the clock, the limits and the other chains. It reports whether the chain must end.
func (c *chain) poll(ctx context.Context) bool {
	t := &c.tally
	t.publish()
	work := t.work()
	if c.spent() || c.closed || ctx.Err() != nil {
		return true
	}
	if c.exchange != nil {
		begun := time.Now()
		for ; t.evals+nodeMoves*t.nodes >= c.publishAt; c.publishAt += exchangeEvery {
			c.closed = c.exchange.publish(ctx, c.number, c.pool.first()) || c.closed
		}
		c.waited += time.Since(begun)
	}
	// The polling interval does not depend on the limit, so that chains with different limits publish at the same
	// counts.
	t.next = (work/c.lookEvery + 1) * c.lookEvery
	if t.limit > 0 {
		t.next = min(t.next, t.limit)
	}
	return ctx.Err() != nil || c.closed
}

// energy returns the value that annealing minimizes; +Inf for an invalid mapping.
func (c *chain) energy() float64 {
	throughput := c.scorer.Throughput()
	c.tally.evals++
	if !(throughput > 0) {
		return math.Inf(1)
	}
	if !c.scalar.plain {
		return c.wanted(throughput)
	}
	if throughput > c.tally.best*(1+sameThroughput) {
		c.tally.rose(throughput, 0)
	}
	if c.pool.wants(throughput, 0) {
		c.offer(throughput, 0)
	}
	return loadWeight*c.scorer.Imbalance() - math.Log(throughput)
}

// score scores the current mapping, and adds it to the incumbent pool if it is among the best.
func (c *chain) score() {
	throughput := c.scorer.Throughput()
	c.tally.evals++
	switch {
	case !(throughput > 0):
	case !c.scalar.plain:
		c.rehash()
		c.wanted(throughput)
	default:
		if throughput > c.tally.best*(1+sameThroughput) {
			c.tally.rose(throughput, 0)
		}
		c.pool.propose(c.scorer, throughput, 0)
	}
}

// offer adds the mapping to the incumbent pool, unless it was offered recently.
func (c *chain) offer(throughput, value float64) {
	if c.pool.worse(c.scorer, throughput, value) {
		return
	}
	h := c.hash
	for i, e := range c.routed {
		h = h*0x9e3779b97f4a7c15 + uint64(c.scorer.RouteNumber(e)) + uint64(i)<<32
	}
	slot := &c.offered[h>>52]
	if *slot == h {
		return
	}
	*slot, c.proposed = h, true
	c.pool.propose(c.scorer, throughput, value)
}

// start sets the mapping to the result of a random walk.
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
	c.rehash()
	return nil
}

// rehash recomputes the hash of the placement.
func (c *chain) rehash() {
	c.hash = 0
	for u := range c.units {
		c.hash ^= c.zobrist[u*len(c.class)+c.unitAt(u)]
	}
}

func (c *chain) unitAt(u int) int { return int(c.scorer.Place()[c.units[u][0]]) }

// moveUnit moves a unit to a resource, and updates the hash.
func (c *chain) moveUnit(u, r int) {
	c.hash ^= c.zobrist[u*len(c.class)+c.unitAt(u)] ^ c.zobrist[u*len(c.class)+r]
	for _, k := range c.units[u] {
		c.scorer.Move(k, r)
	}
}

// clashes reports whether a unit shares its resource with a unit from which constraints separate it.
func (c *chain) clashes(u int) bool {
	r := c.unitAt(u)
	return slices.ContainsFunc(c.separateUnits[u], func(v int) bool { return c.unitAt(v) == r })
}

// fits reports whether a resource has enough area for each single kernel of a unit. The caller checks the total area
// after the move.
func (c *chain) fits(u, r int) bool {
	for _, k := range c.units[u] {
		if !c.scorer.Fits(k, r) {
			return false
		}
	}
	return true
}

// hopeless reports whether a resource reaches the load limit when the kernels of join move to it and the kernels of
// leave move away. If so, it counts the move as an evaluation.
func (c *chain) hopeless(r int, join, leave []int, limit float64) bool {
	if !c.scorer.Exceeds(r, join, leave, limit) {
		return false
	}
	c.tally.evals++
	return true
}

// propose makes a random change: it moves a unit, swaps two units, moves a cluster, or changes a route. It returns
// false if the new mapping is invalid or certainly has a load above limit. The caller must then undo the change.
func (c *chain) propose(limit float64) bool {
	u := c.below(len(c.units))
	switch kind := c.below(20); {
	case kind < 2 && len(c.routed) > 0:
		e := c.routed[c.below(len(c.routed))]
		n := c.scorer.Alternatives(e)
		if n < 2 {
			return false
		}
		c.scorer.Reroute(e, c.below(n))
		return true
	case kind < 7 && len(c.units) > 1:
		v := c.below(len(c.units))
		a, b := c.unitAt(u), c.unitAt(v)
		if a == b || !c.isIn[u][b] || !c.isIn[v][a] || c.hopeless(a, c.units[v], c.units[u], limit) ||
			c.hopeless(b, c.units[u], c.units[v], limit) {
			return false
		}
		c.moveUnit(u, b)
		c.moveUnit(v, a)
		return !c.clashes(u) && !c.clashes(v) && c.scorer.Violations() == 0
	case kind < 11:
		return c.moveCluster(u, limit)
	}
	r := c.allowed[u][c.below(len(c.allowed[u]))]
	if r == c.unitAt(u) || c.hopeless(r, c.units[u], nil, limit) || !c.fits(u, r) {
		return false
	}
	c.moveUnit(u, r)
	return !c.clashes(u) && c.scorer.Violations() == 0
}

// moveCluster moves a unit and some of its neighbors on the same resource to another resource.
func (c *chain) moveCluster(u int, limit float64) bool {
	from := c.unitAt(u)
	r := c.allowed[u][c.below(len(c.allowed[u]))]
	if r == from || c.hopeless(r, c.units[u], nil, limit) {
		return false
	}
	want := 2 + c.below(maxMoved-1)
	if !c.fits(u, r) {
		return false
	}
	c.cluster = append(c.cluster[:0], u)
	c.moveUnit(u, r)
	for i := 0; i < len(c.cluster) && len(c.cluster) < want; i++ {
		for _, v := range c.near[c.cluster[i]] {
			if len(c.cluster) < want && c.isIn[v][r] && c.unitAt(v) == from {
				if !c.fits(v, r) {
					return false
				}
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

// try proposes a change and accepts or rejects it by the Metropolis rule. It returns the energy of the resulting
// mapping.
func (c *chain) try(energy, temperature float64) (after float64, accepted bool) {
	hash, maximum := c.hash, energy+temperature*c.rng.ExpFloat64()
	if c.propose(c.limit(maximum)) {
		if next := c.energy(); next <= energy || next < maximum {
			c.scorer.Commit()
			return next, true
		}
	}
	c.scorer.Undo()
	c.hash = hash
	return energy, false
}

// limit returns a maximum load above which a mapping has more than the given energy and is too slow for the pool. The
// energy of a mapping is at least the logarithm of its maximum load.
func (c *chain) limit(energy float64) float64 {
	if !c.scalar.plain || len(c.pool.best) < c.pool.top {
		return math.Inf(1)
	}
	throughput := min(math.Exp(-energy), c.pool.best[len(c.pool.best)-1].Throughput*(1-2*sameThroughput))
	return c.scorer.MaxLoad(throughput)
}

// warm prepares an annealing descent from the current mapping. If again is set, the mapping is already good, and the
// descent starts at a lower temperature. ok is false if the search must end.
func (c *chain) warm(ctx context.Context, again bool) (ok bool, err error) {
	from := c.scorer.Mapping()
	energy := c.energy()
	temperature, energy, ok := c.heat(ctx, energy)
	if !ok {
		return false, nil
	}
	if again {
		temperature *= reheat
		if err := c.set(from); err != nil || c.spent() {
			return false, err
		}
		energy = c.energy()
	}
	p := &c.course
	p.Energy, p.Temperature = exact(energy), exact(temperature)
	p.Moves, p.Epoch = epochMoves<<min(p.Descents, c.doublings())*len(c.units), 0
	p.Descents++
	return true, nil
}

// doublings returns the number of consecutive descents that double their length. For a settled chain, it increases by
// one after every longerAfter restarts, at most by moreDoublings.
func (c *chain) doublings() int {
	if !c.course.Settled {
		return doublings
	}
	return doublings + min(c.course.Restarts/longerAfter, moreDoublings)
}

// cool anneals until almost no move is accepted. It returns false if the search must end.
func (c *chain) cool(ctx context.Context) bool {
	p, begun, before, waited := &c.course, time.Now(), c.tally.evals, c.waited
	defer func() {
		c.tally.annealed.Moves += c.tally.evals - before
		c.tally.annealed.Time += time.Since(begun) - (c.waited - waited)
	}()
	for p.Epoch < maxEpochs {
		if c.mark(ctx) {
			return false
		}
		accepted := 0
		energy, temperature := float64(p.Energy), float64(p.Temperature)
		for range p.Moves {
			var ok bool
			if energy, ok = c.try(energy, temperature); ok {
				accepted++
			}
			if c.stop(ctx) {
				return false
			}
		}
		rate := float64(accepted) / float64(p.Moves)
		c.tally.shared.temperature.Store(math.Float64bits(temperature))
		c.tally.shared.acceptance.Store(math.Float64bits(rate))
		p.Energy, p.Temperature, p.Epoch = exact(energy), exact(temperature*cooling), p.Epoch+1
		if rate < endAcceptance {
			break
		}
	}
	return true
}

// heat derives the temperature at which most moves are accepted from the energy changes of random moves. after is the
// energy of the last mapping. ok is false if the search must end.
func (c *chain) heat(ctx context.Context, energy float64) (temperature, after float64, ok bool) {
	sum, n := 0.0, 0
	for i := range 20 + 4*len(c.units) {
		if c.spent() || i%minReport == 0 && ctx.Err() != nil {
			return 0, 0, false
		}
		next, _ := c.try(energy, math.MaxFloat64)
		if d := math.Abs(next - energy); d > 0 && !math.IsInf(d, 0) {
			sum += d
			n++
		}
		energy = next
	}
	if n == 0 {
		return 1e-3, energy, true
	}
	return sum / float64(n) / -math.Log(startAcceptance), energy, true
}
