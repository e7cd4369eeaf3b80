package mapper

import (
	"context"
	"math"

	"xopt/flow"
	"xopt/mapper/cutbound"
)

// proof improves the bound on all mappings, and adds better mappings to the incumbent pool. It starts with the
// relaxation. Branch and bound then searches for mappings with a smaller maximum load than the best mapping. If this
// takes a long time, the proof bisects the interval between the relaxation's bound and the best mapping. A proof can
// stop at any node, and resume with a better incumbent.
type proof struct {
	space  *space
	scorer *flow.Scorer // not shared with a chain
	pool   *incumbentPool
	tally  *tally
	works  flow.LoadCoefficients
	many   bool // several free sources: loads are for a throughput of at.Unit
	main   *tree
	side   *tree            // nil while no search is active
	cut    *cutbound.Search // nil before its first step
	// problem is the cut bound's problem. kinds contains the problem's kind of each class of resources.
	problem *cutbound.Problem
	kinds   []int
	threads int     // number of threads of the cut bound
	gap     float64 // requested gap; 0 for none
	grid    multiples
	leaving *leaving // nil for none
	// uncounted reports that the cut bound's work does not count as nodes.
	uncounted bool
	at        proofCourse
	saved     *proofCourse
}

// proofCourse is the resumable state of a proof, as plain data.
type proofCourse struct {
	Begun   bool       `json:"begun"`
	Filled  bool       `json:"filled"`  // the search for the bin-packing bound is complete
	Merged  exact      `json:"merged"`  // units that no mapping below this load separates are one unit; 0 for none
	Low     exact      `json:"low"`     // lower bound on the maximum load of any mapping
	High    exact      `json:"high"`    // upper end of the bisected interval
	Unit    exact      `json:"unit"`    // throughput at a maximum load of 1, for several free sources
	Halved  int        `json:"halved"`  // number of halvings
	Partial bool       `json:"partial"` // a placement had too many combinations of routes
	Done    bool       `json:"done"`    // the proof cannot be improved
	Optimal bool       `json:"optimal"`
	Cut     cutCourse  `json:"cut"`
	Main    *treeState `json:"main,omitempty"`
	Side    *treeState `json:"side,omitempty"`
}

// defaultProofNodes is the number of partial mappings that the proof after a search visits by default.
const defaultProofNodes = 10_000_000

// halvings is the number of bisections of the interval between the bound and the best mapping. Each bisection visits at
// most 1/halvingPart of the number of nodes that the main tree visits before the first bisection.
const (
	halvings     = 4
	halvingPart  = 4
	halvingNodes = defaultProofNodes / 2 / halvingPart
)

// sameLoad is the relative difference below which two loads count as equal.
const sameLoad = 1e-9

// fillingGap is the relative width of the interval at which the bisection for the packing bound ends.
const fillingGap = 2e-3

// newProof returns a proof; nil if throughput is not the only objective, because the bound then does not apply.
func newProof(s *space, scorer *flow.Scorer, b *incumbentPool, t *tally, o *Options) *proof {
	if b.goal.Several() || b.goal.First() != Throughput {
		return nil
	}
	works := scorer.LoadCoefficients(0)
	return &proof{space: s, scorer: scorer.Clone(), pool: b, tally: t, works: works,
		many: scorer.FreeSources() > 1, threads: o.Threads, gap: o.Gap, grid: newMultiples(s, scorer, works)}
}

// start computes the relaxation's bound. It does nothing if the incumbent pool is empty.
func (p *proof) start(ctx context.Context) {
	if p.at.Begun || len(p.pool.best) == 0 {
		return
	}
	p.at.Begun, p.at.Unit = true, exact(p.pool.best[0].Throughput)
	if p.main = p.newTree(); p.main == nil {
		p.at.Done = true // costs below 0
		return
	}
	high := p.high()
	low := p.main.ascend(ctx, high)
	if p.many {
		p.at.Low = exact(math.Min(low, high))
		return
	}

	if b := p.scorer.CycleBound(); !math.IsInf(b, 1) {
		low = math.Max(low, p.works.Load(b))
	}
	p.at.Low = exact(math.Min(low, high))
}

// newTree returns a tree for branch and bound; nil if its bounds would be invalid.
func (p *proof) newTree() *tree {
	t := newTree(p.space, p.scorer, float64(p.at.Unit), p.found)
	if t != nil {
		t.leaving = p.leaving
	}
	return t
}

// load converts a mapping's throughput to its maximum load.
func (p *proof) load(throughput float64) float64 {
	if p.many {
		return float64(p.at.Unit) / throughput
	}
	return p.works.Load(throughput)
}

// throughput converts a maximum load to the throughput of its mapping.
func (p *proof) throughput(load float64) float64 {
	if p.many {
		return float64(p.at.Unit) / load
	}
	return p.works.Throughput(load)
}

