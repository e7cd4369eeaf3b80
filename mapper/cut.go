package mapper

import (
	"context"
	"math"
	"slices"

	"xopt/mapper/cutbound"
)

// The third bound, the cut bound, includes the loads of links, and does not split kernels. If two units are on
// different resources, the edges between them load links (package cutbound). If branch and bound does not finish
// quickly, the proof alternates between branch and bound and the cut bound.

// cutAfter is the number of partial mappings that branch and bound visits before the first step of the cut bound.
// cutWork is the work of the cut bound in approximately the time of one partial mapping.
const (
	cutAfter = 1 << 19
	cutWork  = 512
)

// cutColumns is the maximum number of units plus edges, because the linear programs are dense. cutShare is the ratio of
// the cut bound's work to the work of branch and bound.
const (
	cutColumns = 800
	cutShare   = 3
)

// minCutEvals is the number of evaluations that must remain when a step starts. A step cannot be interrupted, and needs
// at most this number.
const minCutEvals = 13_000_000

// cutCourse is the resumable state of the cut bound, as plain data.
type cutCourse struct {
	Unit exact `json:"unit"` // the load that corresponds to cutbound.One
	Done bool  `json:"done"`
	// Closed reports that no mapping's maximum load is more than two millionths below the best mapping's.
	Closed bool           `json:"closed"`
	Work   uint64         `json:"work"`
	State  cutbound.State `json:"state"`
	// Ranges divide the rates of several free sources. State then contains the lowest bound of all ranges and their
	// common clusters.
	Ranges []cutRange `json:"ranges,omitempty"`
}

func (p *proof) cuts() bool {
	t := p.tally
	return !p.at.Cut.Done && p.main.begun && p.main.nodes >= cutAfter &&
		p.nodesBeforeCut() == 0 &&
		(t.limit == 0 || t.limit >= t.work()+minCutEvals)
}

// nodesBeforeCut returns the number of nodes that branch and bound must visit before the next step of the cut bound.
func (p *proof) nodesBeforeCut() uint64 {
	nodes := p.main.nodes + uint64(p.at.Halved)*halvingNodes
	if p.side != nil && p.side.begun {
		nodes += p.side.nodes
	}
	done := cutAfter + p.at.Cut.Work/cutWork/cutShare
	return max(done, nodes) - nodes
}

// cutStep executes one step of the cut bound. It returns false if ctx is done.
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

// cutAim returns the load that the cut bound must exclude to reach the requested gap; 0 if no gap is requested.
func (p *proof) cutAim() int64 {
	if p.gap > 0 {
		return p.cutParts(p.high()/(1+p.gap)) + cutbound.Nearest
	}
	return 0
}

// raise raises the proof's lower bound to the cut bound.
func (p *proof) raise() {
	at := &p.at.Cut
	low := float64(at.State.Low) / cutbound.One * float64(at.Unit) * (1 - sameLoad)
	p.at.Low = exact(math.Max(float64(p.at.Low), math.Min(low, p.high())))
	p.saved = nil
	p.publishBound()
}

// cutCloses reports whether the cut bound has reached the value of the best mapping.
func (p *proof) cutCloses() bool {
	at := &p.at.Cut
	at.Closed = at.Closed || at.Unit > 0 && at.State.Low >= p.cutParts(p.high())-2*cutbound.Nearest
	return at.Closed
}

// place assigns each cluster to its own resource, and records the mapping if it is valid. The clusters contain all
// units.
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
	for u := range s.separateUnits {
		if slices.ContainsFunc(s.separateUnits[u], func(v int) bool { return at[u] == at[v] }) {
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
		p.at.Partial = partial // untried routes of this placement do not affect branch and bound
	}
}

// newCut creates or resumes the cut bound. It returns false if the bound is not applicable.
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

// cutParts converts a load to parts of the cut bound's unit.
func (p *proof) cutParts(load float64) int64 { return parts(load / float64(p.at.Cut.Unit)) }
