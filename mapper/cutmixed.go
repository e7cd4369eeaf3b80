package mapper

import (
	"context"
	"math"
	"slices"

	"xopt/flow"
	"xopt/mapper/cutbound"
)

// The cut bound with several free sources. The rates of the sources are variables: source f has the share λ_f of the
// throughput, with Σ λ_f = 1. The load of a unit or edge is Σ λ_f w_f, where w_f is its load if only source f sends, at
// the same throughput. The cut bound needs one number per load. Therefore the proof divides the set of all shares into
// ranges. Each range is the convex hull of as many corners as there are sources. No load in a range is below the
// minimum at the range's corners. Therefore, if the cut bound excludes a target for these minima, the target is
// excluded for the entire range.
//
// Each step processes the range with the lowest bound. It raises the bound of the range or, if the range is too wide
// for the remaining gap, halves its longest side. The lowest bound of all ranges is a bound on all mappings.

// cutMix is a set of shares of free sources: the convex hull of corners.
type cutMix struct {
	works   []flow.LoadCoefficients // load coefficients of each source
	scale   []float64               // factor from a source's own loads to loads at the common throughput
	corners [][]float64             // shares of the sources
}

// onlyMix returns the cutMix of a single source.
func onlyMix(works flow.LoadCoefficients) cutMix {
	return cutMix{[]flow.LoadCoefficients{works}, []float64{1}, [][]float64{{1}}}
}

// mix returns the cutMix of the tree's sources for a range with the given corners.
func (t *tree) mix(corners [][]float64) cutMix {
	x := cutMix{corners: corners}
	for _, p := range t.sources {
		x.works, x.scale = append(x.works, p.works), append(x.scale, p.scale)
	}
	return x
}

// minLoad returns the minimum, over the range, of a load that is linear in the shares.
func (x *cutMix) minLoad(load func(works flow.LoadCoefficients) float64) float64 {
	minimum := math.Inf(1)
	for _, shares := range x.corners {
		sum := 0.0
		for f, share := range shares {
			if share > 0 {
				sum += share * x.scale[f] * load(x.works[f])
			}
		}
		minimum = math.Min(minimum, sum)
	}
	return minimum
}

// cutRange is a range of shares with the resumable state of its cut bound, as plain data.
type cutRange struct {
	Corners [][]float64    `json:"corners"`
	State   cutbound.State `json:"state"` // without clusters; all ranges share them
}

// The rules for halving. A range is halved if its width (leavesOpen) exceeds gap / openPart. If its width exceeds
// maxOpen, it is halved before its bound is computed. Ranges narrower than leftOpen are not halved. There are at most
// maxRanges ranges.
const (
	openPart  = 4
	maxOpen   = 0.3
	leftOpen  = 2 * float64(cutbound.Nearest) / cutbound.One
	maxRanges = 4000
)

// rangeWork is the work that the proof counts for creating the problem of a range and computing its width.
const rangeWork = 1 << 22

// allShares returns the range of all shares.
func allShares(sources int) [][]float64 {
	corners := make([][]float64, sources)
	for f := range corners {
		corners[f] = make([]float64, sources)
		corners[f][f] = 1
	}
	return corners
}

// halves divides a range at the middle of its longest side. Corners are sums of powers of 1/2, so there is no rounding.
func halves(corners [][]float64) (a, b [][]float64) {
	from, to, maximum := 0, 1, -1.0
	for j := range corners {
		for i := range j {
			side := 0.0
			for f := range corners[i] {
				side += math.Abs(corners[i][f] - corners[j][f])
			}
			if side > maximum {
				from, to, maximum = i, j, side
			}
		}
	}
	middle := make([]float64, len(corners))
	for f := range middle {
		middle[f] = (corners[from][f] + corners[to][f]) / 2
	}
	a, b = slices.Clone(corners), slices.Clone(corners)
	a[from], b[to] = middle, middle
	return a, b
}

// middleOf returns the center of a range, as a range with one corner.
func middleOf(corners [][]float64) [][]float64 {
	shares := make([]float64, len(corners))
	for f := range shares {
		for _, corner := range corners {
			shares[f] += corner[f] / float64(len(corners))
		}
	}
	return [][]float64{shares}
}

// validRanges reports whether each range has valid corners for the number of sources.
func validRanges(list []cutRange, sources int) bool {
	share := func(x float64) bool { return x >= 0 && x <= 1 }
	for _, r := range list {
		if len(r.Corners) != sources {
			return false
		}
		for _, corner := range r.Corners {
			if len(corner) != sources || slices.ContainsFunc(corner, func(x float64) bool { return !share(x) }) {
				return false
			}
		}
	}
	return true
}

// rangeProblem returns the problem of a range; nil if the bound is not applicable.
func (p *proof) rangeProblem(corners [][]float64) *cutbound.Problem {
	var problem *cutbound.Problem
	problem, p.kinds = newCutProblem(p.space, p.main.mix(corners), p.main.relax, float64(p.at.Cut.Unit))
	return problem
}

