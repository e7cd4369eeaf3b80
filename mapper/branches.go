package mapper

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"xopt/flow"
)

// Branches are what branch and bound has still to look at, as plain data, so that several processes can share it in
// rounds: each looks at so many partial mappings of its share, then all that is left is dealt anew, with the best
// mapping that any of them has found. What comes out depends on the number of shares and the length of a round, and
// not on where and how fast a share is looked at.
type Branches struct {
	Best StateMapping `json:"best"` // known so far; what is not better is left out
	// Open are partial mappings: the resources of the first units in the order of the search. They are looked at
	// from the first on.
	Open    [][]int `json:"open"`
	Bound   exact   `json:"bound"`             // a throughput that no mapping exceeds; 0 where none is known
	Partial bool    `json:"partial,omitempty"` // a placement had too many ways to route its edges: nothing is proven
	Evals   uint64  `json:"evals"`             // mappings scored, of this share in this round,
	Nodes   uint64  `json:"nodes"`             // and partial ones looked at
	// The multipliers of the relaxation, and the load that they were found at.
	Start exact     `json:"start"`
	Unit  exact     `json:"unit"` // with several free sources: the throughput at which a greatest load is 1
	Time  []exact   `json:"time"`
	Price [][]exact `json:"price"`
	// Low is a load below which no mapping has its greatest, and Near that the best is no more than two millionths
	// above what the bound of links excludes.
	Low  exact `json:"low,omitempty"`
	Near bool  `json:"near,omitempty"`
	// Cut is where the bound of links is; one share goes on with it. Rounds is how often shares were dealt.
	Cut    *cutCourse `json:"cut,omitempty"`
	Rounds uint64     `json:"rounds,omitempty"`
}

// BeginBranches searches as Exact does, and returns what it leaves open; nil where there is nothing more to be found.
// Options.MaxEvals must be set, and what Options.Checkpoint is given is to be resumed by BeginBranches.
func BeginBranches(ctx context.Context, p *flow.Problem, c *flow.Constraints, o Options) (*Result, *Branches, error) {
	o.Method, o.Threads = Exact, 1
	var last *State
	kept := o.Checkpoint
	o.Checkpoint = func(s *State) {
		if last = s; kept != nil {
			kept(s)
		}
	}
	result, err := Search(ctx, p, c, o)
	if err != nil || result.Optimal() || result.Status == Interrupted {
		return result, nil, err
	}
	var proof *proofCourse
	if last != nil && len(last.Chains) > 0 {
		proof = last.Chains[0].Course.Proof
	}
	if proof == nil || proof.Main == nil || !proof.Main.Begun {
		return nil, nil, errors.New("the limit on evaluations is too low for branch and bound to begin: raise it")
	}
	main := proof.Main
	b := &Branches{Best: result.Candidates[0].Kept(), Open: main.open(), Partial: proof.Partial,
		Bound: exact(result.Bound), Unit: proof.Unit, Start: main.Start, Time: main.Time, Price: main.Price,
		Low: proof.Low}
	if cut := proof.Cut; !cut.Done {
		cut.Work = 0 // of the rounds
		b.Cut = &cut
	}
	return result, b, nil
}

// open lists the partial mappings that a tree has still to look at, in its order: the deepest first.
func (s *treeState) open() [][]int {
	var above []int
	var list [][]int
	for i := range s.Levels {
		l := &s.Levels[i]
		for j := len(l.Choices) - 1; j >= l.Tried; j-- { // turned round below
			list = append(list, append(slices.Clone(above), l.Choices[j]))
		}
		if l.Tried == 0 {
			break // nothing is below
		}
		above = append(above, l.Choices[l.Tried-1])
	}
	slices.Reverse(list)
	return list
}

// brancher looks at shares of one problem.
type brancher struct {
	proof *proof
	chain *chain // to score mappings
	tree  *tree
}

