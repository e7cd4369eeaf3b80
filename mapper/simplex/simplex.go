// Package simplex solves linear programs by the dual simplex method (Lemke, The Dual Method of Solving the Linear
// Programming Problem, 1954). It is intended for small programs that change between solves: callers add rows and fix
// variables.
package simplex

import (
	"cmp"
	"math"
	"slices"
)

// LP is a linear program with bounded variables:
//
//	minimize Σ cost × x, where Σ value × x ≥ minimum for each row
//
// The structural variables x range from 0 to their upper bounds. Each row has a nonnegative surplus variable. A dense
// dictionary expresses the basic variables by the variables at a bound.
//
// Costs are nonnegative, so the initial basis is dual feasible, and each pivot raises the objective. Rows can be added
// at any time. Results contain rounding errors.
type LP struct {
	structural int
	upper      []float64 // upper bound of each variable; rows follow the structural variables
	rows       []line    // one per basic variable
	column     []int     // variable of each column
	high       []bool    // by column: the variable is at its upper bound
	cost       []float64 // reduced cost of each column
	Objective  float64   // objective of the current basis; a lower bound on the optimum
	place      []int     // by structural variable: its column or, if it is basic, -1 - the index of its line
	Work       uint64    // number of elementary operations executed

	steps []breakpoint
}

// line is a row of the dictionary. It expresses a basic variable by the nonbasic variables of the columns.
type line struct {
	variable int
	factor   []float64
	value    float64
	norm     float64 // Σ factor² + 1
}

// breakpoint is the dual step at which the reduced cost of a column becomes 0.
type breakpoint struct {
	column       int
	ratio, pivot float64
}

// Verdict is the reason why a solve ended.
type Verdict uint8

const (
	Solved     Verdict = iota // the basis is optimal
	Above                     // the objective exceeds the limit
	Infeasible                // no values of the variables satisfy the line that [LP.Solve] returns
	Unfinished                // the work limit ended the solve
)

// Tolerances of rounding errors, for coefficients near 1.
const (
	feasible   = 1e-8  // largest violation of a variable's bound that is ignored
	smallPivot = 1e-8  // smallest usable pivot
	negligible = 1e-13 // factors below this value count as 0
	rounding   = 1e-11 // largest violation of a row that is ignored after all columns have flipped
)

// New returns a program without rows. cost contains the costs of the structural variables, which must be at least 0.
// upper contains their upper bounds; +Inf for none.
func New(cost, upper []float64) *LP {
	x := &LP{structural: len(cost), upper: slices.Clone(upper), cost: slices.Clone(cost),
		high: make([]bool, len(cost))}
	for j := range cost {
		x.column, x.place = append(x.column, j), append(x.place, j)
	}
	return x
}

// Add adds the row Σ value × x ≥ minimum, where column contains the structural variables x. It returns the surplus
// variable of the row.
func (x *LP) Add(column []int, value []float64, minimum float64) int {
	l := line{variable: len(x.upper), factor: make([]float64, len(x.column)), value: -minimum}
	x.upper = append(x.upper, math.Inf(1))
	for i, j := range column {
		at := x.place[j]
		if at >= 0 {
			l.factor[at] += value[i]
			if x.high[at] {
				l.value += value[i] * x.upper[j]
			}
			continue
		}
		other := &x.rows[-1-at]
		l.value += value[i] * other.value
		for k, f := range other.factor {
			l.factor[k] += value[i] * f
		}
		x.Work += uint64(len(l.factor))
	}
	l.measure()
	x.rows = append(x.rows, l)
	return l.variable
}

// measure computes the norm of the line.
func (l *line) measure() {
	l.norm = 1
	for _, f := range l.factor {
		l.norm += f * f
	}
}

// Drop removes the slack rows for whose surplus variable named returns true.
func (x *LP) Drop(named func(variable int) bool) {
	x.rows = slices.DeleteFunc(x.rows, func(l line) bool {
		return l.variable >= x.structural && l.value > feasible && named(l.variable)
	})
	for i := range x.rows {
		if v := x.rows[i].variable; v < x.structural {
			x.place[v] = -1 - i
		}
	}
}

