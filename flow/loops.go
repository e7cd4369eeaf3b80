package flow

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"xopt/flow/faults"
)

// loops contains the strongly connected components of an application with a cycle. The arrival rates x in a loop follow
// from its input b: x = b + M x. M contains the flow from each kernel to each other kernel, per byte of the sender's
// input (Beard 2013, Eq. 2, 3 and 5).
//
// Without its feedback edges, the loop is acyclic, so the flows on the feedback edges are the only unknowns. G contains
// the bytes that return to each target of a feedback edge in one round, per byte at each target. A steady flow exists
// if the largest eigenvalue of G is below 1. In a loop without input, this eigenvalue must be 1; the equations then
// determine x except for its scale.
type loops struct {
	order []int // all kernels, with the kernels of a loop together, and the loops in topological order
	all   []*loop
	at    []*loop // by kernel; nil outside loops
}

// loop is a strongly connected component. Its kernels are numbered from 0.
type loop struct {
	kernels []int
	order   []int        // indices in topological order, without feedback edges
	out     [][]loopEdge // by kernel: edges that stay in the loop
	targets []int        // kernels that feedback edges lead to
	reach   [][]float64  // by target: arrivals at each kernel in one round per byte at the target
	closed  bool         // the loop has no input
	shares  []float64    // of a closed loop: arrivals at each kernel per byte that arrives at the first kernel
	worth   []float64    // of a closed loop: bytes at the first kernel that result from one byte at each kernel
	inverse *mat.LU      // of I - G, for a loop that is not closed
}

// loopEdge carries a part of a kernel's output to another kernel.
type loopEdge struct {
	to   int
	of   float64 // bytes per byte that the kernel consumes
	back int     // for a feedback edge: index into loop.targets; -1 for other edges
}

func (l *loops) of(k int) *loop {
	if l == nil {
		return nil
	}
	return l.at[k]
}

// contains reports whether both ends of an edge are in the same loop.
func (l *loops) contains(e *Edge) bool {
	return l != nil && l.at[e.From] != nil && l.at[e.From] == l.at[e.To]
}

// roots returns the first kernels of the loops without input.
func (l *loops) roots() []int {
	var roots []int
	if l == nil {
		return nil
	}
	for _, x := range l.all {
		if x.closed {
			roots = append(roots, x.kernels[0])
		}
	}
	return roots
}

// newLoops finds the loops of an application; nil if it is acyclic.
func newLoops(g *Graph, order []int, back []bool, tolerance float64) (*loops, error) {
	if !slices.Contains(back, true) {
		return nil, nil
	}
	app, out, in := g.app, g.Out, g.In
	rank := make([]int, len(order))
	for i, k := range order {
		rank[k] = i
	}
	parts, of := g.components(nil)
	l := &loops{at: make([]*loop, len(app.Kernels))}
	fed := make([]bool, len(app.Kernels)) // by kernel: whether data flow to it
	for i, part := range parts {
		l.order = append(l.order, part...)
		cyclic, live := false, false
		for _, k := range part {
			live = live || fed[k] || len(in[k]) == 0 && !app.Kernels[k].Preload
			for _, e := range out[k] {
				cyclic = cyclic || of[app.Edges[e].To] == i
			}
		}
		if cyclic {
			x := &loop{kernels: part, closed: !live}
			x.join(app, out, rank, back)
			if err := x.prepare(app, tolerance); err != nil {
				return nil, err
			}
			live = true
			l.all = append(l.all, x)
			for _, k := range part {
				l.at[k] = x
			}
		}
		for _, k := range part {
			for _, e := range out[k] {
				fed[app.Edges[e].To] = fed[app.Edges[e].To] || live
			}
		}
	}
	return l, nil
}

// maxLoopGain is the largest permitted gain of a loop's input. exactLoopGain is the tolerance for rounding errors of
// the loop's equations.
const (
	maxLoopGain   = 1e9
	exactLoopGain = 1e-9
	// The memory of the equations is proportional to targets × kernels, and their time to targets³.
	maxLoopTargets = 1000
	maxLoopReach   = 20_000_000
)

