//go:build clp

package flow

import (
	"context"
	"fmt"
	"math"
)

// FullLP solves a network as the edge-by-edge linear program of Beard 2013 §3.1 with COIN-OR's CLP. It does not assume
// that routing is fixed. It is slower than [Fast] by orders of magnitude, and serves as a reference in tests. It exists
// only in builds with the tag clp. The zero value is ready to use.
type FullLP struct{}

// Solve implements [Solver].
func (f FullLP) Solve(ctx context.Context, n *Network) (*Solution, error) {
	lp := newLinearProgram(n)
	x, dual, err := f.optimum(ctx, n, lp)
	if err != nil {
		return nil, err
	}
	s := n.solution(lp.rates(n, x))
	limitDual := make([]float64, len(n.Limits))
	for i, row := range lp.limit {
		limitDual[i] = dual[row]
	}
	s.Prices = n.prices(limitDual, s)
	s.Bottlenecks, err = f.bottlenecks(ctx, n, lp)
	return s, err
}

// optimum solves the program once, and returns an error if there is no optimum.
func (f FullLP) optimum(ctx context.Context, n *Network, lp *linearProgram) (x, dual []float64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	lp.setUnits(n)
	x, dual, status, err := lp.solve()
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("solving the linear program of %d arcs: %w", lp.columns, err)
	case status == lpUnbounded:
		return nil, nil, n.unbounded()
	case !(dot(lp.objective, x) > 0):
		return nil, nil, n.noFlow()
	}
	return x, dual, nil
}

// bottlenecks relaxes the binding limits step by step, and solves again.
func (f FullLP) bottlenecks(ctx context.Context, n *Network, lp *linearProgram) ([]Bottleneck, error) {
	var steps []Bottleneck
	for len(steps) < bottleneckSteps {
		x, dual, err := f.optimum(ctx, n, lp)
		if err != nil {
			return steps, ctx.Err() // nothing limits the flow any more
		}
		b := Bottleneck{Throughput: dot(lp.objective, x)}
		for i, at := range lp.limit {
			row := &lp.rows[at]
			binds := row.activity(x) >= row.upper*(1-bindingTolerance)
			if n.Flows.Free > 1 {
				binds = dual[at] > bindingTolerance*b.Throughput || binds && f.isBinding(ctx, n, lp, at, b.Throughput)
			}
			if binds {
				b.Limits = append(b.Limits, i)
			}
		}
		if len(b.Limits) == 0 {
			return steps, nil
		}
		for _, i := range b.Limits {
			lp.rows[lp.limit[i]].upper = math.Inf(1)
		}
		steps = append(steps, b)
	}
	return steps, nil
}

// isBinding reports whether the optimum falls when a row's bound is reduced slightly. Such a row is binding. Its price
// may be 0 because another row binds at the same time.
func (f FullLP) isBinding(ctx context.Context, n *Network, lp *linearProgram, row int, optimum float64) bool {
	const step, noise = 1e-4, 1e-8
	upper := lp.rows[row].upper
	lp.rows[row].upper = upper * (1 - step)
	x, _, err := f.optimum(ctx, n, lp)
	lp.rows[row].upper = upper
	return err == nil && dot(lp.objective, x) < optimum*(1-noise)
}

// linearProgram is the edge-by-edge linear program of a network:
//
//	maximize objective·x  subject to  lower ≤ row·x ≤ upper,  x ≥ 0
//
// Each variable is the flow on one arc: from s to a source, on each section of an edge between stations, or from a sink
// to t.
type linearProgram struct {
	columns   int
	objective []float64
	rows      []lpRow
	// unit is the expected order of magnitude of the flow in each column. CLP solves in these units, so that its
	// tolerances also suit gains of 1e-3 and 1e3.
	unit []float64

	source []int   // column of each source
	first  []int   // column on which each edge leaves its kernel
	last   []int   // column on which each edge ends
	into   [][]int // columns that end at each station
	limit  []int   // row of each limit
}

