package flow

import (
	"slices"

	"xopt/queueing/int128"
)

// A Scorer reverts changes by restoring copies of the previous sums. Sums are exact, so it would also be possible to
// invert every change. Copies are cheaper, because a proposal that moves several kernels touches the same few resources
// and links repeatedly. The Scorer computes loads only on demand, once for all changes.

// sums contains the totals of the members of each resource, then of each link.
type sums struct {
	count    []int32      // number of kernels on the resource, or of edges that cross the link
	sum      []int128.Int // × F: Σ λ/μ of the members, and the receive and send costs of their edges
	extra    []int128.Int // × F: switching and co-location, on resources with several kernels
	load     []float64
	area     []areaUnits // area in use, by resource
	exceeded []bool      // area exceeded, by resource
}

func newSums(t *scorerTables) sums {
	constraints := len(t.rule)
	return sums{count: make([]int32, constraints), sum: make([]int128.Int, constraints*t.free),
		extra: make([]int128.Int, t.resources*t.free), load: make([]float64, constraints),
		area: make([]areaUnits, t.resources), exceeded: make([]bool, t.resources)}
}

func (s *sums) clone() sums {
	return sums{slices.Clone(s.count), slices.Clone(s.sum), slices.Clone(s.extra), slices.Clone(s.load),
		slices.Clone(s.area), slices.Clone(s.exceeded)}
}

func (s *sums) clear() {
	clear(s.count)
	clear(s.sum)
	clear(s.extra)
	clear(s.load)
	clear(s.area)
	clear(s.exceeded)
}

// totals contains the totals over all resources and links.
type totals struct {
	unrouted int        // edges that cross resources without a route
	overfull int        // resources whose area is exceeded
	traffic  int128.Int // Σ flow over each hop, per byte/s of the free sources
	chosen   int        // number of edges that do not use the default route
	// max is the largest load. If it is stale, it is an upper bound, and the largest load must be found again.
	max   float64
	stale bool
}

// undo contains the values that may have changed since the last Commit, as they were at that Commit.
type undo struct {
	sums
	totals
	marks    []mark  // of each resource, then of each link
	touched  []int32 // changed resources and links
	open     []int32 // resources and links whose load must be computed
	moved    []wasAt // kernels and their earlier resources
	rerouted []wasAt // edges and their earlier route numbers
	chosen   []wasAt // edges and their earlier alternatives
}

// wasAt contains a kernel or an edge, and its earlier value.
type wasAt struct{ which, old int32 }

// mark is the kind of change to a resource or link since the last Commit.
type mark uint8

const (
	isTouched mark = 1 << iota
	isOpen
)

func newUndo(t *scorerTables, s sums) undo {
	constraints := len(t.rule)
	return undo{sums: s, marks: make([]mark, constraints), touched: make([]int32, 0, constraints),
		open: make([]int32, 0, constraints)}
}

// forget clears the history.
func (u *undo) forget() {
	for _, c := range u.touched {
		u.marks[c] = 0
	}
	u.touched, u.open = u.touched[:0], u.open[:0]
	u.moved, u.rerouted, u.chosen = u.moved[:0], u.rerouted[:0], u.chosen[:0]
}

// touch records a change of a constraint's sums, or of other inputs of its load.
func (s *Scorer) touch(c int) {
	if s.undo.marks[c]&isOpen == 0 {
		s.mark(c)
	}
}

// mark is like touch, for a constraint whose load is not yet marked as open.
func (s *Scorer) mark(c int) {
	u := &s.undo
	if u.marks[c]&isTouched == 0 {
		u.touched = append(u.touched, int32(c))
	}
	u.marks[c] = isTouched | isOpen
	u.open = append(u.open, int32(c))
	s.solved = false
}

// refresh computes the loads that have changed.
func (s *Scorer) refresh() {
	u := &s.undo
	for _, c := range u.open {
		u.marks[c] = isTouched
		s.weigh(int(c))
	}
	u.open = u.open[:0]
}

// Commit sets the current mapping as the mapping that Undo restores.
func (s *Scorer) Commit() {
	s.refresh()
	u := &s.undo
	s.copySums(&u.sums, &s.sums)
	u.totals = s.totals
	u.forget()
}

// Undo reverts every change since the last Commit or Undo.
func (s *Scorer) Undo() {
	u := &s.undo
	for i := len(u.moved) - 1; i >= 0; i-- {
		s.moveBack(u.moved[i].which, u.moved[i].old)
	}
	for i := len(u.chosen) - 1; i >= 0; i-- {
		s.choice[u.chosen[i].which] = int16(u.chosen[i].old)
	}
	for i := len(u.rerouted) - 1; i >= 0; i-- {
		e, was := u.rerouted[i].which, u.rerouted[i].old
		if s.rankedLinks {
			s.flipHops(e, s.route[e])
			s.flipHops(e, was)
		}
		s.route[e] = was
	}
	if len(u.touched) > 0 {
		s.copySums(&s.sums, &u.sums)
		s.solved = false
	}
	s.totals = u.totals
	u.forget()
}

// moveBack moves a kernel back to its previous resource. It does not change sums, except the sums of contention.
func (s *Scorer) moveBack(k, to int32) {
	from := s.place[k]
	s.place[k] = to
	if s.rule[from] != inTime {
		s.flip(from, k)
	}
	if s.rule[to] != inTime {
		s.flip(to, k)
	}
	if s.contention != nil {
		s.contention.leave(from, k)
		s.contention.enter(to, k)
	}
}

// flipHops adds an edge to the ordered members of the links on a route, or removes it. Links that are shared in time
// have no ordered members.
func (s *Scorer) flipHops(e, route int32) {
	if route < firstRoute {
		return
	}
	for _, l := range s.hopsOn(route) {
		if c := s.resources + int(l); s.rule[c] != inTime {
			s.ranked[c].flip(e)
		}
	}
}

// copySums copies the sums of the touched constraints.
func (s *Scorer) copySums(to, from *sums) {
	touched, rule := s.undo.touched, s.rule
	if s.simple {
		count, sum, load := to.count[:len(rule)], to.sum[:len(rule)], to.load[:len(rule)]
		counted, added, loaded := from.count[:len(rule)], from.sum[:len(rule)], from.load[:len(rule)]
		for _, c := range touched {
			if rule[c] == inArea {
				to.area[c], to.exceeded[c] = from.area[c], from.exceeded[c]
			}
			count[c], sum[c], load[c] = counted[c], added[c], loaded[c]
		}
		return
	}
	for _, x := range touched {
		c := int(x)
		to.count[c], to.load[c] = from.count[c], from.load[c]
		copy(to.sum[c*s.free:(c+1)*s.free], from.sum[c*s.free:])
		if s.shared != nil && c < s.resources {
			copy(to.extra[c*s.free:(c+1)*s.free], from.extra[c*s.free:])
		}
		if rule[c] == inArea {
			to.area[c], to.exceeded[c] = from.area[c], from.exceeded[c]
		}
	}
}