// Values returns the values of the structural variables. It reuses the memory of list.
func (x *LP) Values(list []float64) []float64 {
	list = list[:0]
	for j, at := range x.place {
		switch {
		case at < 0:
			list = append(list, x.rows[-1-at].value)
		case x.high[at]:
			list = append(list, x.upper[j])
		default:
			list = append(list, 0)
		}
	}
	return list
}

// Solve pivots until the optimum, until the objective exceeds limit, or until Work exceeds work. If the program is
// infeasible, at is the line that no values satisfy, for [LP.Ray].
func (x *LP) Solve(limit float64, work uint64) (outcome Verdict, at int) {
	for {
		if x.Objective > limit {
			return Above, 0
		}
		if x.Work > work {
			return Unfinished, 0
		}
		at, up := x.leaving()
		if at < 0 {
			return Solved, 0
		}
		x.Work += uint64(len(x.rows) + len(x.column))
		column := x.entering(at, up)
		if column < 0 {
			return Infeasible, at
		}
		x.pivot(at, column, up)
	}
}

// leaving returns the row with the largest bound violation relative to its norm; -1 if no bound is violated. up is true
// if the value of the row must increase.
func (x *LP) leaving() (at int, up bool) {
	at = -1
	maximum := 0.0
	for i := range x.rows {
		l := &x.rows[i]
		beyond := -l.value
		if excess := l.value - x.upper[l.variable]; excess > beyond {
			beyond = excess
		}
		if beyond > feasible {
			if score := beyond * beyond / l.norm; score > maximum {
				at, maximum, up = i, score, l.value < 0
			}
		}
	}
	return at, up
}

// entering returns the column for a row. It first flips columns to their other bound, as long as the row remains
// infeasible (bound flipping: Maros, A Generalized Dual Phase-2 Simplex Algorithm, 2003). It returns -1 if the row is
// still infeasible after all flips.
func (x *LP) entering(at int, up bool) int {
	l := &x.rows[at]
	x.steps = x.steps[:0]
	for j, f := range l.factor {
		toward := f
		if x.high[j] != !up { // a column at its upper bound can only decrease
			toward = -f
		}
		if toward > smallPivot && x.upper[x.column[j]] > 0 {
			x.steps = append(x.steps, breakpoint{j, math.Abs(x.cost[j]) / toward, toward})
		}
	}
	slices.SortFunc(x.steps, func(a, b breakpoint) int {
		return cmp.Or(cmp.Compare(a.ratio, b.ratio), cmp.Compare(b.pivot, a.pivot), cmp.Compare(a.column, b.column))
	})
	beyond := -l.value
	if !up {
		beyond = l.value - x.upper[l.variable]
	}
	for i, s := range x.steps {
		if beyond -= s.pivot * x.upper[x.column[s.column]]; beyond <= rounding {
			best := i
			// If ratios are equal, the largest factor is numerically best.
			for k := i + 1; k < len(x.steps) && x.steps[k].ratio <= s.ratio+1e-12; k++ {
				if x.steps[k].pivot > x.steps[best].pivot {
					best = k
				}
			}
			for k := range i {
				x.flip(x.steps[k].column)
			}
			return x.steps[best].column
		}
	}
	return -1
}

// flip moves the variable of a column to its other bound.
func (x *LP) flip(j int) {
	by := x.upper[x.column[j]]
	if x.high[j] {
		by = -by
	}
	x.high[j] = !x.high[j]
	x.Objective += by * x.cost[j]
	for i := range x.rows {
		if f := x.rows[i].factor[j]; f != 0 {
			x.rows[i].value += by * f
		}
	}
	x.Work += uint64(len(x.rows))
}

