package flow

import (
	"math"
	"slices"

	"xopt/flow/faults"
)

// Flows contains every flow of an application as a linear function of the flows from its free sources. It depends only
// on gain, routing and joins, not on the mapping. Routing is fixed (Beard 2013, Eq. 5), so the flow on each edge is a
// fixed multiple of each source's flow.
//
// A join ties sources to each other, and so do the turns of a copied source. The flow of a tied source is a function of
// the flows of the free sources. If all sources are tied together, there is one free source.
type Flows struct {
	Order []int  // kernels in topological order; see [Order]
	Back  []bool // for each edge, whether it closes a cycle; see [Feedback]
	// Sources contains the kernels without in-edges, except kernels that send only once. After these kernels, it
	// contains the first kernel of each loop without input from outside. The flow of such a loop is the input of its
	// first kernel.
	Sources []int
	Free    int // number of free sources, F ≥ 1

	// inject[s*F+f] is the flow from source s per byte/s of free source f.
	inject []float64
	// edge[e*F+f] is the flow on edge e per byte/s of free source f. arrive[k*F+f] is the arrival rate of kernel k (for
	// a source: its output) per byte/s of free source f.
	edge, arrive []float64
	// objective[f] is the throughput per byte/s of free source f.
	objective []float64
	// ties contains the independent constraints of joins and turns. Each tie eliminates one source.
	ties []tie
	// slackRows contains the negated flows of the sources that are not positive sums of free sources, with F weights
	// for each source. The condition row·z ≤ 0 keeps these flows nonnegative.
	slackRows []float64

	graph     *Graph
	loops     *loops    // nil if there is no cycle
	circles   []*circle // of kernels that wait for each other
	firings   []Firing  // of all kernels, one after the other
	firingsOf []int     // index of each kernel's first firing
	fires     []float64 // fires[k*F+f] is the firing rate of kernel k per byte/s of free source f
	grains    []Grain   // of each edge
}

// tie requires that the flows into ports a and b of a join, each divided by the port's bytes, are equal. If join is
// negative, a and b are indices into Sources, and their flows are divided by their turns.
type tie struct {
	kernel, join, a, b int
}

// turns is the value of tie.join for a tie between copies of a source.
const turns = -1

// exactJoinTolerance is the relative imbalance of a join's inputs that rounding alone can cause.
const exactJoinTolerance = 1e-9

// pivotRounding is the largest relative remainder that rounding can leave in a difference: 1e-16 for each product and
// sum. It is far below exactJoinTolerance, because a weight of 1e-10 relative to another weight may be significant, for
// example after gains of 1e-3 and 1e3.
const pivotRounding = 1e-13

// NewFlows derives the flows of an application that [Problem.Validate] accepts. tolerance is the relative imbalance of
// a join's inputs that is attributed to measurement errors; 0 permits only rounding errors. The error is a *CycleError,
// an *InitialError, a *LoopGainError or a *JoinError.
func NewFlows(app *Application, tolerance float64) (*Flows, error) {
	return newFlows(NewGraph(app), tolerance)
}

func newFlows(g *Graph, tolerance float64) (*Flows, error) {
	app, in := g.app, g.In
	order, back, err := g.order()
	if err != nil {
		return nil, err
	}
	f := &Flows{Order: order, Back: back, graph: g}
	for k := range app.Kernels {
		if len(in[k]) == 0 && !app.Kernels[k].Preload {
			f.Sources = append(f.Sources, k)
		}
	}
	if f.loops, err = newLoops(g, order, f.Back, tolerance); err != nil {
		return nil, err
	}
	f.Sources = append(f.Sources, f.loops.roots()...)
	// First treat every source as free, then apply the joins.
	f.Free = len(f.Sources)
	f.inject = identity(f.Free)
	f.propagate(app)
	if err := f.checkFlows(app); err != nil {
		return nil, err
	}
	if err := f.tieSources(app, tolerance); err != nil {
		return nil, err
	}
	f.propagate(app)
	f.findFirings(app)
	f.findGrains(app)
	f.circles = newCircles(app, f)
	for _, c := range f.circles {
		if c.lacking >= 0 {
			return nil, c.lackingError(app)
		}
	}
	return f, nil
}

// Edge returns the flow on edge e per byte/s of each free source; the caller must not modify it.
func (f *Flows) Edge(e int) []float64 { return f.edge[e*f.Free : (e+1)*f.Free] }

// Arrival returns the arrival rate of kernel k (Beard 2013, Eq. 7) per byte/s of each free source. For a source, it
// returns the output. The caller must not modify the result.
func (f *Flows) Arrival(k int) []float64 { return f.arrive[k*f.Free : (k+1)*f.Free] }