// lpRow is the constraint lower ≤ Σ value·x[column] ≤ upper. An equation has lower = upper.
type lpRow struct {
	column       []int
	value        []float64
	lower, upper float64
	name         string
}

// activity returns row·x.
func (r *lpRow) activity(x []float64) float64 {
	sum := 0.0
	for i, c := range r.column {
		sum += r.value[i] * x[c]
	}
	return sum
}

// newLinearProgram builds Beard 2013, Eq. 1-7, for every station and arc, without assuming that routing is fixed.
func newLinearProgram(n *Network) *linearProgram {
	app := &n.Problem.Application
	lp := &linearProgram{into: make([][]int, len(n.Stations))}
	for _, k := range n.Flows.Sources {
		c := lp.column()
		lp.objective[c] = 1
		lp.source = append(lp.source, c)
		if n.Flows.loops.of(k) == nil {
			lp.into[k] = append(lp.into[k], c)
		}
	}
	lp.first = make([]int, len(app.Edges))
	lp.last = make([]int, len(app.Edges))
	for e := range app.Edges {
		at := lp.column()
		lp.first[e] = at
		for hop := range n.Mapping.Route[e] {
			station := n.hops[e] + hop
			lp.into[station] = append(lp.into[station], at)
			next := lp.column()
			lp.equation("conservation at "+n.Stations[station].Name, []int{next, at}, []float64{1, -1}) // Eq. 2, γ = 1
			at = next
		}
		lp.last[e] = at
		to := app.Edges[e].To
		lp.into[to] = append(lp.into[to], at)
	}
	implied := lp.closedLoops(n)
	for e := range app.Edges { // Eq. 2, 3 and 5: f = γ R Σ f_in
		from := app.Edges[e].From
		if implied[e] {
			continue
		}
		in := lp.into[from]
		columns := append([]int{lp.first[e]}, in...)
		values := make([]float64, len(columns))
		values[0] = 1
		for i := range in {
			values[i+1] = -app.Kernels[from].Gain * app.Edges[e].Routing
		}
		lp.equation("routing of "+app.Edges[e].Name, columns, values)
	}
	for _, t := range n.Flows.ties {
		lp.tie(n, t)
	}
	phi := n.Problem.maxUtilization()
	for i := range n.Limits {
		lp.limit = append(lp.limit, len(lp.rows))
		row := lpRow{lower: 0, upper: phi, name: n.Limits[i].Name} // Eq. 4 and 6
		for j, m := range n.Limits[i].Members {
			for _, c := range lp.into[m] { // Eq. 7
				row.column = append(row.column, c)
				row.value = append(row.value, n.Limits[i].Weight[j])
			}
		}
		for _, cost := range n.Limits[i].Costs {
			columns := lp.into[n.Limits[i].Members[cost.Member]]
			if cost.Edge >= 0 {
				columns = []int{lp.last[cost.Edge]}
			}
			if cost.Part == Sending {
				columns = []int{lp.first[cost.Edge]}
			}
			for _, c := range columns {
				row.column = append(row.column, c)
				row.value = append(row.value, cost.Weight)
			}
		}
		lp.rows = append(lp.rows, row)
	}
	return lp
}

// closedLoops adds an equation for each loop without input: the column of its first kernel represents the input of this
// kernel. One routing equation of the loop follows from its other equations. closedLoops marks it as implied, because
// with rounding this equation would force the flow in the loop to zero.
func (lp *linearProgram) closedLoops(n *Network) (implied map[int]bool) {
	implied = make(map[int]bool)
	for s, k := range n.Flows.Sources {
		if n.Flows.loops.of(k) == nil {
			continue
		}
		columns, values, left := []int{lp.source[s]}, []float64{1}, false
		for e := range n.Problem.Application.Edges {
			edge := &n.Problem.Application.Edges[e]
			if edge.To != k {
				continue
			}
			columns, values = append(columns, lp.last[e]), append(values, -1)
			if !left && n.Flows.loops.contains(edge) && edge.Routing > 0 &&
				n.Problem.Application.Kernels[edge.From].Gain > 0 {
				implied[e], left = true, true
			}
		}
		lp.equation("inflow of "+n.Problem.Application.Kernels[k].Name, columns, values)
	}
	return implied
}

