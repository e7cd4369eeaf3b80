package cutbound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"xopt/mapper/simplex"
)

// try is the linear program of one target.
type try struct {
	p      *Problem
	target int64
	column []int // by column of the problem: column of the linear program; -1 for none
	base   []int // by unit: the kind whose variable is 1 minus the variables of the other kinds
	lp     *simplex.LP
	scale  float64 // objective that excludes the target
	rows   map[int]*row
	cuts   []cut // trees
	prices []priced
	main   row
	values []float64
	in     []float64 // by unit and kind
	cut    []float64 // by edge
}

// cut is a tree's row in the linear program.
type cut struct {
	row      *row
	variable int
	idle     int // number of consecutive rounds in which the row was slack
}

// maxIdle is the number of consecutive rounds after which a slack row is dropped.
const maxIdle = 6

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
		t.scale = float64(-t.main.min) / One
		for i, j := range t.main.column {
			if k := t.column[j]; k >= 0 {
				cost[k] -= float64(t.main.value[i]) / One
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for j := range cost { // perturb the costs: equal costs cause many degenerate pivots
		cost[j] += perturbed * t.scale * (0.5 + random.Float64())
	}
	t.lp = simplex.New(cost, upper)
	t.alternatives()
	for _, name := range s.always {
		if r, ok := p.numbers(name, t.target, s.separator.separateUnits); ok {
			t.add(r)
		}
	}
	for _, name := range s.at.Cuts {
		if r, ok := p.numbers(name, t.target, s.separator.separateUnits); ok {
			v, row := t.add(r)
			t.cuts = append(t.cuts, cut{row, v, 0})
		}
	}
	return t
}

// alternatives adds the constraint that a unit has at most one kind other than its base kind. certify requires this
// constraint.
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
			t.lp.Add(column, value, -1)
		}
	}
}

// add adds a row to the linear program, scaled to numbers near 1.
func (t *try) add(r row) (variable int, kept *row) {
	maximum := 1.0
	for _, v := range r.value {
		maximum = math.Max(maximum, math.Abs(float64(v)))
	}
	var column []int
	var value []float64
	minimum := float64(r.min) / maximum
	for i, j := range r.column {
		v := float64(r.value[i]) / maximum
		if k := t.column[j]; k >= 0 {
			column, value = append(column, k), append(value, v)
			continue
		}
		if j >= t.p.Units*len(t.p.Kinds) {
			continue
		}
		u, c := j/len(t.p.Kinds), j%len(t.p.Kinds)
		if t.base[u] != c {
			continue // the unit cannot be on the kind
		}
		minimum -= v
		for other := range t.p.Kinds {
			if k := t.column[t.p.in(u, other)]; k >= 0 {
				column, value = append(column, k), append(value, -v)
			}
		}
	}
	variable = t.lp.Add(column, value, minimum)
	kept = &r
	t.rows[variable] = kept
	return variable, kept
}

// worksBetween is the work between two checks of the context, and maxWork the work limit of one solve, in elementary
// operations.
const (
	worksBetween = 5_000_000
	maxWork      = 2_000_000_000
)

// solve solves the linear program, and stores the multipliers if they exclude the target.
func (t *try) solve(ctx context.Context) simplex.Verdict {
	begun := t.lp.Work
	for {
		outcome, at := t.lp.Solve(t.scale*(1+margin), t.lp.Work+worksBetween)
		t.prices = t.prices[:0]
		choose := func(variable int, price float64) {
			if r := t.rows[variable]; r != nil {
				maximum := 1.0
				for _, v := range r.value {
					maximum = math.Max(maximum, math.Abs(float64(v)))
				}
				t.prices = append(t.prices, priced{*r, price / maximum})
			}
		}
		switch outcome {
		case simplex.Above:
			t.lp.Prices(choose)
			t.prices = append(t.prices, priced{t.main, 1.0 / One})
			return simplex.Above
		case simplex.Infeasible:
			t.lp.Ray(at, choose)
			return simplex.Infeasible
		case simplex.Solved:
			return simplex.Solved
		}
		if ctx.Err() != nil || t.lp.Work-begun > maxWork {
			return simplex.Unfinished
		}
	}
}

// separate adds violated tree rows, and drops rows that have been slack for maxIdle rounds. It returns the number of
// added rows.
func (t *try) separate(s *Search) int {
	t.point()
	t.age()
	broken := s.separator.separate(t.target, func(u, c int) float64 { return t.in[t.p.in(u, c)] }, t.cut)
	added := 0
	for _, f := range broken[:min(len(broken), roundCuts)] {
		if r, ok := t.p.numbers(f.row, t.target, s.separator.separateUnits); ok {
			v, row := t.add(r)
			t.cuts = append(t.cuts, cut{row, v, 0})
			added++
		}
	}
	return added
}

// point copies the values of z and x from the solution of the linear program.
func (t *try) point() {
	t.values = t.lp.Values(t.values)
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

// age counts the rounds in which each tree row was slack, and drops rows after maxIdle consecutive rounds.
func (t *try) age() {
	loose := make(map[int]bool)
	t.lp.Rows(func(variable int, value float64) { loose[variable] = value > 1e-6 })
	drop := make(map[int]bool)
	t.cuts = slices.DeleteFunc(t.cuts, func(c cut) bool {
		if drop[c.variable] = loose[c.variable] && c.idle+1 >= maxIdle; drop[c.variable] {
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
	t.lp.Drop(func(variable int) bool { return drop[variable] })
}