// join finds the edges of a loop.
func (l *loop) join(app *Application, out [][]int, rank []int, back []bool) {
	n := len(l.kernels)
	index, target := make(map[int]int, n), make(map[int]int)
	for i, k := range l.kernels {
		index[k] = i
		l.order = append(l.order, i)
	}
	slices.SortFunc(l.order, func(a, b int) int { return rank[l.kernels[a]] - rank[l.kernels[b]] })
	l.out = make([][]loopEdge, n)
	for i, k := range l.kernels {
		for _, e := range out[k] {
			to, inside := index[app.Edges[e].To]
			if !inside {
				continue
			}
			x := loopEdge{to: to, of: app.Kernels[k].Gain * app.Edges[e].Routing, back: -1}
			if back[e] {
				if _, isKnown := target[to]; !isKnown {
					target[to] = len(l.targets)
					l.targets = append(l.targets, to)
				}
				x.back = target[to]
			}
			l.out[i] = append(l.out[i], x)
		}
	}
}

// forward adds the flows between kernels to the arrival rates, except the flows on feedback edges. It returns the flows
// on feedback edges, by target.
func (l *loop) forward(x []float64) (back []float64) {
	back = make([]float64, len(l.targets))
	for _, i := range l.order {
		for _, e := range l.out[i] {
			if e.back >= 0 {
				back[e.back] += x[i] * e.of
			} else {
				x[e.to] += x[i] * e.of
			}
		}
	}
	return back
}

