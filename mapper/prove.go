package mapper

import (
	"cmp"
	"context"
	"math"
	"slices"

	"xopt/flow"
)

// proof is what is known of all mappings after a search.
type proof struct {
	bound   float64 // a throughput that no mapping exceeds, bytes/s
	optimal bool
	nodes   uint64
}

// Nodes of branch and bound: of the whole proof, and between two looks at the context.
const (
	defaultProofNodes = 2_000_000
	proofLook         = 1 << 12
)

// sameLoad is how close, relatively, two loads must be to count as equal.
const sameLoad = 1e-9

// fillingGap is how near to each other, relatively, the loads are between which the second
// bound is sought.
const fillingGap = 2e-3

// mostWays is how many ways to route the edges of one placement are tried.
const mostWays = 1024

// prove looks for what is better than the best on the board, enters it, and tells how good
// any mapping can be: by branch and bound at the best, and where the nodes do not suffice for
// that, halfway between it and the relaxation, and so on. rose is told of what is better than
// all before.
func prove(ctx context.Context, s *space, scorer *flow.Scorer, b *board, nodes uint64, rose func(throughput float64)) (proof, bool) {
	if scorer.FreeSources() > 1 {
		return several(s, scorer, b)
	}
	if len(b.best) == 0 {
		return proof{}, false
	}
	works := scorer.Works(0)
	exact := true
	p := newProver(ctx, s, scorer, func(at []int) float64 {
		for u, r := range at {
			for _, k := range s.units[u] {
				scorer.Move(k, r)
			}
		}
		before := b.best[0].Throughput
		best, all := s.bestRoutes(scorer, b)
		if best > before*(1+sameThroughput) {
			rose(best)
		}
		exact = exact && all
		scorer.Commit()
		if best == 0 {
			return math.Inf(1)
		}
		return works.Load(best)
	})
	if p == nil {
		return proof{}, false
	}
	high := works.Load(b.best[0].Throughput)
	low := p.relax.ascend(high)
	if l, ok := newAssignment(s, works, p.relax, high).solve(); ok && low < high {
		low = math.Max(low, math.Min(high, l*high))
	}
	result := proof{bound: works.Throughput(math.Min(low, high)), optimal: low >= high*(1-sameLoad)}
	if result.optimal || nodes == 0 {
		return result, true
	}
	for above := high; above-low > fillingGap*above && ctx.Err() == nil; { // whole kernels may say more than pieces
		if middle := low + (above-low)/2; p.relax.refutes(middle) {
			low = middle
		} else {
			above = middle
		}
	}
	const halvings = 4
	target, limit := high, nodes/2
	for range halvings {
		known := p.below(target, limit)
		result.nodes += p.nodes
		switch {
		case known && exact && (p.better || target == high):
			result.bound, result.optimal = works.Throughput(p.target), true
			return result, true
		case known && exact:
			low = target
		case p.better:
			high = p.target
		default:
			high = target
		}
		target, limit = low+(high-low)/2, nodes/(2*halvings)
		if ctx.Err() != nil {
			break
		}
	}
	result.bound = works.Throughput(low)
	return result, true
}

// bestRoutes tries the ways to route the edges of the scorer's placement, and enters what is
// good enough. all is false where there are too many.
func (s *space) bestRoutes(scorer *flow.Scorer, b *board) (best float64, all bool) {
	tried := 0
	all = eachRoute(scorer, len(s.problem.Application.Edges), func() bool {
		throughput := scorer.Throughput()
		b.offer(scorer, throughput, 0)
		best = math.Max(best, throughput)
		tried++
		return tried < mostWays
	})
	return best, all
}

// prover places units one after the other, and goes back where no completion can have its
// greatest load below a target: where a resource or link has as much already, or where the
// relaxation of what is still to be placed says so. Of interchangeable resources that hold
// nothing only the first is tried, so that 12 equal cores do not cost 12!.
type prover struct {
	*space
	ctx    context.Context
	works  flow.Works
	relax  *relaxation
	found  func(at []int) float64 // takes in a mapping, and returns its greatest load
	target float64
	nodes  uint64
	limit  uint64
	out    bool // the limit was reached
	better bool // a mapping below the target was found

	order    []int     // units, the greatest first
	at       []int     // resource of each unit, -1 for none yet
	units    []int     // units on each resource
	incident [][]int   // edges of each kernel
	rest     []float64 // price of the units from each place in order on
	time     float64   // Σ u_c m_c
	spare    float64

	sum, most, shared, ends []float64 // of each resource
	count                   []float64 // kernels there
	used                    []flow.Area
	link, linkMost, crossed []float64 // of each link: in all, the most of one edge, edges
	journal                 []changed
}