// Source returns the output of source number s (an index into Sources) per byte/s of each free source; the caller must
// not modify it.
func (f *Flows) Source(s int) []float64 { return f.inject[s*f.Free : (s+1)*f.Free] }

// Objective returns the throughput per byte/s of each free source; the caller must not modify it.
func (f *Flows) Objective() []float64 { return f.objective }

// propagate computes edge, arrive and objective from inject, in the order of the flows.
func (f *Flows) propagate(app *Application) {
	n := f.Free
	f.edge = make([]float64, len(app.Edges)*n)
	f.arrive = make([]float64, len(app.Kernels)*n)
	f.objective = make([]float64, n)
	for s, k := range f.Sources {
		for j, x := range f.Source(s) {
			f.arrive[k*n+j] = x
			f.objective[j] += x
		}
	}
	out := f.graph.Out
	for _, k := range f.order() {
		if l := f.loops.of(k); l != nil && l.kernels[0] == k {
			f.solveLoop(l) // arrival rates of all kernels of the loop
		}
		arrival := f.Arrival(k)
		gain := app.Kernels[k].Gain
		for _, e := range out[k] {
			edge := &app.Edges[e]
			inside := f.loops.contains(edge)
			for j, x := range arrival {
				y := x * gain * edge.Routing
				f.edge[e*n+j] = y
				if !inside {
					f.arrive[edge.To*n+j] += y
				}
			}
		}
	}
}

// order returns the kernels in the order in which flows are computed: the order of the loops, or Order if there are no
// loops.
func (f *Flows) order() []int {
	if f.loops == nil {
		return f.Order
	}
	return f.loops.order
}

// tieSources eliminates sources by turns, and by the ratios of joins.
func (f *Flows) tieSources(app *Application, tolerance float64) error {
	n := f.Free
	t := tying{app: app, flows: f, noise: math.Max(tolerance, pivotRounding),
		tolerance: math.Max(tolerance, exactJoinTolerance)}
	for s, k := range f.Sources {
		if kernel := &app.Kernels[k]; kernel.Turns > 0 && kernel.First != k {
			first := slices.Index(f.Sources, kernel.First)
			if err := t.add(newTurnsRow(app, tie{kernel: k, join: turns, a: first, b: s}, f.Sources)); err != nil {
				return err
			}
		}
	}
	for k := range app.Kernels {
		for j, join := range app.Kernels[k].Joins {
			for b := 1; b < len(join.Ports); b++ {
				if err := t.add(newTieRow(f, tie{kernel: k, join: j, a: 0, b: b}, join, n)); err != nil {
					return err
				}
			}
		}
	}
	if len(t.rows) > 0 {
		f.substitute(t.rows, n, t.tolerance)
	}
	return nil
}

// tying is the state of an elimination of sources.
type tying struct {
	app              *Application
	flows            *Flows
	noise, tolerance float64
	rows             []tieRow
}

// add adds a constraint, unless the previous constraints imply it.
func (t *tying) add(row tieRow) error {
	row.dropNoise(t.noise) // otherwise noise would count as a value in the columns of other sources
	for i := range t.rows {
		row.reduce(&t.rows[i])
		row.dropNoise(t.noise)
	}
	row.dropNoise(t.tolerance)
	if row.isZero() {
		return nil
	}
	if err := row.choosePivot(t.app); err != nil {
		return err
	}
	t.rows = append(t.rows, row)
	t.flows.ties = append(t.flows.ties, row.tie)
	return nil
}

// substitute computes inject from the sources that are not pivots.
func (f *Flows) substitute(rows []tieRow, n int, tolerance float64) {
	// Back substitution: an earlier row may contain the pivots of later rows.
	for i := len(rows) - 1; i >= 0; i-- {
		for j := i + 1; j < len(rows); j++ {
			rows[i].reduce(&rows[j])
		}
		rows[i].dropNoise(tolerance)
	}
	column := make([]int, n) // index of source s among the free sources, or -1
	pivot := make([]*tieRow, n)
	for i := range rows {
		pivot[rows[i].pivot] = &rows[i]
	}
	free := 0
	for s := range column {
		column[s] = -1
		if pivot[s] == nil {
			column[s] = free
			free++
		}
	}
	f.Free = free
	f.inject = make([]float64, n*free)
	for s := range column {
		if pivot[s] == nil {
			f.inject[s*free+column[s]] = 1
			continue
		}
		// The solution of coefficient·x = 0 for the pivot.
		row := pivot[s]
		negative := false
		for t, c := range row.coef {
			if t == s || column[t] < 0 || c == 0 {
				continue
			}
			w := -c / row.coef[s]
			f.inject[s*free+column[t]] = w
			negative = negative || w < 0
		}
		if negative {
			for _, w := range f.Source(s) {
				f.slackRows = append(f.slackRows, -w)
			}
		}
	}
}

