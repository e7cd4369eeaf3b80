package simplex

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// TestSimplex compares the dual simplex with gonum's simplex on random programs whose rows are added in two parts. It
// then fixes a variable of a copy at 0.
func TestSimplex(t *testing.T) {
	infeasibles, fixed := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n, m := 2+rng.IntN(6), 1+rng.IntN(8)
		cost, upper := make([]float64, n), make([]float64, n)
		for j := range cost {
			cost[j], upper[j] = rng.Float64(), 1
		}
		a, minimum := mat.NewDense(m, n, nil), make([]float64, m)
		for i := range m {
			for j := range n {
				if rng.IntN(2) == 0 {
					a.Set(i, j, math.Round(8*(rng.Float64()-0.4))/4)
				}
			}
			minimum[i] = math.Round(4*(rng.Float64()-0.3)) / 4
		}
		x := New(cost, upper)
		outcome := Solved
		var columns []int
		for j := range n {
			columns = append(columns, j)
		}
		for i := range m {
			x.Add(columns, a.RawRowView(i), minimum[i])
			if i == m/2 {
				outcome, _ = x.Solve(math.Inf(1), math.MaxUint64)
			}
		}
		if outcome == Solved {
			outcome, _ = x.Solve(math.Inf(1), math.MaxUint64)
		}
		truth, err := twin(cost, a, minimum)
		if err != nil {
			if infeasibles++; outcome != Infeasible {
				t.Errorf("seed %d: gonum says %v, and the simplex found %g", seed, err, x.Objective)
			}
			continue
		}
		if outcome != Solved || math.Abs(x.Objective-truth) > 1e-6 {
			t.Errorf("seed %d: %g (verdict %d), and gonum has %g", seed, x.Objective, outcome, truth)
			continue
		}
		values := x.Values(nil)
		y := x.Clone()
		largest := slices.Index(values, slices.Max(values))
		y.Zero(largest)
		outcome, _ = y.Solve(math.Inf(1), math.MaxUint64)
		zeros := mat.NewDense(m+1, n, nil) // -x ≥ 0 as another row
		zeros.Slice(0, m, 0, n).(*mat.Dense).Copy(a)
		zeros.Set(m, largest, -1)
		truth, err = twin(cost, zeros, append(minimum, 0))
		if (err == nil) != (outcome == Solved) || err == nil && math.Abs(y.Objective-truth) > 1e-6 {
			t.Errorf("seed %d: %g (verdict %d) with a fixed variable, and gonum has %g, %v", seed, y.Objective, outcome,
				truth, err)
		}
		if err == nil && truth > x.Objective+1e-6 {
			fixed++
		}
		for i := range m {
			sum := 0.0
			for j, v := range values {
				sum += v * a.At(i, j)
			}
			if sum < minimum[i]-1e-6 {
				t.Errorf("seed %d: row %d has %g, below %g", seed, i, sum, minimum[i])
			}
		}
	}
	if infeasibles < 20 || fixed < 20 {
		t.Errorf("only %d had no solution, and %d a worse one with a fixed variable: the test has lost its power",
			infeasibles, fixed)
	}
}

// twin solves min cost x, a x ≥ minimum, 0 ≤ x ≤ 1 with gonum.
func twin(cost []float64, a *mat.Dense, minimum []float64) (float64, error) {
	m, n := a.Dims()
	g, h := mat.NewDense(m+2*n, n, nil), make([]float64, m+2*n)
	for i := range m {
		for j := range n {
			g.Set(i, j, -a.At(i, j))
		}
		h[i] = -minimum[i]
	}
	for j := range n {
		g.Set(m+j, j, 1)
		h[m+j] = 1
		g.Set(m+n+j, j, -1)
	}
	c, b, rhs := lp.Convert(cost, g, h, nil, nil)
	value, _, err := lp.Simplex(c, b, rhs, 1e-9, nil)
	return value, err
}

// TestEquations compares programs with equations with gonum's simplex, which has two inequalities for each.
func TestEquations(t *testing.T) {
	solved, infeasible := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n, m := 2+rng.IntN(5), 1+rng.IntN(3)
		cost, upper := make([]float64, n), make([]float64, n)
		columns := make([]int, n)
		for j := range n {
			cost[j], upper[j], columns[j] = rng.Float64(), 1, j
		}
		x := New(cost, upper)
		both, sums := mat.NewDense(2*m, n, nil), make([]float64, 2*m)
		for i := range m {
			for j := range n {
				v := math.Round(8*(rng.Float64()-0.3)) / 4
				both.Set(2*i, j, v)
				both.Set(2*i+1, j, -v)
			}
			sums[2*i] = math.Round(4*rng.Float64()) / 4
			sums[2*i+1] = -sums[2*i]
			x.Zero(x.Add(columns, both.RawRowView(2*i), sums[2*i]))
		}
		outcome, _ := x.Solve(math.Inf(1), math.MaxUint64)
		truth, err := twin(cost, both, sums)
		switch {
		case (err == nil) != (outcome == Solved) || err == nil && math.Abs(x.Objective-truth) > 1e-6:
			t.Errorf("seed %d: %g (verdict %d), and gonum has %g, %v", seed, x.Objective, outcome, truth, err)
		case err == nil:
			solved++
		default:
			infeasible++
		}
	}
	if solved < 50 || infeasible < 20 {
		t.Errorf("%d solved and %d infeasible: the test has lost its power", solved, infeasible)
	}
}
