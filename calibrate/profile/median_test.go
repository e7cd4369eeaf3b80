package profile

import (
	"math/rand/v2"
	"testing"
)

// TestMedianInterval: the interval holds the true median as often as it says.
func TestMedianInterval(t *testing.T) {
	if m, low, high, covered := MedianInterval([]float64{3, 1, 2, 4}); m != 2.5 || low != 1 || high != 4 || covered {
		t.Errorf("got %g, %g, %g, %t", m, low, high, covered)
	}
	if _, _, _, covered := MedianInterval([]float64{1, 2, 3, 4, 5, 6}); !covered {
		t.Error("six values do not cover")
	}
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 4000
	for _, n := range []int{7, 20, 51} {
		held := 0
		for range trials {
			values := make([]float64, n)
			for i := range values {
				values[i] = random.ExpFloat64() // the median is ln 2
			}
			if _, low, high, _ := MedianInterval(values); low <= 0.6931 && 0.6931 <= high {
				held++
			}
		}
		if part := float64(held) / trials; part < 0.94 {
			t.Errorf("of %d values the interval holds the median in %g of the trials", n, part)
		}
	}
}