// setUnits estimates the flow in each column: the flow of unit injections, scaled to the remaining limits.
func (lp *linearProgram) setUnits(n *Network) {
	lp.unit = make([]float64, lp.columns)
	for c := range lp.unit {
		lp.unit[c] = 1
	}
	for i, c := range lp.source {
		lp.unit[c] = sumAbs(n.Flows.Source(i))
	}
	for e := range n.Problem.Application.Edges {
		for c := lp.first[e]; c <= lp.last[e]; c++ {
			lp.unit[c] = sumAbs(n.Flows.Edge(e))
		}
	}
	largest := 0.0
	for i := range n.Limits {
		if load := n.Limits[i].load; !math.IsInf(lp.rows[lp.limit[i]].upper, 1) {
			largest = math.Max(largest, sumAbs(load))
		}
	}
	if largest == 0 {
		return
	}
	for c := range lp.unit {
		lp.unit[c] /= largest
	}
}

// sumAbs returns Σ|v|, or 1 if the sum is 0.
func sumAbs(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Abs(x)
	}
	if sum == 0 {
		return 1
	}
	return sum
}

// rates computes the flows from the columns.
func (lp *linearProgram) rates(n *Network, x []float64) rates {
	r := rates{
		source:  make([]float64, len(lp.source)),
		edge:    make([]float64, len(lp.last)),
		arrival: make([]float64, len(n.Stations)),
	}
	for i, c := range lp.source {
		r.source[i] = x[c]
	}
	for e, c := range lp.last {
		r.edge[e] = x[c]
	}
	for station, columns := range lp.into {
		for _, c := range columns {
			r.arrival[station] += x[c]
		}
	}
	return r
}

// tie adds the rows of joins and of copied sources. A join's inputs arrive in the ratio in which the join consumes
// them. The outputs of a source's copies are proportional to their turns.
func (lp *linearProgram) tie(n *Network, t tie) {
	app := &n.Problem.Application
	if t.join == turns {
		a, b := &app.Kernels[n.Flows.Sources[t.a]], &app.Kernels[n.Flows.Sources[t.b]]
		lp.equation(fmt.Sprintf("turns of %s and %s", a.Name, b.Name), []int{lp.source[t.a], lp.source[t.b]},
			[]float64{1 / a.Turns, -1 / b.Turns})
		return
	}
	ports := app.Kernels[t.kernel].Joins[t.join].Ports
	var columns []int
	var values []float64
	for _, e := range ports[t.a].Edges {
		columns, values = append(columns, lp.last[e]), append(values, 1/ports[t.a].Bytes)
	}
	for _, e := range ports[t.b].Edges {
		columns, values = append(columns, lp.last[e]), append(values, -1/ports[t.b].Bytes)
	}
	lp.equation(fmt.Sprintf("join of %s and %s at %s", ports[t.a].Name, ports[t.b].Name, app.Kernels[t.kernel].Name),
		columns, values)
}

func (lp *linearProgram) column() int {
	lp.objective = append(lp.objective, 0)
	lp.columns++
	return lp.columns - 1
}

func (lp *linearProgram) equation(name string, columns []int, values []float64) {
	lp.rows = append(lp.rows, lpRow{column: columns, value: values, name: name})
}

// scale returns the largest coefficient of a row in units of its columns, or 1.
func (r *lpRow) scale(unit []float64) float64 {
	largest := 0.0
	for i, c := range r.column {
		largest = math.Max(largest, math.Abs(r.value[i])*unit[c])
	}
	if largest == 0 {
		return 1
	}
	return largest
}
