package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// bestVertex solves max c·z, Az ≤ b, z ≥ 0 by trying every vertex.
func bestVertex(a [][]float64, b, c []float64) float64 {
	n := len(c)
	rows := append([][]float64{}, a...)
	rhs := append([]float64{}, b...)
	for j := range n {
		row := make([]float64, n)
		row[j] = -1
		rows, rhs = append(rows, row), append(rhs, 0)
	}
	best := math.Inf(-1)
	pick := make([]int, n)
	var try func(depth, from int)
	try = func(depth, from int) {
		if depth < n {
			for i := from; i < len(rows); i++ {
				pick[depth] = i
				try(depth+1, i+1)
			}
			return
		}
		m, v := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for i, r := range pick {
			m.SetRow(i, rows[r])
			v.SetVec(i, rhs[r])
		}
		var z mat.VecDense
		if z.SolveVec(m, v) != nil {
			return
		}
		value := 0.0
		for i := range rows {
			lhs := 0.0
			for j := range n {
				lhs += rows[i][j] * z.AtVec(j)
			}
			if lhs > rhs[i]+1e-9 {
				return
			}
		}
		for j := range n {
			value += c[j] * z.AtVec(j)
		}
		best = math.Max(best, value)
	}
	try(0, 0)
	return best
}

// TestPackingEqualsVertexEnumeration compares with the best of all vertices and
// with gonum's simplex.
func TestPackingEqualsVertexEnumeration(t *testing.T) {
	for seed := range uint64(800) {
		rng := rand.New(rand.NewPCG(seed, 9))
		n, m := 2+rng.IntN(2), 2+rng.IntN(8)
		var p packing
		p.reset(n)
		a := make([][]float64, m)
		b := make([]float64, m)
		for i := range a {
			a[i] = make([]float64, n)
			for j := range a[i] {
				if rng.IntN(4) > 0 {
					a[i][j] = rng.Float64()
				}
				if i == 0 {
					a[i][j] += 0.1 // bounded
				}
			}
			b[i] = 1
			if i > 0 && rng.IntN(6) == 0 { // a tied source that must not run backwards
				a[i][0], b[i] = -a[i][0], 0
			}
			p.add(a[i], b[i])
		}
		c := make([]float64, n)
		for j := range c {
			c[j] = 0.5 + rng.Float64()
		}
		p.solve(c)
		if p.status != packed {
			t.Fatalf("seed %d: status %d", seed, p.status)
		}
		if want := bestVertex(a, b, c); math.Abs(p.value()-want) > 1e-9*math.Max(1, want) {
			t.Fatalf("seed %d: %.15g, best vertex %.15g", seed, p.value(), want)
		}
		dual := 0.0
		for i := range b {
			dual += p.price[i] * b[i]
		}
		if math.Abs(dual-p.value()) > 1e-9*math.Max(1, dual) {
			t.Fatalf("seed %d: primal %.15g, dual %.15g", seed, p.value(), dual)
		}
		if n == 2 && m < 6 { // gonum's simplex can cycle on larger degenerate programs
			if want := gonumValue(t, a, b, c); math.Abs(p.value()-want) > 1e-8*math.Max(1, want) {
				t.Fatalf("seed %d: %.15g, gonum %.15g", seed, p.value(), want)
			}
		}
	}
}

func gonumValue(t *testing.T, a [][]float64, b, c []float64) float64 {
	m, n := len(a), len(c)
	std := mat.NewDense(m, n+m, nil)
	cost := make([]float64, n+m)
	for j := range c {
		cost[j] = -c[j]
	}
	for i := range a {
		for j := range c {
			std.Set(i, j, a[i][j])
		}
		std.Set(i, n+i, 1)
	}
	value, _, err := lp.Simplex(cost, std, b, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return -value
}

func TestPackingUnbounded(t *testing.T) {
	var p packing
	for _, n := range []int{1, 2} {
		p.reset(n)
		p.add(make([]float64, n), 1)
		p.solve([]float64{1, 1}[:n])
		if p.status != packingUnbounded {
			t.Errorf("%d columns: status %d, want unbounded", n, p.status)
		}
	}
}
