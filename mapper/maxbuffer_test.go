package mapper

import "testing"

// BenchmarkMaxBuffer is BenchmarkAnnealMove for 40 kernels where the largest buffer is limited, so that
// all buffers of every mapping are sized.
func BenchmarkMaxBuffer(b *testing.B) {
	c := chainOf(b, oneSource(b, 40, 40, 12))
	c.goal.MaxBuffer = 64 << 10
	c.scalar = newScalarization(c.goal)
	energy := c.energy()
	b.ReportAllocs()
	for b.Loop() {
		energy, _ = c.try(energy, 0.05)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
}
