package cutbound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Search excludes targets, by halving the interval between what is excluded and what is reached.
// All that it knows between two steps is in its State.
type Search struct {
	p         *Problem
	main      int
	separator *separator
	always    []Row
	at        State
	// Record has the search make certificates, which may be large.
	Record bool
	// Certificate is why no mapping has its greatest load at or below State.Low; nil where that
	// was given, or by branch and cut without Record.
	Certificate *Certificate
	extra       []Row  // cuts of the present step
	leaves      []Leaf // of the present target
	// Work counts numbers that were worked out.
	Work uint64
}

// State is where a search is, as plain data.
type State struct {
	Low     int64 `json:"low"`     // excluded
	High    int64 `json:"high"`    // a target that is not, or was given up
	Target  int64 `json:"target"`  // that is being looked at; 0 for none
	Reached int64 `json:"reached"` // of the target, by the bound of the last step, in parts of Whole
	Slow    int   `json:"slow"`    // steps in a row that raised that by little
	Cuts    []Row `json:"cuts,omitempty"`
	// Top is a load that is reached, and Branch where branch and cut is.
	Top    int64     `json:"top"`
	Branch Branching `json:"branch"`
}

// How near to each other, in parts of Whole, the targets are between which the linear program by itself, and branch
// and cut, look for one.
const (
	Accuracy = Whole / 500
	Nearest  = Whole / 2000
)

// mostBudget is how much is spent on one target at the most.
const mostBudget = 1_000_000_000_000

// How a step goes: rounds of separation, rows that are added in one, rows in all, and steps that
// raise the bound by less than slowRise before a target is given up.
const (
	stepRounds = 12
	roundCuts  = 80
	mostCuts   = 1500
	slowSteps  = 2
	slowRise   = 1e-3
	perturbed  = 2e-7
)

// margin is by how much, relatively, the objective must be above what excludes a target: more than all costs
// are perturbed by.
const margin = 1e-4

// New begins a search above a load that is known to be excluded, below one that is reached.
func New(p *Problem, low, high int64) *Search {
	s := &Search{p: p, main: p.main(), separator: newSeparator(p), at: State{Low: low, High: high, Top: high}}
	s.always = p.always(s.main)
	return s
}

// Resume goes to where another search of the same problem was. It reports whether the state may be of
// this problem.
func (s *Search) Resume(at State) bool {
	if !s.p.valid(&at) {
		return false
	}
	s.at = at
	return true
}

// State is where the search is; do not modify it.
func (s *Search) State() State { return s.at }

// Raise takes in another load that is excluded.
func (s *Search) Raise(low int64) { s.at.Low = max(s.at.Low, low) }

// Lower takes in a load that is reached.
func (s *Search) Lower(high int64) { s.at.High, s.at.Top = min(s.at.High, high), min(s.at.Top, high) }

// Bounded reports whether the linear program can tell no more.
func (s *Search) Bounded() bool { return s.at.High-s.at.Low <= Accuracy }

// Done reports whether branch and cut can tell no more, either.
func (s *Search) Done() bool { return s.at.Top-s.at.Low <= Nearest || s.at.Branch.Budget > mostBudget }

// Step goes on with one target: until it is excluded, given up, or some rounds were made. It returns false
// where ctx ended it; its state then is that of before, but for a target that was excluded.
func (s *Search) Step(ctx context.Context) bool {
	if s.Bounded() {
		if s.Done() {
			return true
		}
		return s.branch(ctx)
	}
	if s.at.Target <= s.at.Low || s.at.Target >= s.at.High {
		s.at.Target, s.at.Reached, s.at.Slow = s.at.Low+(s.at.High-s.at.Low)/2, 0, 0
	}
	t := s.newTry(s.at.Target)
	defer func() { s.Work += t.lp.work }()
	for u := range s.p.Units {
		if !slices.ContainsFunc(s.kinds(), func(c int) bool { return s.p.allowed(u, c, t.target) }) {
			s.exclude(&Certificate{Target: t.target, Leaves: []Leaf{{}}})
			return true
		}
	}
	for round := range stepRounds {
		switch end := t.solve(ctx); end {
		case unfinished:
			if ctx.Err() != nil {
				return false
			}
			s.keep(t)
			s.giveUp()
			return true
		case above, infeasible:
			s.keep(t)
			if terms := s.p.certify(t.target, t.prices, nil); terms != nil {
				s.exclude(&Certificate{Target: t.target, Leaves: []Leaf{{Terms: terms}}})
			} else {
				s.giveUp()
			}
			return true
		}
		if round == stepRounds-1 {
			break
		}
		if t.separate(s) == 0 {
			s.keep(t)
			s.giveUp()
			return true
		}
	}
	s.keep(t)
	reached := int64(t.lp.objective / t.scale * Whole)
	if s.at.Slow++; float64(reached-s.at.Reached) >= slowRise*Whole {
		s.at.Slow = 0
	}
	if s.at.Reached = reached; s.at.Slow >= slowSteps {
		s.giveUp()
	}
	return true
}

