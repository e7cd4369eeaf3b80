package mapper

import (
	"cmp"
	"context"
	"math"
	"slices"

	"xopt/flow"
)

// tree is a branch-and-bound search. It places units one by one. It backtracks if the load of a resource or link, or
// the relaxation of the remaining units, shows that every completion reaches the target load. Of several
// interchangeable empty resources, it tries only the first. Otherwise, 12 equal cores would increase the work by a
// factor of up to 12! (factorial).
type tree struct {
	*space
	sources []*partial            // one for each free source
	relax   *relaxation           // relaxation of the first source; all relaxations share its multipliers
	mixture *flow.Mixture         // nil for one source
	found   func(t *tree) float64 // records a complete placement, and returns its maximum load
	leaving *leaving              // nil for none
	begun   bool
	start   float64 // the initial target
	target  float64
	nodes   uint64 // partial mappings visited
	better  bool   // a mapping below the target has been found
	levels  []level
	depth   int // number of levels in use

	order    []int // units, largest first
	at       []int // resource of each unit; -1 if unplaced
	units    []int // units on each resource
	incident [][]int
	carries  bool    // links load cores
	time     float64 // Σ u_c m_c
	spare    float64
	row      []float64 // row of the mixture
}

// level contains the resources to try for one unit, given the choices on earlier levels.
type level struct {
	choices []choice
	next    int  // index of the first untried resource
	placed  bool // the unit is placed
	mark    int  // journal position before the placement
}

type choice struct {
	r    int
	load float64
}

// newTree returns a tree; nil if a cost is negative or a source adds no throughput, because bounds are then invalid. If
// there are several free sources, loads are for a throughput of unit.
func newTree(s *space, scorer *flow.Scorer, unit float64, found func(t *tree) float64) *tree {
	relaxed, scale, ok := newRelaxations(s, scorer, unit)
	if !ok {
		return nil
	}
	t := &tree{space: s, relax: relaxed[0], found: found, at: make([]int, len(s.units)),
		units: make([]int, len(s.class)), levels: make([]level, len(s.units)), row: make([]float64, len(relaxed))}
	for f := range relaxed {
		t.sources = append(t.sources, newPartial(t, scorer.LoadCoefficients(f), relaxed[f], scale[f]))
	}
	if len(relaxed) > 1 {
		t.mixture = new(flow.Mixture)
	}
	t.carries = slices.ContainsFunc(s.problem.Architecture.Links, func(l flow.Link) bool { return l.HasWork() })
	t.incident = make([][]int, len(s.unitOf))
	for e, edge := range s.problem.Application.Edges {
		t.incident[edge.From] = append(t.incident[edge.From], e)
		if edge.To != edge.From {
			t.incident[edge.To] = append(t.incident[edge.To], e)
		}
	}
	minimum := make([]float64, len(s.units))
	for u := range s.units {
		t.at[u] = -1
		t.order = append(t.order, u)
		for _, r := range relaxed {
			minimum[u] += slices.Min(r.work[u])
		}
	}
	slices.SortStableFunc(t.order, func(a, b int) int { return cmp.Compare(minimum[b], minimum[a]) })
	return t
}

// reset prepares a search for mappings whose maximum load is below a target.
func (t *tree) reset(ctx context.Context, target float64) {
	for t.depth > 0 {
		t.pop()
	}
	t.begun, t.start, t.target, t.nodes, t.better = true, target, target, 0, false
	if v := t.ascend(ctx, target); v >= target*(1-sameLoad) {
		return // no mapping below the target
	}
	t.price()
	t.push()
}

// lower reduces the target load and updates the prices.
func (t *tree) lower(target float64) {
	t.target = target
	t.price()
}

// run continues until it has proven that no mapping has a maximum load below the target, and then returns true. Each
// better mapping lowers the target to its maximum load. run also stops when the number of nodes reaches until, or when
// mark requests a stop. It calls mark at each point at which the search can be resumed.
func (t *tree) run(count *tally, mark func() bool, until uint64) (isKnown bool) {
	for t.depth > 0 {
		if count.nodes >= until {
			return false
		}
		if fits := count.hasEvals(t.maxEvaluations()); mark() || !fits {
			return false
		}
		before := t.nodes
		t.visit()
		count.nodes += t.nodes - before
	}
	return true
}

// maxEvaluations returns the maximum number of evaluations of a visit, excluding route choices. A visit scores a
// complete mapping, or tries the resources of one more unit.
func (t *tree) maxEvaluations() uint64 {
	if t.depth < len(t.order) {
		return uint64(len(t.allowed[t.order[t.depth]]))
	}
	return 1
}