// high returns the maximum load of the best mapping.
func (p *proof) high() float64 { return p.load(p.pool.best[0].Throughput) }

// closes reports whether the best mapping in the incumbent pool is proven optimal.
func (p *proof) closes(ctx context.Context) bool {
	if len(p.pool.best) == 0 {
		return false
	}
	p.start(ctx)
	switch {
	case p.at.Optimal:
	case p.at.Low > 0:
		p.at.Optimal = p.low() >= p.high()*(1-sameLoad) || p.cutCloses()
	}
	return p.at.Optimal
}

// enough reports whether the requested gap is reached.
func (p *proof) enough() bool {
	return p.gap > 0 && len(p.pool.best) > 0 && p.bound() > 0 && p.bound() <= p.pool.best[0].Throughput*(1+p.gap)
}

// isDone reports whether the proof is complete, or the requested gap is reached.
func (p *proof) isDone(ctx context.Context) bool { return p.closes(ctx) || p.enough() }

// bound returns an upper bound on the throughput of any mapping, in bytes/s; 0 if none is known.
func (p *proof) bound() float64 {
	if !p.at.Begun || len(p.pool.best) == 0 {
		return 0
	}
	best := p.pool.best[0].Throughput
	switch {
	case p.at.Optimal && !p.at.Cut.Closed:
		return best
	case p.at.Low > 0:
		return math.Max(best, p.throughput(math.Min(p.low(), p.high())))
	}
	return 0
}

// low returns a lower bound on the maximum load of any mapping, rounded up to a possible load.
func (p *proof) low() float64 { return p.grid.above(float64(p.at.Low)) }

// branches reports whether branch and bound can still improve the result. Branch and bound supports only goals without
// limits.
func (p *proof) branches() bool {
	return !p.at.Done && !p.at.Optimal && p.pool.goal.Plain()
}

// run continues branch and bound until the number of nodes in the tally reaches until, or until mark requests a stop.
// It reports whether it was stopped. It calls mark at each point at which the proof can be resumed.
func (p *proof) run(ctx context.Context, mark func() bool, until uint64) (stopped bool) {
	p.saved = nil
	defer p.publishBound()
	look := mark
	mark = func() bool {
		p.saved = nil // some trees have advanced
		return look()
	}
	if p.isDone(ctx) || !p.branches() {
		return false
	}
	if p.at.Merged == 0 && !p.at.Filled && !p.merge(p.high()) {
		p.at.Optimal = true
		return false
	}
	p.fill(ctx)
	p.publishBound()
	high := p.high()
	if p.main.begun && high < p.main.target {
		p.main.lower(high)
	}
	for p.branches() && p.tally.nodes < until {
		if p.cuts() {
			if !p.cutStep(ctx) || mark() {
				return true
			}
			if p.isDone(ctx) {
				return false
			}
			if high := p.high(); high < p.main.target {
				p.main.lower(high)
			}
			continue
		}
		if p.main.begun && p.main.nodes >= defaultProofNodes/2 && p.at.Halved < halvings {
			if !p.halve(ctx, mark, until) {
				return p.tally.nodes < until
			}
			continue
		}
		maximum := until
		if left := uint64(defaultProofNodes / 2); p.at.Halved < halvings && p.main.nodes < left {
			maximum = min(until, p.tally.nodes+left-p.main.nodes)
		}
		if owes := p.nodesBeforeCut(); !p.at.Cut.Done && owes > 0 {
			maximum = min(maximum, p.tally.nodes+owes)
		}
		if !p.main.begun {
			if !p.tally.hasEvals(uint64(len(p.space.class))) {
				mark()
				return true
			}
			p.main.reset(ctx, p.high())
			p.tally.nodes += p.main.nodes
		}
		if p.main.run(p.tally, mark, maximum) {
			p.at.Done, p.at.Optimal = true, !p.at.Partial
			return false
		}
		if p.tally.nodes < maximum {
			return true
		}
	}
	return false
}

// publishBound publishes the bound for progress reports.
func (p *proof) publishBound() { p.tally.shared.bound.Store(math.Float64bits(p.bound())) }

// mergeColumns is the maximum number of units plus edges, because the search for inseparable units needs quadratic
// time.
const mergeColumns = 4000

