package mapper

import (
	"context"
	"math"

	"xopt/flow"
	"xopt/mapper/cutbound"
)

// proof looks for what is better than the best in an incumbent pool, enters it, and tells how good any
// mapping can be: by the relaxation, then by branch and bound at the best, and, where that
// takes long, halfway between it and the relaxation, and so on. It can be stopped at any node
// and go on later, at a better best.
type proof struct {
	space  *space
	scorer *flow.Scorer // its own
	pool   *incumbentPool
	tally  *tally
	works  flow.LoadCoefficients
	many   bool // several free sources: loads are at a throughput of at.Unit
	main   *tree
	side   *tree            // nil while it does not search
	cut    *cutbound.Search // nil before its first turn
	// problem is that of the cut bound, and kinds the kind in it of each class of resources.
	problem *cutbound.Problem
	kinds   []int
	threads int     // for the cut bound
	gap     float64 // that is enough; 0 for none
	// uncounted is that what the cut bound works out does not count as nodes.
	uncounted bool
	at        proofCourse
	saved     *proofCourse
}

// proofCourse is where a proof is, as plain data.
type proofCourse struct {
	Begun   bool       `json:"begun"`
	Filled  bool       `json:"filled"`  // the bin-packing bound was sought
	Low     exact      `json:"low"`     // no mapping has its greatest load below that
	High    exact      `json:"high"`    // of the interval that is halved
	Unit    exact      `json:"unit"`    // with several free sources: the throughput at which a greatest load is 1
	Halved  int        `json:"halved"`  // how often
	Partial bool       `json:"partial"` // a placement had too many ways to route its edges
	Done    bool       `json:"done"`    // there is no more to be learnt
	Optimal bool       `json:"optimal"`
	Cut     cutCourse  `json:"cut"`
	Main    *treeState `json:"main,omitempty"`
	Side    *treeState `json:"side,omitempty"`
}

// defaultProofNodes is how many partial mappings the proof after a search looks at.
const defaultProofNodes = 10_000_000

// halvings is how often the interval between the bound and the best is halved, with
// 1/halvingPart of the nodes that were spent at the best before.
const (
	halvings     = 4
	halvingPart  = 4
	halvingNodes = defaultProofNodes / 2 / halvingPart
)

// sameLoad is how close, relatively, two loads must be to count as equal.
const sameLoad = 1e-9

// fillingGap is how near to each other, relatively, the loads are between which the second
// bound is sought.
const fillingGap = 2e-3

// newProof is nil where a goal has no bound: of several objectives, or of another than
// throughput.
func newProof(s *space, scorer *flow.Scorer, b *incumbentPool, t *tally, o *Options) *proof {
	if b.goal.Several() || b.goal.First() != Throughput {
		return nil
	}
	return &proof{space: s, scorer: scorer.Clone(), pool: b, tally: t, works: scorer.LoadCoefficients(0),
		many: scorer.FreeSources() > 1, threads: o.Threads, gap: o.Gap}
}

