package queueing

import (
	"math"
)

// reporter is the common part of *testing.T and *rapid.T.
type reporter interface {
	Helper()
	Errorf(string, ...any)
}

// near fails unless got and want agree to a relative tolerance, or to 1e-300.
func near(t reporter, what string, got, want, tolerance float64) {
	t.Helper()
	if got == want {
		return
	}
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)+1e-300) {
		t.Errorf("%s is %.12g, want %.12g (relative %.2g)", what, got, want, got/want-1)
	}
}

// must returns v, or NaN if there is an error.
func must(v float64, err error) float64 {
	if err != nil {
		return math.NaN()
	}
	return v
}

// solveChain returns the stationary distribution of a Markov chain. It uses the elimination of Grassmann, Taksar and
// Heyman, which has no subtractions.
func solveChain(p [][]float64) []float64 {
	n := len(p)
	for k := n - 1; k > 0; k-- {
		out := 0.0
		for j := range k {
			out += p[k][j]
		}
		for i := range k {
			p[i][k] /= out
		}
		for i := range k {
			if p[i][k] == 0 {
				continue
			}
			for j := range k {
				p[i][j] += p[i][k] * p[k][j]
			}
		}
	}
	x := make([]float64, n)
	x[0] = 1
	sum := 1.0
	for k := 1; k < n; k++ {
		for i := range k {
			x[k] += x[i] * p[i][k]
		}
		sum += x[k]
	}
	for k := range x {
		x[k] /= sum
	}
	return x
}
