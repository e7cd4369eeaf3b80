package mapper

import (
	"context"
	"math"

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

// cutMost is how much of its work it does in all, and cutColumns how many units and edges it looks at: its
// programs are dense.
const (
	cutMost    = 1_000_000_000_000
	cutColumns = 800
)

// cutRoom is how many evaluations must be left for a step, which cannot be divided.
const cutRoom = 4_000_000

// cutCourse is where the cut bound is, as plain data.
type cutCourse struct {
	Unit  exact          `json:"unit"` // the load that its numbers are parts of
	Done  bool           `json:"done"`
	Work  uint64         `json:"work"`
	State cutbound.State `json:"state"`
}

// cuts reports whether it is the turn of the cut bound.
func (p *proof) cuts() bool {
	t := p.tally
	return !p.at.Cut.Done && p.main.begun && p.main.nodes >= cutAfter &&
		(t.limit == 0 || t.limit >= t.work()+cutRoom)
}

// cutStep goes on with the cut bound; false where ctx ended it.
func (p *proof) cutStep(ctx context.Context) bool {
	at := &p.at.Cut
	if p.cut == nil && !p.newCut() {
		at.Done = true
		return true
	}
	p.cut.Raise(p.cutParts(float64(p.at.Low)))
	p.cut.Lower(p.cutParts(p.high()) + 1)
	before := p.cut.Work
	if !p.cut.Step(ctx) {
		return false
	}
	work := p.cut.Work - before
	at.Work += work
	at.State = p.cut.State()
	at.Done = p.cut.Done() || at.Work > cutMost
	if !p.uncounted {
		p.tally.nodes += work / cutWork
	}
	low := float64(at.State.Low) / cutbound.Whole * float64(at.Unit) * (1 - sameLoad)
	p.at.Low = exact(math.Max(float64(p.at.Low), math.Min(low, p.high())))
	p.saved = nil
	p.tell()
	return true
}

// newCut makes the cut bound, or goes to where it was; false where it has nothing to go by.
func (p *proof) newCut() bool {
	at := &p.at.Cut
	resumed := at.Unit > 0
	if !resumed {
		at.Unit = exact(p.high())
	}
	problem := newCutProblem(p.space, p.works, p.main.relax, float64(at.Unit))
	if problem == nil {
		return false
	}
	p.cut = cutbound.New(problem, p.cutParts(float64(p.at.Low)), p.cutParts(p.high())+1)
	return !resumed || p.cut.Resume(at.State)
}

// cutParts is a load in parts of the cut bound's unit.
func (p *proof) cutParts(load float64) int64 { return parts(load / float64(p.at.Cut.Unit)) }
