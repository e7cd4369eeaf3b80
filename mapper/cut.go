package mapper

import (
	"context"
	"math"
	"slices"

	"xopt/mapper/cutbound"
)

// A third bound knows that links are slow and kernels whole: where units are on different
// resources, the edges between them load links (package cutbound). It takes its turns in the proof, once
// branch and bound has not been able to answer quickly.

// cutAfter is how many partial mappings branch and bound looks at before, and cutWork how much of the bound's
// work counts as one of them: about as long as one takes.
const (
	cutAfter = 1 << 19
	cutWork  = 512
)

// cutColumns is how many units and edges it looks at: its programs are dense. cutShare is how much it may do for one
// of what branch and bound does.
const (
	cutColumns = 800
	cutShare   = 3
)

// cutRoom is how many evaluations must be left for a step, which cannot be divided: it takes no more.
const cutRoom = 13_000_000

// cutCourse is where the cut bound is, as plain data.
type cutCourse struct {
	Unit exact `json:"unit"` // the load that its numbers are parts of
	Done bool  `json:"done"`
	// Closed is that no mapping's greatest load is below the best by more than two millionths.
	Closed bool           `json:"closed"`
	Work   uint64         `json:"work"`
	State  cutbound.State `json:"state"`
	// Ranges are those of what several free sources may send; State then has the least of their bounds, and the
	// clusters of all.
	Ranges []cutRange `json:"ranges,omitempty"`
}

// cuts reports whether it is the turn of the cut bound.
func (p *proof) cuts() bool {
	t := p.tally
	return !p.at.Cut.Done && p.main.begun && p.main.nodes >= cutAfter &&
		p.cutOwes() == 0 &&
		(t.limit == 0 || t.limit >= t.work()+cutRoom)
}

// cutOwes is how many nodes branch and bound looks at before it is the turn of the cut bound again.
func (p *proof) cutOwes() uint64 {
	nodes := p.main.nodes + uint64(p.at.Halved)*halvingNodes
	if p.side != nil && p.side.begun {
		nodes += p.side.nodes
	}
	done := cutAfter + p.at.Cut.Work/cutWork/cutShare
	return max(done, nodes) - nodes
}

// cutStep goes on with the cut bound; false where ctx ended it.
func (p *proof) cutStep(ctx context.Context) bool {
	if p.many {
		return p.mixedStep(ctx)
	}
	at := &p.at.Cut
	if p.cut == nil && !p.newCut() {
		at.Done = true
		return true
	}
	p.cut.Raise(p.cutParts(float64(p.at.Low)))
	p.cut.Lower(p.cutParts(p.high()) + 1)
	p.cut.Aim = p.cutAim()
	before := p.cut.Work
	if !p.cut.Step(ctx) {
		return false
	}
	work := p.cut.Work - before
	at.Work += work
	at.State = p.cut.State()
	at.Done = p.cut.Done()
	if !p.uncounted {
		p.tally.nodes += work / cutWork
	}
	if p.cut.Point != nil {
		p.place(p.cut.Point)
		p.cut.Point = nil
	}
	p.raise()
	return true
}

// cutAim is what has to be excluded for the gap that is enough; 0 where none is.
func (p *proof) cutAim() int64 {
	if p.gap > 0 {
		return p.cutParts(p.high()/(1+p.gap)) + cutbound.Nearest
	}
	return 0
}

// raise takes in what the cut bound has excluded.
func (p *proof) raise() {
	at := &p.at.Cut
	low := float64(at.State.Low) / cutbound.Whole * float64(at.Unit) * (1 - sameLoad)
	p.at.Low = exact(math.Max(float64(p.at.Low), math.Min(low, p.high())))
	p.saved = nil
	p.tell()
}

// cutCloses reports whether the cut bound leaves nothing between itself and the best mapping.
func (p *proof) cutCloses() bool {
	at := &p.at.Cut
	at.Closed = at.Closed || at.Unit > 0 && at.State.Low >= p.cutParts(p.high())-2*cutbound.Nearest
	return at.Closed
}

// place has a resource hold each cluster of a division of all units, and takes in the mapping that this is, if it
// is one.
func (p *proof) place(clusters []cutbound.Cluster) {
	s := p.space
	at, used := make([]int, len(s.units)), make([]bool, len(s.class))
	for _, c := range clusters {
		found := -1
		for q := range s.class {
			if used[q] || p.kinds[p.main.relax.of[q]] != c.Kind {
				continue
			}
			if !slices.ContainsFunc(c.Units, func(u int) bool { return !s.isIn[u][q] }) {
				found = q
				break
			}
		}
		if found < 0 {
			return
		}
		used[found] = true
		for _, u := range c.Units {
			at[u] = found
		}
	}
	for u := range s.apart {
		if slices.ContainsFunc(s.apart[u], func(v int) bool { return at[u] == at[v] }) {
			return
		}
	}
	t := p.newTree()
	t.target = p.high()
	fits := true
	for u, q := range at {
		fits = t.put(u, q) && fits
	}
	if fits {
		partial := p.at.Partial
		p.found(t)
		p.at.Partial = partial // no part of the tree is left out for it
	}
}

// newCut makes the cut bound, or goes to where it was; false where it has nothing to go by.
func (p *proof) newCut() bool {
	at := &p.at.Cut
	resumed := at.Unit > 0
	if !resumed {
		at.Unit = exact(p.high())
	}
	var problem *cutbound.Problem
	if problem, p.kinds = newCutProblem(p.space, onlyMix(p.works), p.main.relax, float64(at.Unit)); problem == nil {
		return false
	}
	p.cut = cutbound.New(problem, p.cutParts(float64(p.at.Low)), p.cutParts(p.high())+1)
	p.cut.Threads, p.cut.Record, p.problem = p.threads, true, problem
	return !resumed || p.cut.Resume(at.State)
}

// cutParts is a load in parts of the cut bound's unit.
func (p *proof) cutParts(load float64) int64 { return parts(load / float64(p.at.Cut.Unit)) }
