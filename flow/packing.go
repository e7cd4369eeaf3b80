package flow

import (
	"errors"
	"math"
)

// packing solves
//
//	maximize c·z  subject to  A z ≤ b,  z ≥ 0,  b ≥ 0
//
// by the primal simplex method on a dense dictionary. It works in place, and allocates memory only while it grows. With
// fixed routing, the flow problem has this form; its variables are the few free sources. The vertex z = 0 is the start.
// For one free source, the solution is a minimum of quotients.
type packing struct {
	rows, cols int
	a          []float64 // rows × cols: the problem as given
	b          []float64
	c          []float64

	t        []float64 // (rows+1) × (cols+1): the dictionary; last row the objective, last column the value
	basic    []int     // variable of each row: j < cols is z_j, cols+i the slack of row i
	nonbasic []int     // variable of each column
	scale    []float64 // of each column
	z        []float64
	price    []float64 // per row
	status   packingStatus
}

type packingStatus uint8

const (
	packed packingStatus = iota
	packingUnbounded
	packingStalled
)

// errStalled is the error if the simplex method does not terminate. This is a defect of the program, so the error must
// reach the user.
var errStalled = errors.New("simplex method did not converge")

// reset starts a new problem with the given number of free sources.
func (p *packing) reset(cols int) {
	p.cols, p.rows = cols, 0
	p.a, p.b = p.a[:0], p.b[:0]
}

func (p *packing) add(coefficients []float64, bound float64) {
	p.a = append(p.a, coefficients...)
	p.b = append(p.b, bound)
	p.rows++
}

// solve finds the optimum. status, z and price contain the result, and value returns the objective.
func (p *packing) solve(c []float64) {
	p.c = c
	p.z = grow(p.z, p.cols)
	p.price = grow(p.price, p.rows)
	clear(p.z)
	clear(p.price)
	if p.cols == 1 {
		p.solveOne()
		return
	}
	p.start()
	p.pivotAll()
	p.read()
}

// value returns the value of the objective.
func (p *packing) value() float64 {
	v := 0.0
	for j, c := range p.c {
		v += c * p.z[j]
	}
	return v
}

// solveOne computes the closed form for one variable: z = min b/a.
func (p *packing) solveOne() {
	best, at := math.Inf(1), -1
	for i, a := range p.a {
		if a > 0 && p.b[i]/a < best {
			best, at = p.b[i]/a, i
		}
	}
	if at < 0 {
		p.status = packingUnbounded
		return
	}
	p.status = packed
	p.z[0] = best
	p.price[at] = p.c[0] / p.a[at]
}

// start initializes the dictionary with the slack basis. It scales each column so that its largest coefficient is 1.
// This permits one threshold for all columns.
func (p *packing) start() {
	m, n := p.rows, p.cols
	p.t = grow(p.t, (m+1)*(n+1))
	p.basic, p.nonbasic = grow(p.basic, m), grow(p.nonbasic, n)
	p.scale = grow(p.scale, n)
	for j := range n {
		largest := 0.0
		for i := range m {
			largest = max(largest, math.Abs(p.a[i*n+j]))
		}
		if largest == 0 {
			largest = math.Abs(p.c[j])
		}
		if largest == 0 {
			largest = 1
		}
		p.scale[j] = largest
		p.nonbasic[j] = j
	}
	for i := range m {
		p.basic[i] = n + i
		for j := range n {
			p.t[i*(n+1)+j] = p.a[i*n+j] / p.scale[j]
		}
		p.t[i*(n+1)+n] = p.b[i]
	}
	largest := 0.0
	for j := range n {
		largest = max(largest, math.Abs(p.c[j]/p.scale[j]))
	}
	if largest == 0 {
		largest = 1
	}
	for j := range n {
		p.t[m*(n+1)+j] = p.c[j] / p.scale[j] / largest
	}
	p.t[m*(n+1)+n] = 0
}

// pivotThreshold is the largest value that counts as zero in the scaled dictionary. It is well above the rounding of a
// few pivots and well below any relevant coefficient.
const pivotThreshold = 1e-13