// mixedStep executes one step of the cut bound for several sources, on the range with the lowest bound. It returns
// false if ctx is done.
func (p *proof) mixedStep(ctx context.Context) bool {
	at := &p.at.Cut
	if at.Unit == 0 {
		at.Unit = exact(p.high())
	}
	high := p.cutParts(p.high())
	ranges := slices.Clone(at.Ranges)
	if len(ranges) == 0 {
		ranges = append(ranges, newRange(allShares(len(p.main.sources)), 0, high))
	}
	worst := 0
	for i := range ranges {
		if ranges[i].State.Low < ranges[worst].State.Low {
			worst = i
		}
	}
	r := &ranges[worst]
	problem := p.rangeProblem(r.Corners)
	if problem == nil || len(ranges) > maxRanges {
		at.Done = true
		return true
	}
	state := r.State
	state.Clusters = at.State.Clusters
	search := cutbound.New(problem, 0, high+1)
	if !search.Resume(state) {
		at.Done = true
		return true
	}
	search.Raise(p.cutParts(float64(p.at.Low)))
	search.Lower(high + 1)
	search.Aim = p.cutAim()
	search.Threads = p.threads
	low, open := search.State().Low, p.leavesOpen(problem, r.Corners)
	switch missing := float64(high-low) / float64(high); {
	case high-low <= 2*cutbound.Nearest || search.Aim > 0 && low >= search.Aim || search.Done() && open < leftOpen:
		at.Done = true // the lowest bound cannot be raised further
	case open > maxOpen || search.Done() || search.Bounded() && open > missing/openPart:
		a, b := halves(r.Corners)
		*r = newRange(a, low, high)
		ranges = append(ranges, newRange(b, low, high))
		p.recordRanges(ranges, at.State.Clusters, rangeWork)
		return true
	}
	if !at.Done && !search.Step(ctx) {
		return false
	}
	state = search.State()
	clusters := state.Clusters
	state.Clusters, r.State = nil, state
	if search.Point != nil {
		p.place(search.Point)
	}
	p.recordRanges(ranges, clusters, search.Work+rangeWork)
	return true
}

// newRange returns a range with the initial state of its cut bound: maximum loads up to low are excluded.
func newRange(corners [][]float64, low, high int64) cutRange {
	return cutRange{corners, cutbound.State{Low: low, High: high + 1, Top: high + 1}}
}

// recordRanges stores the ranges, clusters and work of a step in the proof's state.
func (p *proof) recordRanges(ranges []cutRange, clusters []cutbound.Cluster, work uint64) {
	at := &p.at.Cut
	at.Ranges = ranges
	low := ranges[0].State.Low
	for i := range ranges {
		low = min(low, ranges[i].State.Low)
	}
	low = max(low, at.State.Low, p.cutParts(float64(p.at.Low)))
	at.State = cutbound.State{Low: low, Clusters: clusters}
	at.Work += work
	if !p.uncounted {
		p.tally.nodes += work / cutWork
	}
	p.raise()
}

// leavesOpen returns the width of a range: the largest deficit of its loads against the loads at its center. A deficit
// is relative to the load or, if this is larger, to the best mapping's maximum load. leavesOpen considers the smallest
// load of each unit, of all units on all resources, and of all edges on each set of links.
func (p *proof) leavesOpen(problem *cutbound.Problem, corners [][]float64) float64 {
	middle := p.rangeProblem(middleOf(corners))
	if middle == nil {
		return 0
	}
	open := 0.0
	differ := func(here, there, complete float64) {
		if there > here {
			open = math.Max(open, math.Min((there-here)/there, (there-here)/complete))
		}
	}
	resources := int64(0)
	for k := range problem.Kinds {
		resources += problem.Kinds[k].Many
	}
	here, there := 0.0, 0.0
	for u := range problem.Units {
		a, b := lightest(problem, u), lightest(middle, u)
		differ(a, b, cutbound.One)
		here, there = here+a, there+b
	}
	differ(here, there, cutbound.One*float64(resources))
	for s := range problem.Sets {
		differ(sumOf(problem.Sets[s].Any), sumOf(middle.Sets[s].Any), cutbound.One*float64(problem.Sets[s].Links))
	}
	return open
}

// lightest returns the smallest load of a unit on any kind of resource, at most the best mapping's maximum load.
func lightest(problem *cutbound.Problem, unit int) float64 {
	minimum := float64(cutbound.One)
	for k := range problem.Kinds {
		if l := problem.Kinds[k].Load[unit]; l != cutbound.Never {
			minimum = math.Min(minimum, float64(l))
		}
	}
	return minimum
}

func sumOf(loads []int64) float64 {
	sum := 0.0
	for _, l := range loads {
		sum += float64(l)
	}
	return sum
}