// pivot exchanges the variables of a row and a column. The variable of the row moves to its violated bound.
func (x *LP) pivot(at, j int, up bool) {
	l := &x.rows[at]
	bound := 0.0
	if !up {
		bound = x.upper[l.variable]
	}
	p := l.factor[j]
	step := (bound - l.value) / p
	start := 0.0
	if x.high[j] {
		start = x.upper[x.column[j]]
	}
	x.Objective += step * x.cost[j]
	in, out := x.column[j], l.variable
	for k := range l.factor {
		l.factor[k] /= -p
		if math.Abs(l.factor[k]) < negligible {
			l.factor[k] = 0
		}
	}
	l.factor[j] = 1 / p
	l.variable, l.value = in, start+step
	l.measure()
	if in < x.structural {
		x.place[in] = -1 - at
	}
	if out < x.structural {
		x.place[out] = j
	}
	x.column[j], x.high[j] = out, !up
	c := x.cost[j]
	x.cost[j] = 0
	for k, f := range l.factor {
		x.cost[k] += c * f
	}
	for i := range x.rows {
		if i != at {
			x.replace(i, j, l.factor, step)
		}
	}
	x.Work += uint64(len(l.factor))
}

// replace updates line i after a pivot in column j. by is the new line of the column's former variable, which changes
// by step.
func (x *LP) replace(i, j int, by []float64, step float64) {
	l := &x.rows[i]
	f := l.factor[j]
	if f == 0 {
		return
	}
	l.value += step * f
	l.factor[j] = 0
	factor := l.factor[:len(by)]
	norm := 1.0
	for k, b := range by {
		v := factor[k] + f*b
		factor[k] = v
		norm += v * v
	}
	l.norm = norm
	x.Work += uint64(len(by))
}

// Rows calls visit for each row that is not tight, with its surplus variable and the value of this variable.
func (x *LP) Rows(visit func(variable int, value float64)) {
	for i := range x.rows {
		if l := &x.rows[i]; l.variable >= x.structural {
			visit(l.variable, l.value)
		}
	}
}

// Tight calls visit for each tight row, with its surplus variable.
func (x *LP) Tight(visit func(variable int)) {
	for _, v := range x.column {
		if v >= x.structural {
			visit(v)
		}
	}
}

// Prices calls visit for each row with a positive multiplier, with its surplus variable and the multiplier (the dual
// value of the row). The multipliers are valid after a solve with the outcome [Solved] or [Above].
func (x *LP) Prices(visit func(variable int, price float64)) {
	for j, v := range x.column {
		if v >= x.structural && x.cost[j] > 0 {
			visit(v, x.cost[j])
		}
	}
}

// Ray calls visit for each row with a positive multiplier in the proof that no values satisfy a line. The arguments are
// the surplus variable of the row, and the multiplier. at is the line that [LP.Solve] returned with the outcome
// [Infeasible].
func (x *LP) Ray(at int, visit func(variable int, price float64)) {
	l := &x.rows[at]
	sign := -1.0
	if l.value > 0 {
		sign = 1
	}
	for j, v := range x.column {
		if price := sign * l.factor[j]; v >= x.structural && price > 0 {
			visit(v, price)
		}
	}
	if sign < 0 && l.variable >= x.structural {
		visit(l.variable, 1)
	}
}

// Long reports whether the program has many more rows than columns, so that [LP.Drop] saves time.
func (x *LP) Long() bool { return len(x.rows) >= 3*len(x.column) }

// Clone returns a copy of the program, with its basis.
func (x *LP) Clone() *LP {
	y := *x
	y.upper, y.column, y.high = slices.Clone(x.upper), slices.Clone(x.column), slices.Clone(x.high)
	y.cost, y.place, y.steps = slices.Clone(x.cost), slices.Clone(x.place), nil
	y.rows = slices.Clone(x.rows)
	for i := range y.rows {
		y.rows[i].factor = slices.Clone(x.rows[i].factor)
	}
	return &y
}

// Zero permanently fixes a structural variable, or the surplus variable of a row that was just added, at 0. The row
// becomes an equation.
func (x *LP) Zero(variable int) {
	if variable < x.structural {
		if at := x.place[variable]; at >= 0 && x.high[at] {
			x.flip(at)
		}
	}
	x.upper[variable] = 0
}