// changed is a number that was overwritten.
type changed struct {
	at  *float64
	old float64
}

// newProver is nil where nothing can be proven: several free sources, or costs below 0.
func newProver(ctx context.Context, s *space, scorer *flow.Scorer, found func(at []int) float64) *prover {
	works := scorer.Works(0)
	relax, ok := newRelaxation(s, works)
	if !ok {
		return nil
	}
	n, links := len(s.class), len(s.problem.Architecture.Links)
	p := &prover{space: s, ctx: ctx, works: works, relax: relax, found: found, at: make([]int, len(s.units)), units: make([]int, n),
		sum: make([]float64, n), most: make([]float64, n), shared: make([]float64, n), ends: make([]float64, n), count: make([]float64, n), used: make([]flow.Area, n),
		link: make([]float64, links), linkMost: make([]float64, links), crossed: make([]float64, links), rest: make([]float64, len(s.units)+1)}
	p.incident = make([][]int, len(s.unitOf))
	for e, edge := range s.problem.Application.Edges {
		p.incident[edge.From] = append(p.incident[edge.From], e)
		if edge.To != edge.From {
			p.incident[edge.To] = append(p.incident[edge.To], e)
		}
	}
	for u := range s.units {
		p.at[u] = -1
		p.order = append(p.order, u)
	}
	least := func(u int) float64 {
		w := math.Inf(1)
		for _, x := range relax.work[u] {
			w = math.Min(w, x)
		}
		return w
	}
	slices.SortStableFunc(p.order, func(a, b int) int { return cmp.Compare(least(b), least(a)) })
	return p
}

// below looks for a mapping whose greatest load is below a target. It returns whether the
// answer is known: there is none, or better ones were found and there is none below the best
// of them, which target then is.
func (p *prover) below(target float64, limit uint64) bool {
	p.target, p.limit, p.nodes, p.out, p.better = target, limit, 0, false, false
	if v := p.relax.ascend(target); v >= target*(1-sameLoad) {
		return true
	}
	p.price()
	p.place(0)
	return !p.out
}

// price prepares the bound of what is still to be placed.
func (p *prover) price() {
	p.time, p.spare = p.relax.whole()
	for i := len(p.order) - 1; i >= 0; i-- {
		least, _ := p.relax.cheapest(p.order[i], p.target)
		p.rest[i] = p.rest[i+1] + least
	}
}

// load is what a resource has so far, at least.
func (p *prover) load(r int) float64 {
	switch p.problem.Architecture.Resources[r].Sharing.Rule {
	case flow.Conserving:
		l := p.sum[r] + p.ends[r]
		if p.count[r] > 1 {
			l += p.shared[r]
		}
		return l
	case flow.Equal:
		return p.most[r] * p.count[r]
	}
	return p.most[r]
}

// dual is the relaxation's bound with what has been placed.
func (p *prover) dual(next int) float64 {
	if p.time == 0 {
		return 0
	}
	sum := p.rest[next] - p.spare
	for r, c := range p.relax.of {
		switch {
		case p.units[r] == 0:
		case !p.relax.timed[c]:
			sum += weigh(&p.relax.price[c], &p.used[r])
			continue
		case p.problem.Architecture.Resources[r].Sharing.Rule == flow.Conserving:
			sum += p.relax.time[c] * p.load(r)
		default: // n times the greatest is the sum at least
			sum += p.relax.time[c] * p.sum[r]
		}
		if p.relax.timed[c] {
			sum += p.relax.price[c][0] * float64(p.units[r])
		}
	}
	return sum / p.time
}