// prepare computes the parts of a loop's solution that do not depend on the loop's input.
func (l *loop) prepare(app *Application, tolerance float64) error {
	n := len(l.targets)
	if n > maxLoopTargets || n*len(l.kernels) > maxLoopReach {
		return faults.TooManyLoops.Errorf("%w: a loop of %d kernels is too large, because its feedback edges lead to "+
			"%d of the kernels (reduce the number of kernels with feedback)", ErrInvalid, len(l.kernels), n)
	}
	g := mat.NewDense(n, n, nil)
	for t, at := range l.targets {
		x := make([]float64, len(l.kernels))
		x[at] = 1
		for to, v := range l.forward(x) {
			g.Set(to, t, v)
		}
		l.reach = append(l.reach, x)
	}
	if l.closed {
		return l.prepareClosed(app, g, math.Max(tolerance, exactLoopGain))
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	a := mat.NewDense(n, n, nil)
	a.Sub(mat.NewDiagDense(n, ones), g)
	l.inverse = &mat.LU{}
	l.inverse.Factorize(a)
	// I - G has no positive off-diagonal elements. Its inverse is nonnegative if and only if it maps some positive u to
	// a positive b (M-matrix).
	u, err := l.solve(ones)
	if err != nil || slices.ContainsFunc(u, func(v float64) bool { return !(v > 0 && v <= maxLoopGain) }) {
		return l.gainError(app, g)
	}
	return nil
}

// prepareClosed computes the flows of a loop without input, for a byte that arrives at its first kernel. The equations
// of all targets except the first determine the flows. The equation of the first target must also hold.
func (l *loop) prepareClosed(app *Application, g *mat.Dense, tolerance float64) error {
	u, ok := steady(g)
	z, isKnown := steady(g.T())
	if !ok || !isKnown {
		return l.gainError(app, g)
	}
	back := 0.0
	for t, x := range u {
		back += g.At(0, t) * x
	}
	if !(math.Abs(back-1) <= tolerance) {
		return l.gainError(app, g)
	}
	l.shares, l.worth = l.arrivals(make([]float64, len(l.kernels)), u), make([]float64, len(l.kernels))
	for _, i := range slices.Backward(l.order) {
		for _, e := range l.out[i] {
			if e.back >= 0 {
				l.worth[i] += e.of * z[e.back]
			} else {
				l.worth[i] += e.of * l.worth[e.to]
			}
		}
	}
	for _, x := range [][]float64{l.shares, l.worth} {
		first := x[0]
		for i := range x {
			if x[i] /= first; !(x[i] >= 0 && x[i] <= maxLoopGain) {
				return l.gainError(app, g)
			}
		}
	}
	return nil
}

// arrivals adds the arrivals that the flows on the feedback edges cause to the arrival rates.
func (l *loop) arrivals(x, back []float64) []float64 {
	for t, u := range back {
		for i, v := range l.reach[t] {
			x[i] += u * v
		}
	}
	return x
}

// steady returns the solution x of x = M x whose first element is 1, without using the first equation.
func steady(m mat.Matrix) ([]float64, bool) {
	n, _ := m.Dims()
	x := make([]float64, n)
	x[0] = 1
	if n == 1 {
		return x, true
	}
	a, b := mat.NewDense(n-1, n-1, nil), mat.NewVecDense(n-1, nil)
	for i := 1; i < n; i++ {
		for j := 1; j < n; j++ {
			a.Set(i-1, j-1, -m.At(i, j))
		}
		a.Set(i-1, i-1, a.At(i-1, i-1)+1)
		b.SetVec(i-1, m.At(i, 0))
	}
	var rest mat.VecDense
	if err := rest.SolveVec(a, b); err != nil {
		return nil, false
	}
	for i := 1; i < n; i++ {
		if x[i] = rest.AtVec(i - 1); !(x[i] >= 0 && x[i] <= maxLoopGain) {
			return nil, false
		}
	}
	return x, true
}

// solve returns the solution u of u = c + G u.
func (l *loop) solve(c []float64) ([]float64, error) {
	var u mat.VecDense
	if err := l.inverse.SolveVecTo(&u, false, mat.NewVecDense(len(c), c)); err != nil {
		return nil, err
	}
	return u.RawVector().Data, nil
}

// solveLoop computes the arrival rates at the kernels of a loop, per byte/s of each free source. The input from outside
// determines them or, in a closed loop, the input of its first kernel.
func (f *Flows) solveLoop(l *loop) {
	n := f.Free
	x := make([]float64, len(l.kernels))
	for j := range n {
		for i, k := range l.kernels {
			x[i] = f.arrive[k*n+j]
		}
		if l.closed {
			first := x[0]
			for i := range x {
				x[i] = first * l.shares[i]
			}
		} else if u, err := l.solve(l.forward(x)); err == nil { // prepare has already solved these equations
			x = l.arrivals(x, u)
		}
		for i, k := range l.kernels {
			f.arrive[k*n+j] = x[i]
		}
	}
}

// gainError returns the error for a loop, with one of its cycles and the fraction of bytes that returns. This fraction
// is the largest eigenvalue of G. gainError computes it by the power method on I + G, which has no other eigenvalue of
// that size.
func (l *loop) gainError(app *Application, g *mat.Dense) error {
	n, _ := g.Dims()
	x, y := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		x.SetVec(i, 1)
	}
	gain := 0.0
	for range gainRounds {
		y.MulVec(g, x)
		y.AddVec(y, x)
		size := mat.Norm(y, 1)
		gain = size/mat.Norm(x, 1) - 1
		if !(size > 0) || math.IsInf(size, 1) {
			break
		}
		y.ScaleVec(1/size, y)
		x, y = y, x
	}
	return &LoopGainError{Kernels: l.cycle(app), Gain: gain, Closed: l.closed}
}

// gainRounds is the number of iterations for six digits of a loop's gain.
const gainRounds = 2000

// cycle returns the kernels of a cycle in the loop. From each kernel, it follows the edge with the largest part of the
// output.
func (l *loop) cycle(app *Application) []string {
	seen := make(map[int]int)
	var path []string
	for at := 0; ; {
		if start, ok := seen[at]; ok {
			return path[start:]
		}
		seen[at] = len(path)
		path = append(path, app.Kernels[l.kernels[at]].Name)
		maximum := l.out[at][0]
		for _, e := range l.out[at] {
			if e.of > maximum.of {
				maximum = e
			}
		}
		at = maximum.to
	}
}