func (s *Search) kinds() []int {
	list := make([]int, len(s.p.Kinds))
	for c := range list {
		list[c] = c
	}
	return list
}

func (s *Search) exclude(c *Certificate) {
	s.at.Low, s.Certificate, s.at.Target = c.Target, c, 0 // it is small
}

func (s *Search) giveUp() {
	s.at.High, s.at.Target = s.at.Target, 0
}

// keep notes the rows of trees that a target used.
func (s *Search) keep(t *try) {
	cuts := make([]Row, 0, len(t.cuts))
	for i := range t.cuts {
		if c := &t.cuts[i]; c.idle < mostIdle {
			cuts = append(cuts, c.row.Row)
		}
	}
	s.at.Cuts = cuts[max(0, len(cuts)-mostCuts):]
}

// try is the linear program of one target.
type try struct {
	p      *Problem
	target int64
	column []int // of the linear program, for each of the problem's; -1 for none
	base   []int // kind of each unit that the others leave
	lp     *simplex
	scale  float64 // the objective that excludes the target
	rows   map[int]*row
	cuts   []cut // trees
	prices []priced
	main   row
	values []float64
	in     []float64 // of unit and kind
	cut    []float64 // of each edge
}

// cut is a tree's row in the linear program.
type cut struct {
	row      *row
	variable int
	idle     int // rounds in which it was not tight
}

// mostIdle is for how many rounds a row is kept that is not tight.
const mostIdle = 6