// pivotAll runs the simplex method. It pivots on the steepest column. After an unusually large number of pivots,
// pivotAll uses Bland's rule, which cannot cycle.
func (p *packing) pivotAll() {
	m, n := p.rows, p.cols
	w := n + 1
	bland := 8 * (m + n)
	for step := 0; ; step++ {
		if step > 64*(m+n)+1000 {
			p.status = packingStalled
			return
		}
		enter := -1
		for j := range n {
			r := p.t[m*w+j]
			if r <= pivotThreshold {
				continue
			}
			if step > bland {
				if enter < 0 || p.nonbasic[j] < p.nonbasic[enter] {
					enter = j
				}
			} else if enter < 0 || r > p.t[m*w+enter] {
				enter = j
			}
		}
		if enter < 0 {
			p.status = packed
			return
		}
		leave, ratio := -1, math.Inf(1)
		for i := range m {
			a := p.t[i*w+enter]
			if a <= pivotThreshold {
				continue
			}
			q := max(0, p.t[i*w+n]) / a
			if q < ratio || q == ratio && p.basic[i] < p.basic[leave] {
				leave, ratio = i, q
			}
		}
		if leave < 0 {
			p.status = packingUnbounded
			return
		}
		p.pivot(leave, enter)
	}
}

func (p *packing) pivot(row, col int) {
	m, n := p.rows, p.cols
	w := n + 1
	inverse := 1 / p.t[row*w+col]
	for j := range w {
		p.t[row*w+j] *= inverse
	}
	p.t[row*w+col] = inverse
	for i := range m + 1 {
		if i == row {
			continue
		}
		f := p.t[i*w+col]
		if f == 0 {
			continue
		}
		p.t[i*w+col] = 0
		for j := range w {
			p.t[i*w+j] -= f * p.t[row*w+j]
		}
	}
	p.basic[row], p.nonbasic[col] = p.nonbasic[col], p.basic[row]
}

// read reads z and the prices from the final dictionary.
func (p *packing) read() {
	if p.status != packed {
		return
	}
	m, n := p.rows, p.cols
	w := n + 1
	largest := 0.0
	for j := range n {
		largest = max(largest, math.Abs(p.c[j]/p.scale[j]))
	}
	for i, v := range p.basic[:m] {
		if v < n {
			p.z[v] = math.Max(0, p.t[i*w+n]) / p.scale[v]
		}
	}
	for j, v := range p.nonbasic[:n] {
		if v >= n {
			p.price[v-n] = math.Max(0, -p.t[m*w+j]) * largest
		}
	}
}

// unique reports whether there is only one optimal solution: every variable outside the basis would reduce the
// objective if it entered the basis.
func (p *packing) unique() bool {
	if p.cols == 1 || p.status != packed {
		return true
	}
	for j := range p.cols {
		if p.t[p.rows*(p.cols+1)+j] > -pivotThreshold {
			return false
		}
	}
	return true
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Mixture finds the mixture of free sources with the smallest maximum load. Its input is the load of each source alone
// on each resource and link. A Mixture allocates no memory once its buffers have grown.
type Mixture struct {
	lp  packing
	one []float64
}

// Reset removes all loads, and sets the number of free sources.
func (m *Mixture) Reset(sources int) {
	m.lp.reset(sources)
	for len(m.one) < sources {
		m.one = append(m.one, 1)
	}
}

// Add adds the nonnegative loads of each source alone on a resource or link, or on a member with its own limit.
func (m *Mixture) Add(loads ...float64) { m.lp.add(loads, 1) }

// Minimum returns the minimum, over all mixtures with Σ λ = 1 and λ ≥ 0, of the largest Σ λ × load. This is 1/max Σ z,
// where Σ z × load ≤ 1 for each row. Minimum returns 0 if a source has no load, or if rounding errors prevent an
// answer.
func (m *Mixture) Minimum() float64 {
	if m.lp.rows == 0 {
		return 0
	}
	m.lp.solve(m.one[:m.lp.cols])
	if m.lp.status != packed {
		return 0
	}
	return 1 / m.lp.value()
}