// begin finds the bound of the relaxation; it needs a mapping in the incumbent pool.
func (p *proof) begin(ctx context.Context) {
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

// newTree is nil where nothing can be proven.
func (p *proof) newTree() *tree { return newTree(p.space, p.scorer, float64(p.at.Unit), p.found) }

// load is the greatest load of a mapping of some throughput.
func (p *proof) load(throughput float64) float64 {
	if p.many {
		return float64(p.at.Unit) / throughput
	}
	return p.works.Load(throughput)
}

// throughput is that of a mapping whose greatest load is that.
func (p *proof) throughput(load float64) float64 {
	if p.many {
		return float64(p.at.Unit) / load
	}
	return p.works.Throughput(load)
}

// high is the greatest load of the best mapping.
func (p *proof) high() float64 { return p.load(p.pool.best[0].Throughput) }

// closes reports whether no mapping is better than the best in the incumbent pool.
func (p *proof) closes(ctx context.Context) bool {
	if len(p.pool.best) == 0 {
		return false
	}
	p.begin(ctx)
	switch {
	case p.at.Optimal:
	case p.at.Low > 0:
		p.at.Optimal = float64(p.at.Low) >= p.high()*(1-sameLoad) || p.cutCloses()
	}
	return p.at.Optimal
}

// enough reports whether the best is as near to the bound as was asked for.
func (p *proof) enough() bool {
	return p.gap > 0 && len(p.pool.best) > 0 && p.bound() > 0 && p.bound() <= p.pool.best[0].Throughput*(1+p.gap)
}

// ends reports whether there is nothing left to be proven.
func (p *proof) ends(ctx context.Context) bool { return p.closes(ctx) || p.enough() }

// bound is a throughput that no mapping exceeds; 0 where none is known.
func (p *proof) bound() float64 {
	if !p.at.Begun || len(p.pool.best) == 0 {
		return 0
	}
	best := p.pool.best[0].Throughput
	switch {
	case p.at.Optimal && !p.at.Cut.Closed:
		return best
	case p.at.Low > 0:
		return math.Max(best, p.throughput(math.Min(float64(p.at.Low), p.high())))
	}
	return 0
}

// branches reports whether branch and bound can tell more. It knows of no limits but that on
// throughput.
func (p *proof) branches() bool {
	return !p.at.Done && !p.at.Optimal && p.pool.goal.Plain()
}

// run goes on with branch and bound until so many nodes were looked at in all, or mark says
// that it has to stop, which it then reports. mark is called wherever it could go on later.
func (p *proof) run(ctx context.Context, mark func() bool, until uint64) (stopped bool) {
	p.saved = nil
	defer p.tell()
	look := mark
	mark = func() bool {
		p.saved = nil // the trees have moved
		return look()
	}
	if p.ends(ctx) || !p.branches() {
		return false
	}
	p.fill(ctx)
	p.tell()
	high := p.high()
	if p.main.begun && high < p.main.target {
		p.main.lower(high)
	}
	for p.branches() && p.tally.nodes < until {
		if p.cuts() {
			if !p.cutStep(ctx) || mark() {
				return true
			}
			if p.ends(ctx) {
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
		most := until
		if left := uint64(defaultProofNodes / 2); p.at.Halved < halvings && p.main.nodes < left {
			most = min(until, p.tally.nodes+left-p.main.nodes)
		}
		if owes := p.cutOwes(); !p.at.Cut.Done && owes > 0 {
			most = min(most, p.tally.nodes+owes)
		}
		if !p.main.begun {
			if !p.tally.room(uint64(len(p.space.class))) {
				mark()
				return true
			}
			p.main.begin(ctx, p.high())
			p.tally.nodes += p.main.nodes
		}
		if p.main.run(p.tally, mark, most) {
			p.at.Done, p.at.Optimal = true, !p.at.Partial
			return false
		}
		if p.tally.nodes < most {
			return true
		}
	}
	return false
}

// tell has Progress show the bound.
func (p *proof) tell() { p.tally.shared.bound.Store(math.Float64bits(p.bound())) }

// fill finds the bound of whole kernels, which may say more than that of pieces.
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

// halve looks halfway between the bound and the best for a mapping. It returns false when it
// has to stop before that is done.
func (p *proof) halve(ctx context.Context, mark func() bool, until uint64) bool {
	if p.side == nil {
		if p.side = p.newTree(); p.side == nil {
			p.at.Halved = halvings
			return true
		}
	}
	if !p.side.begun {
		if !p.tally.room(uint64(len(p.space.class))) {
			mark()
			return false
		}
		if high := exact(p.high()); p.at.Halved == 0 || high < p.at.High {
			p.at.High = high
		}
		p.side.begin(ctx, float64(p.at.Low+(p.at.High-p.at.Low)/2))
		p.tally.nodes += p.side.nodes
	}
	target := exact(p.side.start)
	budget := uint64(halvingNodes)
	most := p.tally.nodes
	if p.side.nodes < budget {
		most += budget - p.side.nodes
	}
	known := p.side.run(p.tally, mark, min(most, until))
	if !known && p.tally.nodes < most {
		return false
	}
	switch {
	case known && !p.at.Partial && p.side.better:
		p.at.Optimal = true
	case known && !p.at.Partial:
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

// found takes in a placement that branch and bound has come to, and returns its greatest load.
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
	load, whole := w.try(t.target)
	p.at.Partial = p.at.Partial || !whole
	p.scorer.Commit()
	return load
}

// course is where the proof is; a copy that nobody changes.
func (p *proof) course() *proofCourse {
	if p.saved == nil || p.saved.Optimal != p.at.Optimal || p.saved.Begun != p.at.Begun {
		c := p.at
		c.Main, c.Side = p.main.state(), p.side.state()
		p.saved = &c
	}
	return p.saved
}

// resume goes to where another proof of the same problem was. It reports whether it could be
// of this problem.
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
	ok := p.main.resume(c.Main)
	if c.Side != nil {
		p.side = p.newTree()
		ok = ok && p.side.resume(c.Side)
	}
	return ok
}