// tieRow is one constraint, Σ coef[s]·x_s = 0 over the sources. Each coefficient is a difference of terms. mag contains
// the magnitude of the terms, to distinguish cancellation from a small value.
type tieRow struct {
	tie       tie
	coef, mag []float64
	a, b      []float64 // flow into the two ports divided by their bytes, per source
	pivot     int
}

func newTieRow(f *Flows, t tie, join Join, n int) tieRow {
	r := tieRow{tie: t, coef: make([]float64, n), mag: make([]float64, n), a: make([]float64, n), b: make([]float64, n)}
	for s := range n {
		for _, e := range join.Ports[t.a].Edges {
			r.a[s] += f.Edge(e)[s] / join.Ports[t.a].Bytes
		}
		for _, e := range join.Ports[t.b].Edges {
			r.b[s] += f.Edge(e)[s] / join.Ports[t.b].Bytes
		}
		r.coef[s] = r.a[s] - r.b[s]
		r.mag[s] = r.a[s] + r.b[s]
	}
	return r
}

// newTurnsRow returns the row that makes the outputs of two copies of a source proportional to their turns.
func newTurnsRow(app *Application, t tie, sources []int) tieRow {
	n := len(sources)
	r := tieRow{tie: t, coef: make([]float64, n), mag: make([]float64, n), a: make([]float64, n), b: make([]float64, n)}
	r.a[t.a], r.b[t.b] = 1/app.Kernels[sources[t.a]].Turns, 1/app.Kernels[sources[t.b]].Turns
	for s := range n {
		r.coef[s] = r.a[s] - r.b[s]
		r.mag[s] = r.a[s] + r.b[s]
	}
	return r
}

// reduce eliminates the pivot of other from r.
func (r *tieRow) reduce(other *tieRow) {
	c := r.coef[other.pivot]
	if c == 0 {
		return
	}
	w := c / other.coef[other.pivot]
	for s := range r.coef {
		r.coef[s] -= w * other.coef[s]
		r.mag[s] += math.Abs(w) * other.mag[s]
	}
	r.coef[other.pivot] = 0
}

// dropNoise sets coefficients to zero if they are only rounding or measurement errors.
func (r *tieRow) dropNoise(tolerance float64) {
	for s := range r.coef {
		if math.Abs(r.coef[s]) <= tolerance*r.mag[s] {
			r.coef[s] = 0
		}
	}
}

func (r *tieRow) isZero() bool {
	for _, c := range r.coef {
		if c != 0 {
			return false
		}
	}
	return true
}

// choosePivot selects the source to eliminate. It prefers a source that is the only one with its sign, because this
// source becomes a positive sum of the other sources. Otherwise it selects the source with the largest coefficient. A
// row with only one sign would force its sources to zero; this is an error in the application.
func (r *tieRow) choosePivot(app *Application) error {
	var count [2]int
	var last [2]int
	largest := 0
	for s, c := range r.coef {
		if c == 0 {
			continue
		}
		sign := 0
		if c < 0 {
			sign = 1
		}
		count[sign]++
		last[sign] = s
		if math.Abs(c) > math.Abs(r.coef[largest]) {
			largest = s
		}
	}
	switch {
	case count[0] == 0 || count[1] == 0:
		return r.imbalance(app)
	case count[0] == 1:
		r.pivot = last[0]
	case count[1] == 1:
		r.pivot = last[1]
	default:
		r.pivot = largest
	}
	return nil
}

// imbalance returns the error for a join, or turns of a source, that no positive flow satisfies.
func (r *tieRow) imbalance(app *Application) error {
	k := &app.Kernels[r.tie.kernel]
	if r.tie.join == turns { // a tie between copies of a source has no join
		return faults.SourceTurns.Errorf("no steady flow exists in which source %s and its copies send in turns "+
			"(check the routing and the joins after these copies, or map the source to one resource)", k.Name)
	}
	ports := k.Joins[r.tie.join].Ports
	e := &JoinError{
		Kernel: k.Name,
		Ports:  [2]string{ports[r.tie.a].Name, ports[r.tie.b].Name},
		Want:   ports[r.tie.b].Bytes / ports[r.tie.a].Bytes,
		Ratio:  math.NaN(),
	}
	fed, from := 0, 0
	for s := range r.a {
		if r.a[s] != 0 || r.b[s] != 0 {
			fed, from = fed+1, s
		}
	}
	if fed == 1 {
		e.Ratio = r.b[from] / r.a[from] * e.Want
	}
	return e
}

func identity(n int) []float64 {
	m := make([]float64, n*n)
	for i := range n {
		m[i*n+i] = 1
	}
	return m
}