// newBrancher prepares branch and bound with multipliers that were found before.
func newBrancher(p *flow.Problem, c *flow.Constraints, b *Branches) (*brancher, error) {
	r, scorer, err := newRunner(p, c, Options{Method: Exact, Top: 1, Threads: 1})
	if err != nil {
		return nil, err
	}
	t := tally{shared: &r.counters, start: time.Now()}
	x := &brancher{chain: newChain(r.space, scorer.Clone(), r.flows, &r.options.Goal, 1, 0, 0, t)}
	best, err := r.candidate(&b.Best, x.chain)
	if err != nil {
		return nil, err
	}
	x.chain.pool.best = []Candidate{*best}
	x.chain.tally.best = best.Throughput
	x.proof = newProof(r.space, scorer, &x.chain.pool, &x.chain.tally, &r.options)
	if x.proof == nil {
		return nil, damaged("branch and bound is not for this problem")
	}
	x.proof.at.Partial, x.proof.at.Unit, x.proof.at.Low, x.proof.at.Begun = b.Partial, b.Unit, b.Low, true
	x.tree = x.proof.newTree()
	if x.tree == nil || !x.tree.resume(&treeState{Begun: true, Start: b.Start, Target: exact(x.proof.high()),
		Time: b.Time, Price: b.Price}) {
		return nil, damaged("branch and bound is not for this problem")
	}
	return x, nil
}

// enter goes to a partial mapping that was not looked at: what is above it has no other choices. It reports whether
// it is one of this problem.
func (t *tree) enter(path []int) bool {
	if len(path) == 0 || len(path) > len(t.order) {
		return false
	}
	for i, r := range path {
		if !slices.Contains(t.allowed[t.order[i]], r) {
			return false
		}
		l := &t.levels[i]
		l.choices, l.next, l.placed = append(l.choices[:0], choice{r: r}), 0, false
		t.depth++
		if i < len(path)-1 {
			t.replace(i, r)
			l.next = 1
		}
	}
	return true
}

// leave goes back to where nothing is placed.
func (t *tree) leave() {
	for t.depth > 0 {
		t.pop()
	}
}

// closed reports whether the bounds say that there is nothing better.
func (b *Branches) closed() bool {
	return b.Near || b.Bound > 0 && b.Best.Throughput >= b.Bound*(1-sameLoad)
}

// Learn takes in what another share knows of all mappings.
func (b *Branches) Learn(x *Branches) {
	if x.Best.Throughput > b.Best.Throughput {
		b.Best = x.Best
	}
	if x.Bound > 0 && (b.Bound == 0 || x.Bound < b.Bound) {
		b.Bound = x.Bound
	}
	if x.Cut != nil {
		b.Cut = x.Cut
	}
	b.Low, b.Partial, b.Near = max(b.Low, x.Low), b.Partial || x.Partial, b.Near || x.Near
}

// shareParts is how many partial mappings are dealt to each share at least, where there are so many.
const shareParts = 8

// Deal returns a share, numbered from 0, of what the shares of the round before have left, or what the beginning has.
func Deal(p *flow.Problem, c *flow.Constraints, left []*Branches, share, shares int) (*Branches, error) {
	all := *left[0]
	all.Open, all.Evals, all.Nodes = nil, 0, 0
	all.Rounds++
	for _, b := range left {
		all.Open = append(all.Open, b.Open...)
		all.Learn(b)
	}
	if all.closed() || len(all.Open) == 0 {
		all.Open, all.Cut = nil, nil
		return &all, nil
	}
	x, err := newBrancher(p, c, &all)
	if err != nil {
		return nil, err
	}
	if all.Open, err = x.expand(all.Open, shareParts*shares); err != nil {
		return nil, err
	}
	shallow := func(a, b []int) int { return cmp.Compare(len(a), len(b)) }
	slices.SortStableFunc(all.Open, shallow)
	var own [][]int
	for i := share; i < len(all.Open); i += shares {
		own = append(own, all.Open[i])
	}
	slices.Reverse(own) // the deepest first: so few are open at a time
	all.Open = own
	if share == 0 { // each has expanded the same
		all.Nodes = x.tree.nodes
	} else {
		all.Cut = nil
	}
	return &all, nil
}

