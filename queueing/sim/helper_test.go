package sim

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// reporter is what *testing.T and *rapid.T share.
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

// must returns v, NaN where there is an error.
func must(v float64, err error) float64 {
	if err != nil {
		return math.NaN()
	}
	return v
}

// simulate runs a tandem that must not fail.
func simulate(t testing.TB, tandem Tandem, elements int, seed uint64) *Run {
	t.Helper()
	r, err := Simulate(context.Background(), &tandem, Extent{Elements: elements}, rand.NewPCG(seed, 1))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
