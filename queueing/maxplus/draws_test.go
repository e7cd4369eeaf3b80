package maxplus

import (
	"math/rand/v2"
	"testing"
)

// TestDraws checks that the numbers equal those of math/rand/v2.
func TestDraws(t *testing.T) {
	z := newZiggurat()
	for seed := range uint64(4) {
		mine, want := newDraws(z, seed, 7), rand.New(rand.NewPCG(seed, 7))
		block := make([]float64, 64)
		for n := range 10_000 {
			mine.exponentials(block, 3)
			for k, x := range block {
				if y := 3 * want.ExpFloat64(); x != y {
					t.Fatalf("seed %d: exponential %d is %g, want %g", seed, 64*n+k, x, y)
				}
			}
			for range block {
				if x, y := mine.normal(), want.NormFloat64(); x != y {
					t.Fatalf("seed %d: normal %d is %g, want %g", seed, n, x, y)
				}
			}
			if x, y := mine.Float64(), want.Float64(); x != y {
				t.Fatalf("seed %d: %d is %g, want %g", seed, n, x, y)
			}
		}
	}
}

func BenchmarkFill(b *testing.B) {
	for _, d := range []struct {
		name    string
		service Service
	}{{"exponential", Exponential(1)}, {"gamma=0.3", Gamma{1, .3}}, {"gamma=3", Gamma{1, 3}}} {
		b.Run(d.name, func(b *testing.B) {
			s := d.service.Stream(newDraws(newZiggurat(), 1, 2))
			block := make([]float64, drawBlock)
			start := cpuTime(b)
			for b.Loop() {
				s.Fill(block)
			}
			b.ReportMetric(float64((cpuTime(b)-start).Nanoseconds())/float64(b.N)/drawBlock, "cpu-ns/draw")
		})
	}
}
