package profile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"
)

// TestMedian: the interval contains the true median with the stated probability.
func TestMedian(t *testing.T) {
	if m := MedianOf([]float64{3, 1, 2, 4}); m != (Median{2.5, 1, 4, 4}) || m.Covered() || m.Missing() != 2 {
		t.Errorf("got %+v", m)
	}
	if m := MedianOf([]float64{1, 2, 3, 4, 5, 6}); !m.Covered() || m.Missing() != 0 {
		t.Error("six values do not cover")
	}
	if m := MedianOf(nil); !math.IsNaN(m.Value) || m.N != 0 || m.Covered() {
		t.Errorf("the median of nothing is %+v", m)
	}
	values := []float64{3, 1, 2}
	if MedianOf(values); !slices.Equal(values, []float64{3, 1, 2}) {
		t.Errorf("the values are %v afterwards", values)
	}
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 4000
	for _, n := range []int{7, 20, 51} {
		covered := 0
		for range trials {
			values := make([]float64, n)
			for i := range values {
				values[i] = random.ExpFloat64() // the median is ln 2
			}
			if m := MedianOf(values); m.Low <= 0.6931 && 0.6931 <= m.High {
				covered++
			}
		}
		if part := float64(covered) / trials; part < 0.94 {
			t.Errorf("of %d values the interval holds the median in %g of the trials", n, part)
		}
	}
}

// TestMedianBesideBenchmath: the median equals benchmath's, and so does the number of values that an interval needs.
// The intervals differ by at most one value at one end, because benchmath's is asymmetric.
func TestMedianBesideBenchmath(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	differ := 0
	for n := 1; n <= 400; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = random.ExpFloat64()
		}
		m := MedianOf(values)
		sorted := slices.Sorted(slices.Values(values))
		theirs := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values),
			&benchmath.DefaultThresholds), 0.95)
		if want := (sorted[(n-1)/2] + sorted[n/2]) / 2; m.Value != want || theirs.Center != want {
			t.Errorf("the median of %d values is %g, by benchmath %g, want %g", n, m.Value, theirs.Center, want)
		}
		if covered := len(theirs.Warnings) == 0; m.Covered() != covered {
			t.Errorf("%d values cover: %t, by benchmath: %t", n, m.Covered(), covered)
		}
		if !m.Covered() {
			continue
		}
		low := slices.Index(sorted, theirs.Lo) - slices.Index(sorted, m.Low)
		high := slices.Index(sorted, m.High) - slices.Index(sorted, theirs.Hi)
		if low*low+high*high > 1 {
			t.Errorf("of %d values the interval is [%g, %g], by benchmath [%g, %g]", n, m.Low, m.High, theirs.Lo,
				theirs.Hi)
		}
		differ += low*low + high*high
	}
	if differ == 0 {
		t.Error("the intervals are the same: use benchmath's")
	}
}