// merge combines units into one unit if no mapping with at most the given maximum load separates them. It returns false
// if no such mapping exists.
func (p *proof) merge(load float64) (possible bool) {
	if p.at.Merged = exact(load); p.many || len(p.space.units)+len(p.space.problem.Application.Edges) > mergeColumns {
		return true
	}
	problem, _ := fullCutProblem(p.space, onlyMix(p.works), p.main.relax, load)
	if problem == nil {
		return true
	}
	merged, possible := p.space.merged(problem.Inseparable(cutbound.One))
	if merged != nil {
		p.space, p.grid = merged, newMultiples(merged, p.scorer, p.works)
		p.main = p.newTree()
		problem, _ = fullCutProblem(merged, onlyMix(p.works), p.main.relax, load)
	}
	p.leaving = newLeaving(problem, load, len(p.space.class))
	p.main.leaving = p.leaving
	return possible
}

// fill computes the packing bound by bisection. Because this bound does not split kernels, it may be better than the
// relaxation's bound.
func (p *proof) fill(ctx context.Context) {
	if p.at.Filled || p.many {
		return
	}
	low, above := float64(p.at.Low), p.high()
	for above-low > fillingGap*above && ctx.Err() == nil {
		if middle := low + (above-low)/2; p.main.relax.refutes(ctx, middle) {
			low = middle
		} else {
			above = middle
		}
	}
	if ctx.Err() == nil {
		p.at.Low, p.at.Filled = exact(low), true
	}
}

// halve searches for a mapping with a maximum load below the middle between the bound and the best mapping. It returns
// false if it was stopped.
func (p *proof) halve(ctx context.Context, mark func() bool, until uint64) bool {
	if p.side == nil {
		if p.side = p.newTree(); p.side == nil {
			p.at.Halved = halvings
			return true
		}
	}
	if !p.side.begun {
		if !p.tally.hasEvals(uint64(len(p.space.class))) {
			mark()
			return false
		}
		if high := exact(p.high()); p.at.Halved == 0 || high < p.at.High {
			p.at.High = high
		}
		p.side.reset(ctx, float64(p.at.Low+(p.at.High-p.at.Low)/2))
		p.tally.nodes += p.side.nodes
	}
	target := exact(p.side.start)
	budget := uint64(halvingNodes)
	maximum := p.tally.nodes
	if p.side.nodes < budget {
		maximum += budget - p.side.nodes
	}
	isKnown := p.side.run(p.tally, mark, min(maximum, until))
	if !isKnown && p.tally.nodes < maximum {
		return false
	}
	switch {
	case isKnown && !p.at.Partial && p.side.better:
		p.at.Optimal = true
	case isKnown && !p.at.Partial:
		p.at.Low = max(p.at.Low, target)
	case p.side.better:
		p.at.High = exact(p.side.target)
	default:
		p.at.High = target
	}
	if p.side.better && p.side.target < p.main.target {
		p.main.lower(p.side.target)
	}
	p.side.begun = false
	p.at.Halved++
	if p.at.Halved == halvings {
		p.side = nil
	}
	return true
}

// found adds a complete placement of branch and bound to the incumbent pool if it is good enough, and returns its
// maximum load.
func (p *proof) found(t *tree) float64 {
	for u, r := range t.at {
		for _, k := range p.space.units[u] {
			p.scorer.Move(k, r)
		}
	}
	left := func() bool { return p.tally.limit == 0 || p.tally.work() < p.tally.limit }
	w := ways{t: t, reroute: p.scorer.Reroute, more: left, score: func() float64 {
		throughput := p.scorer.Throughput()
		p.tally.evals++
		if throughput > p.tally.best*(1+sameThroughput) {
			p.tally.rose(throughput, 0)
		}
		p.pool.propose(p.scorer, throughput, 0)
		if throughput == 0 {
			return math.Inf(1)
		}
		return p.load(throughput)
	}}
	load, complete := w.try(t.target)
	p.at.Partial = p.at.Partial || !complete
	p.scorer.Commit()
	return load
}

// course returns an immutable copy of the proof's state.
func (p *proof) course() *proofCourse {
	if p.saved == nil || p.saved.Optimal != p.at.Optimal || p.saved.Begun != p.at.Begun {
		c := p.at
		c.Main, c.Side = p.main.state(), p.side.state()
		p.saved = &c
	}
	return p.saved
}

// resume restores the state of an earlier proof of the same problem. It reports whether the state fits this problem.
func (p *proof) resume(c *proofCourse) bool {
	if c == nil {
		return true
	}
	p.at = *c
	p.at.Main, p.at.Side = nil, nil
	if !c.Begun {
		return true
	}
	if p.many && (!(c.Unit > 0) || !validRanges(c.Cut.Ranges, p.scorer.FreeSources())) {
		return false
	}
	p.main = p.newTree()
	if p.main == nil {
		return p.at.Done
	}
	if c.Merged > 0 && !p.merge(float64(c.Merged)) {
		return c.Optimal
	}
	ok := p.main.resume(c.Main)
	if c.Side != nil {
		p.side = p.newTree()
		ok = ok && p.side.resume(c.Side)
	}
	return ok
}