// place places the units from a place in order on.
func (p *prover) place(i int) {
	p.nodes++
	if p.nodes >= p.limit || p.nodes%proofLook == 0 && p.ctx.Err() != nil {
		p.out = true
		return
	}
	if i == len(p.order) {
		if l := p.found(p.at); l < p.target*(1-sameLoad) {
			p.target, p.better = l, true
			p.price()
		}
		return
	}
	u := p.order[i]
	type choice struct {
		r    int
		load float64
	}
	var room [64]choice
	choices := room[:0]
	for _, r := range p.allowed[u] {
		if p.units[r] == 0 && r != p.firstEmpty(p.units, r) || p.clashes(u, r) {
			continue
		}
		mark := len(p.journal)
		if fits := p.put(u, r); fits {
			if l := p.load(r); l < p.target*(1-sameLoad) && p.linksBelow() && p.dual(i+1) < p.target*(1-sameLoad) {
				choices = append(choices, choice{r, l})
			}
		}
		p.take(u, r, mark)
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(a.load, b.load) })
	for _, c := range choices {
		mark := len(p.journal)
		p.put(u, c.r)
		if p.load(c.r) < p.target*(1-sameLoad) { // the target may have become lower
			p.place(i + 1)
		}
		p.take(u, c.r, mark)
		if p.out {
			return
		}
	}
}

func (p *prover) clashes(u, r int) bool {
	for _, v := range p.apart[u] {
		if p.at[v] == r {
			return true
		}
	}
	return false
}

func (p *prover) linksBelow() bool {
	for l := range p.link {
		load := p.link[l]
		if p.problem.Architecture.Links[l].Sharing.Rule == flow.Equal {
			load = p.linkMost[l] * p.crossed[l]
		}
		if load >= p.target*(1-sameLoad) {
			return false
		}
	}
	for r := range p.ends { // ends may have been added elsewhere
		if p.units[r] > 0 && p.load(r) >= p.target*(1-sameLoad) {
			return false
		}
	}
	return true
}

func (p *prover) set(at *float64, v float64) {
	p.journal = append(p.journal, changed{at, *at})
	*at = v
}

// put places a unit; it returns whether that can be: its area fits, and its edges have a
// way. What it changes take takes back.
func (p *prover) put(u, r int) bool {
	p.at[u] = r
	p.units[r]++
	fits := true
	for _, k := range p.space.units[u] {
		alone, shared := p.works.Kernel(k, r)
		p.set(&p.sum[r], p.sum[r]+alone)
		p.set(&p.most[r], math.Max(p.most[r], alone))
		p.set(&p.shared[r], p.shared[r]+shared)
		p.set(&p.count[r], p.count[r]+1)
		if p.problem.Architecture.Resources[r].Sharing.Rule == flow.AreaOnly {
			for kind, a := range &p.problem.Figures[k][r].Area {
				p.set(&p.used[r][kind], p.used[r][kind]+a)
				fits = fits && p.used[r][kind] <= p.problem.Architecture.Resources[r].Area[kind]*(1+sameLoad)
			}
		}
	}
	for _, k := range p.space.units[u] {
		for _, e := range p.incident[k] {
			edge := &p.problem.Application.Edges[e]
			other := edge.To
			if other == k {
				other = edge.From
			}
			q := p.at[p.unitOf[other]]
			if q < 0 || q == r {
				continue
			}
			p.set(&p.ends[r], p.ends[r]+p.works.End(e, k, r))
			p.set(&p.ends[q], p.ends[q]+p.works.End(e, other, q))
			ways := p.routes.Between(p.at[p.unitOf[edge.From]], p.at[p.unitOf[edge.To]])
			if len(ways) == 0 {
				fits = false
			}
			if len(ways) == 1 { // of several, any may be taken
				for _, l := range ways[0] {
					w := p.works.Link(e, l)
					p.set(&p.link[l], p.link[l]+w)
					p.set(&p.linkMost[l], math.Max(p.linkMost[l], w))
					p.set(&p.crossed[l], p.crossed[l]+1)
				}
			}
		}
	}
	return fits
}

// take takes a unit back, with all that has been overwritten since the mark.
func (p *prover) take(u, r, mark int) {
	for i := len(p.journal) - 1; i >= mark; i-- {
		*p.journal[i].at = p.journal[i].old
	}
	p.journal = p.journal[:mark]
	p.units[r]--
	p.at[u] = -1
}