func (s *Search) newTry(target int64) *try {
	p := s.p
	t := &try{p: p, target: target, column: make([]int, p.columns()), base: make([]int, p.Units),
		rows: make(map[int]*row), in: make([]float64, p.Units*len(p.Kinds)), cut: make([]float64, len(p.Edges)),
		scale: 1}
	n := 0
	for j := range t.column {
		t.column[j] = -1
	}
	for u := range p.Units {
		t.base[u] = -1
		for c := range p.Kinds {
			switch {
			case !p.allowed(u, c, t.target):
			case t.base[u] < 0:
				t.base[u] = c
			default:
				t.column[p.in(u, c)] = n
				n++
			}
		}
	}
	for e := range p.Edges {
		t.column[p.cut(e)] = n
		if n++; p.needsAcross(e) && len(p.Kinds) > 1 {
			t.column[p.across(e)] = n
			n++
		}
	}
	cost, upper := make([]float64, n), make([]float64, n)
	for j := range upper {
		upper[j] = 1
	}
	if s.main >= 0 {
		t.main, _ = p.numbers(Row{Rule: Loads, Set: s.main}, t.target, nil)
		t.scale = float64(-t.main.least) / Whole
		for i, j := range t.main.column {
			if k := t.column[j]; k >= 0 {
				cost[k] -= float64(t.main.value[i]) / Whole
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for j := range cost { // costs that are alike make many pivots that gain nothing
		cost[j] += perturbed * t.scale * (0.5 + random.Float64())
	}
	t.lp = newSimplex(cost, upper)
	t.alternatives()
	for _, name := range s.always {
		if r, ok := p.numbers(name, t.target, s.separator.apart); ok {
			t.add(r)
		}
	}
	for _, name := range s.at.Cuts {
		if r, ok := p.numbers(name, t.target, s.separator.apart); ok {
			v, row := t.add(r)
			t.cuts = append(t.cuts, cut{row, v, 0})
		}
	}
	return t
}

// alternatives has each unit on no more than one of several kinds beside its base. certify knows that.
func (t *try) alternatives() {
	for u := range t.p.Units {
		var column []int
		var value []float64
		for c := range t.p.Kinds {
			if k := t.column[t.p.in(u, c)]; k >= 0 {
				column, value = append(column, k), append(value, -1)
			}
		}
		if len(column) > 1 {
			t.lp.add(column, value, -1)
		}
	}
}

// add writes a row down in the columns of the linear program, and in numbers near 1.
func (t *try) add(r row) (variable int, kept *row) {
	most := 1.0
	for _, v := range r.value {
		most = math.Max(most, math.Abs(float64(v)))
	}
	var column []int
	var value []float64
	least := float64(r.least) / most
	for i, j := range r.column {
		v := float64(r.value[i]) / most
		if k := t.column[j]; k >= 0 {
			column, value = append(column, k), append(value, v)
			continue
		}
		if j >= t.p.Units*len(t.p.Kinds) {
			continue
		}
		u, c := j/len(t.p.Kinds), j%len(t.p.Kinds)
		if t.base[u] != c {
			continue // the unit may not be there
		}
		least -= v
		for other := range t.p.Kinds {
			if k := t.column[t.p.in(u, other)]; k >= 0 {
				column, value = append(column, k), append(value, -v)
			}
		}
	}
	variable = t.lp.add(column, value, least)
	kept = &r
	t.rows[variable] = kept
	return variable, kept
}

// worksBetween is how much is worked out between two looks at the context, and mostWork in one solve.
const (
	worksBetween = 5_000_000
	mostWork     = 2_000_000_000
)

// solve works out the linear program, and the multipliers where they exclude the target.
func (t *try) solve(ctx context.Context) verdict {
	begun := t.lp.work
	for {
		end, at := t.lp.solve(t.scale*(1+margin), t.lp.work+worksBetween)
		t.prices = t.prices[:0]
		take := func(variable int, price float64) {
			if r := t.rows[variable]; r != nil {
				most := 1.0
				for _, v := range r.value {
					most = math.Max(most, math.Abs(float64(v)))
				}
				t.prices = append(t.prices, priced{*r, price / most})
			}
		}
		switch end {
		case above:
			t.lp.prices(take)
			t.prices = append(t.prices, priced{t.main, 1.0 / Whole})
			return above
		case infeasible:
			t.lp.ray(at, take)
			return infeasible
		case solved:
			return solved
		}
		if ctx.Err() != nil || t.lp.work-begun > mostWork {
			return unfinished
		}
	}
}

// separate adds the rows that the point breaks, and drops those that have not been tight for long.
func (t *try) separate(s *Search) int {
	t.point()
	t.age()
	broken := s.separator.separate(t.target, func(u, c int) float64 { return t.in[t.p.in(u, c)] }, t.cut)
	added := 0
	for _, f := range broken[:min(len(broken), roundCuts)] {
		if r, ok := t.p.numbers(f.row, t.target, s.separator.apart); ok {
			v, row := t.add(r)
			t.cuts = append(t.cuts, cut{row, v, 0})
			s.extra = append(s.extra, f.row)
			added++
		}
	}
	return added
}

// point reads where units are and which edges are cut.
func (t *try) point() {
	t.values = t.lp.values(t.values)
	for u := range t.p.Units {
		rest := 1.0
		for c := range t.p.Kinds {
			t.in[t.p.in(u, c)] = 0
			if k := t.column[t.p.in(u, c)]; k >= 0 {
				t.in[t.p.in(u, c)] = t.values[k]
				rest -= t.values[k]
			}
		}
		t.in[t.p.in(u, t.base[u])] = rest
	}
	for e := range t.p.Edges {
		t.cut[e] = t.values[t.column[t.p.cut(e)]]
	}
}

// age counts for how long rows have not been tight.
func (t *try) age() {
	loose := make(map[int]bool)
	for i := range t.lp.rows {
		if l := &t.lp.rows[i]; l.variable >= t.lp.structural && l.value > 1e-6 {
			loose[l.variable] = true
		}
	}
	drop := make(map[int]bool)
	t.cuts = slices.DeleteFunc(t.cuts, func(c cut) bool {
		if drop[c.variable] = loose[c.variable] && c.idle+1 >= mostIdle; drop[c.variable] {
			delete(t.rows, c.variable)
		}
		return drop[c.variable]
	})
	for i := range t.cuts {
		if c := &t.cuts[i]; loose[c.variable] {
			c.idle++
		} else {
			c.idle = 0
		}
	}
	t.lp.drop(func(variable int) bool { return drop[variable] })
}