// visit processes the next choice of the last level.
func (t *tree) visit() {
	i := t.depth - 1
	l := &t.levels[i]
	t.unplace(i)
	if l.next == len(l.choices) {
		t.depth--
		return
	}
	t.replace(i, l.choices[l.next].r)
	l.next++
	if t.load(t.at[t.order[i]]) >= t.target*(1-sameLoad) { // the target may have been lowered
		return
	}
	if t.depth < len(t.order) {
		if t.leaving == nil || t.leaving.below(t, t.target*(1-sameLoad)) {
			t.push()
		}
		return
	}
	if load := t.found(t); load < t.target*(1-sameLoad) {
		t.better = true
		t.lower(load)
	}
}

// replace places the unit of a level.
func (t *tree) replace(i, r int) {
	t.levels[i].placed, t.levels[i].mark = true, t.mark()
	t.put(t.order[i], r)
}

// unplace removes the unit of a level, if it is placed.
func (t *tree) unplace(i int) {
	if l := &t.levels[i]; l.placed {
		t.removeUnit(t.order[i], l.choices[l.next-1].r, l.mark)
		l.placed = false
	}
}

func (t *tree) pop() {
	t.unplace(t.depth - 1)
	t.depth--
}

// push adds a level with the possible resources of the next unit.
func (t *tree) push() {
	i := t.depth
	t.depth++
	l := &t.levels[i]
	l.choices, l.next, l.placed = l.choices[:0], 0, false
	u := t.order[i]
	for _, r := range t.allowed[u] {
		if t.units[r] == 0 && r != t.firstEmpty(t.units, r) || t.clashes(u, r) {
			continue
		}
		t.nodes++
		mark := t.mark()
		if fits := t.put(u, r); fits {
			if load, below := t.bound(r, i+1); below {
				l.choices = append(l.choices, choice{r, load})
			}
		}
		t.removeUnit(u, r, mark)
	}
	slices.SortStableFunc(l.choices, func(a, b choice) int { return cmp.Compare(a.load, b.load) })
}

// treeState is the plain data from which a tree can resume.
type treeState struct {
	Begun  bool         `json:"begun"`
	Start  exact        `json:"start"`
	Target exact        `json:"target"`
	Nodes  uint64       `json:"nodes"`
	Better bool         `json:"better"`
	Levels []levelState `json:"levels,omitempty"`
	Time   []exact      `json:"time"` // multipliers of the relaxation
	Price  [][]exact    `json:"price"`
}

// levelState is the plain data of a level: the resources to try, and the number of resources already tried.
type levelState struct {
	Choices []int `json:"choices"`
	Tried   int   `json:"tried"`
	Placed  bool  `json:"placed"`
}

// state copies the tree's state; nil for a nil tree.
func (t *tree) state() *treeState {
	if t == nil {
		return nil
	}
	s := &treeState{Begun: t.begun, Start: exact(t.start), Target: exact(t.target), Nodes: t.nodes, Better: t.better,
		Time: exacts(t.relax.time)}
	for c := range t.relax.price {
		s.Price = append(s.Price, exacts(t.relax.price[c][:]))
	}
	for i := range t.depth {
		l := &t.levels[i]
		x := levelState{Tried: l.next, Placed: l.placed}
		for _, c := range l.choices {
			x.Choices = append(x.Choices, c.r)
		}
		s.Levels = append(s.Levels, x)
	}
	return s
}

// resume restores the state of an earlier tree of the same problem. It reports whether the state fits this problem.
func (t *tree) resume(s *treeState) bool {
	if s == nil {
		return true
	}
	if len(s.Time) != len(t.relax.time) || len(s.Price) != len(t.relax.price) || len(s.Levels) > len(t.order) {
		return false
	}
	t.begun, t.start, t.target, t.nodes, t.better = s.Begun, float64(s.Start), float64(s.Target), s.Nodes, s.Better
	if t.mixture == nil {
		t.relax.below = t.start
		t.relax.count(t.start)
	}
	copy(t.relax.time, plainFloats(s.Time))
	for c := range s.Price {
		copy(t.relax.price[c][:], plainFloats(s.Price[c]))
	}
	for i, x := range s.Levels {
		l := &t.levels[i]
		l.choices, l.next = l.choices[:0], x.Tried
		for _, r := range x.Choices {
			if !slices.Contains(t.allowed[t.order[i]], r) {
				return false
			}
			l.choices = append(l.choices, choice{r: r})
		}
		if x.Tried < 0 || x.Tried > len(l.choices) || x.Placed && x.Tried == 0 {
			return false
		}
		t.depth++
		if x.Placed {
			t.replace(i, l.choices[x.Tried-1].r)
		}
	}
	t.price()
	return true
}

// price updates the prices of the unplaced units for the current multipliers and target.
func (t *tree) price() {
	t.time, t.spare = t.relax.totals()
	maximum := t.target
	if t.mixture != nil {
		maximum = math.Inf(1) // a single source's load implies no limit
	}
	for _, p := range t.sources {
		for i := len(t.order) - 1; i >= 0; i-- {
			minimum, _ := p.relax.cheapest(t.order[i], maximum)
			p.rest[i] = p.rest[i+1] + minimum
		}
	}
}
