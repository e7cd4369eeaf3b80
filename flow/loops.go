package flow

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// loops are the strongly connected components of an application that hold a cycle. In each of
// them what arrives at the kernels, x, follows from what comes from outside, b: x = b + M x,
// where M is what each kernel sends to each other of a byte that it takes (Beard 2013, Eq. 2, 3
// and 5). There is a steady flow where less comes back than has gone round: where the greatest
// eigenvalue of M is below 1. A loop that nothing feeds keeps going on what it holds: there it
// is 1, and x is known but for its size.
type loops struct {
	order []int // of all kernels: those of a loop together, each before what it leads to
	all   []*loop
	at    []*loop // of each kernel; nil for one in none
}

// loop is one of them.
type loop struct {
	kernels []int
	closed  bool      // nothing feeds it
	shares  []float64 // of a closed one: what arrives at each kernel for a byte that does at the first
	worth   []float64 // likewise: how many bytes at the first come of one at each kernel
	inverse *mat.LU   // of I - M, of one that is not closed
}

// of returns the loop that a kernel is in, or nil.
func (l *loops) of(k int) *loop {
	if l == nil {
		return nil
	}
	return l.at[k]
}

// within reports whether both ends of an edge are in the same loop.
func (l *loops) within(e *Edge) bool {
	return l != nil && l.at[e.From] != nil && l.at[e.From] == l.at[e.To]
}

// roots are the first kernels of the loops that nothing feeds.
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

// newLoops finds those of an application; nil where it is acyclic.
func newLoops(app *Application, back []bool, tolerance float64) (*loops, error) {
	any := false
	for _, b := range back {
		any = any || b
	}
	if !any {
		return nil, nil
	}
	parts, of := components(app)
	l := &loops{at: make([]*loop, len(app.Kernels))}
	out, in := outEdges(app), inEdges(app)
	fed := make([]bool, len(app.Kernels)) // something flows there
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

// Limits of what a loop may multiply what comes into it by, and rounding of its equations.
const (
	mostLoopGain    = 1e9
	exactLoopGain   = 1e-9
	mostLoopKernels = 3000 // their equations take the square of it in memory
)

// prepare solves the equations of a loop as far as that can be done before what comes into it
// is known.
func (l *loop) prepare(app *Application, tolerance float64) error {
	n := len(l.kernels)
	if n > mostLoopKernels {
		return fmt.Errorf("%w: %d kernels are in one loop, of at most %d", ErrInvalid, n, mostLoopKernels)
	}
	index := make(map[int]int, n)
	for i, k := range l.kernels {
		index[k] = i
	}
	m := mat.NewDense(n, n, nil)
	for e := range app.Edges {
		edge := &app.Edges[e]
		from, ok := index[edge.From]
		if to, inside := index[edge.To]; ok && inside {
			m.Set(to, from, m.At(to, from)+app.Kernels[edge.From].Gain*edge.Routing)
		}
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	if l.closed {
		return l.prepareClosed(app, m, math.Max(tolerance, exactLoopGain))
	}
	a := mat.NewDense(n, n, nil)
	a.Sub(mat.NewDiagDense(n, ones), m)
	l.inverse = &mat.LU{}
	l.inverse.Factorize(a)
	// I - M, whose elements off the diagonal are not positive, has an inverse without negative
	// elements just where it takes some positive x to a positive b: an M-matrix.
	x, err := l.solve(ones)
	if err != nil || slices.ContainsFunc(x, func(v float64) bool { return !(v > 0 && v <= mostLoopGain) }) {
		return l.gainError(app, m)
	}
	return nil
}

// prepareClosed finds the flows of a loop that nothing feeds, for a byte that arrives at its
// first kernel: the equations of the others tell them, and that of the first must hold as well.
func (l *loop) prepareClosed(app *Application, m *mat.Dense, tolerance float64) error {
	var ok, known bool
	l.shares, ok = steady(m)
	l.worth, known = steady(m.T())
	if !ok || !known {
		return l.gainError(app, m)
	}
	back := 0.0
	for j, x := range l.shares {
		back += m.At(0, j) * x
	}
	if !(math.Abs(back-1) <= tolerance) {
		return l.gainError(app, m)
	}
	return nil
}

// steady returns x of x = M x with 1 for its first, but for the equation of that.
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
		if x[i] = rest.AtVec(i - 1); !(x[i] >= 0 && x[i] <= mostLoopGain) {
			return nil, false
		}
	}
	return x, true
}

// solve returns x of x = b + M x.
func (l *loop) solve(b []float64) ([]float64, error) {
	var x mat.VecDense
	if err := l.inverse.SolveVecTo(&x, false, mat.NewVecDense(len(b), b)); err != nil {
		return nil, err
	}
	return x.RawVector().Data, nil
}

// solveLoop works out what arrives at the kernels of a loop, per byte/s of each free source,
// from what has come from outside, or from what its first kernel takes.
func (f *Flows) solveLoop(l *loop) {
	n := f.Free
	b := make([]float64, len(l.kernels))
	for j := range n {
		for i, k := range l.kernels {
			b[i] = f.arrive[k*n+j]
		}
		x := b
		if l.closed {
			first := b[0]
			for i := range b {
				b[i] = first * l.shares[i]
			}
		} else if solved, err := l.solve(b); err == nil { // prepare has solved these equations
			x = solved
		}
		for i, k := range l.kernels {
			f.arrive[k*n+j] = x[i]
		}
	}
}

// gainError names a cycle of the loop, and what comes back of what goes round: the greatest
// eigenvalue of M, by the power method on I + M, which has no other of its size.
func (l *loop) gainError(app *Application, m *mat.Dense) error {
	n := len(l.kernels)
	x, y := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		x.SetVec(i, 1)
	}
	gain := 0.0
	for range gainRounds {
		y.MulVec(m, x)
		y.AddVec(y, x)
		size := mat.Norm(y, 1)
		gain = size/mat.Norm(x, 1) - 1
		if !(size > 0) || math.IsInf(size, 1) {
			break
		}
		y.ScaleVec(1/size, y)
		x, y = y, x
	}
	return &LoopGainError{Kernels: l.cycle(app, m), Gain: gain, Closed: l.closed}
}

// gainRounds are enough for six digits of the gain of a loop.
const gainRounds = 2000

// cycle names the kernels of a cycle through the loop: from each kernel on to the one that takes
// most of what it sends.
func (l *loop) cycle(app *Application, m *mat.Dense) []string {
	seen := make(map[int]int)
	var path []string
	for at := 0; ; {
		if start, ok := seen[at]; ok {
			return path[start:]
		}
		seen[at] = len(path)
		path = append(path, app.Kernels[l.kernels[at]].Name)
		next := 0
		for to := range l.kernels {
			if m.At(to, at) > m.At(next, at) {
				next = to
			}
		}
		at = next
	}
}