// expand replaces the shallowest partial mappings by those with one unit more, until there are so many.
func (x *brancher) expand(open [][]int, least int) ([][]int, error) {
	t := x.tree
	for len(open) < least {
		at := -1
		for i, path := range open { // a whole mapping is left to the share that looks at it
			if len(path) < len(t.order) && (at < 0 || len(path) < len(open[at])) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		if !t.enter(open[at]) {
			return nil, damaged("a partial mapping does not belong to this problem")
		}
		t.visit()
		below := t.state().open()
		t.leave()
		open = slices.Replace(open, at, at+1, below...)
	}
	return open, nil
}

// Explore looks at up to so many partial mappings of a share, and leaves in it what is still open. keep, if it is not
// nil, is given the share at least after each time every; what it is given can be explored further to the same end.
// When ctx ends, the share is what is open then.
func (b *Branches) Explore(ctx context.Context, p *flow.Problem, c *flow.Constraints, nodes uint64,
	every time.Duration, keep func(*Branches)) error {
	if len(b.Open) == 0 && b.Cut == nil {
		return nil
	}
	x, err := newBrancher(p, c, b)
	if err != nil {
		return err
	}
	count := &x.chain.tally
	count.nodes, count.evals = b.Nodes, b.Evals
	kept, looks := time.Now(), 0
	stop := func() bool {
		if looks++; looks%proofLook != 0 {
			return false
		}
		return ctx.Err() != nil || keep != nil && time.Since(kept) >= every
	}
	if b.Cut != nil {
		x.excludeMore(ctx, b, nodes*b.Rounds/cutPart, func() {
			if keep != nil && time.Since(kept) >= every {
				x.note(b, b.Open)
				keep(b)
				kept = time.Now()
			}
		})
	}
	for len(b.Open) > 0 && ctx.Err() == nil && count.nodes < nodes {
		if !x.tree.enter(b.Open[0]) {
			return damaged("a partial mapping does not belong to this problem")
		}
		rest := b.Open[1:]
		for !x.tree.run(count, stop, nodes) {
			x.note(b, rest)
			if ctx.Err() != nil || count.nodes >= nodes {
				return nil
			}
			keep(b)
			kept = time.Now()
		}
		b.Open = rest
	}
	x.note(b, b.Open)
	return nil
}

// cutPart is which part of what its share looks at the bound of links has.
const cutPart = 2

// excludeMore goes on with the bound of links, until it has had so many partial mappings' worth of work in all rounds.
// Its steps are of any length: in rounds in which it has had more than its part already, the share looks at partial
// mappings alone. Each step begins with plain data, so that what comes out is the same where the exploring is broken
// off. mark is called after each.
func (x *brancher) excludeMore(ctx context.Context, b *Branches, nodes uint64, mark func()) {
	p := x.proof
	p.main, p.at.Cut = x.tree, *b.Cut
	for !p.at.Cut.Done && p.at.Cut.Work/cutWork < nodes && !b.closed() {
		if p.cut = nil; !p.cutStep(ctx) {
			break
		}
		b.Near = p.cutCloses()
		cut := p.at.Cut
		b.Cut, b.Low = &cut, p.at.Low
		if bound := exact(p.bound()); b.Bound == 0 || bound < b.Bound {
			b.Bound = bound
		}
		if high := p.high(); high < x.tree.target {
			x.tree.lower(high)
		}
		if b.Best = x.chain.pool.best[0].Kept(); b.closed() {
			b.Open = nil
		}
		mark()
	}
}

// note writes down where a share is: what the tree has open, and the rest.
func (x *brancher) note(b *Branches, rest [][]int) {
	b.Open = append(x.tree.state().open(), rest...)
	b.Best = x.chain.pool.best[0].Kept()
	b.Partial = x.proof.at.Partial
	b.Evals, b.Nodes = x.chain.tally.evals, x.chain.tally.nodes
}

// EndBranches adds to the result of the beginning what rounds have come to: left are the shares of the last, evals and
// nodes how much all rounds have looked at.
func EndBranches(p *flow.Problem, c *flow.Constraints, result *Result, left []*Branches, evals, nodes uint64) error {
	result.Evals, result.ProofNodes = result.Evals+evals, result.ProofNodes+nodes
	all := *left[0]
	open, list := 0, result.Candidates
	for _, b := range left {
		x, err := newBrancher(p, c, b)
		if err != nil {
			return err
		}
		list = append(list, x.chain.pool.best...)
		open += len(b.Open)
		all.Learn(b)
	}
	result.Candidates = bestOf(list, len(result.Candidates))
	best := result.Candidates[0].Throughput
	if bound := float64(all.Bound); bound > 0 && (result.Bound == 0 || bound < result.Bound) {
		result.Bound = bound
	}
	result.Bound = max(result.Bound, best)
	switch {
	case open == 0 && !all.Partial && !all.Near, !all.Near && all.closed():
		result.Status, result.Bound = Proven, best
	case all.Near:
		result.Status = Proven
	case open == 0: // some ways to route edges were not tried
		result.Status = Converged
	}
	return nil
}
