package goodtime

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestClock: a kernel measured only while the clock of its core was slow is corrected by the clock alone. A kernel
// that waits for memory shows that it does not follow the clock where the clock changed.
func TestClock(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, x := range map[string]struct {
		memory, near float64 // sensitivities; the clock has the rest
		slow         func(run int) float64
		off          float64
	}{
		"in one slow phase":              {0, 0, func(int) float64 { return 0.13 }, 0.01},
		"in two phases":                  {0, 0.4, func(run int) float64 { return 0.13 * float64(run%2) }, 0.01},
		"waits for memory, clock varied": {1, 0, func(run int) float64 { return 0.03 * float64(run%5) }, 0.02},
	} {
		var windows []Window
		for run := range 20 {
			for range 4 {
				slow := make([]float64, len(ProbeNames()))
				for j := 1; j < len(slow); j++ {
					slow[j] = x.slow(run) + 0.002*random.NormFloat64()
				}
				slow[0], slow[2] = 0.05*random.Float64(), slow[2]+0.2*float64(run%3/2)
				cost := 2e-9 * math.Exp(x.memory*slow[0]+x.near*slow[2]+(1-x.memory-x.near)*x.slow(run)+
					0.003*random.NormFloat64())
				clock, left := ByClock(slow)
				windows = append(windows, Window{Cost: cost * math.Exp(-clock), Slow: left, Run: run})
			}
		}
		f := Of(windows)
		if off := f.GoodCost()/2e-9 - 1; math.Abs(off) > x.off {
			t.Errorf("%s: the cost in good time is off by %.2f %%", name, 100*off)
		}
		sum := 0.0
		for _, b := range OfProbes(f.Sensitivity) {
			sum += b
		}
		if math.Abs(sum+f.Sensitivity[chain()]-1) > 1e-9 {
			t.Errorf("%s: all probes slower by the same are worth %g of it, beside %g for the clock", name, sum,
				f.Sensitivity[chain()])
		}
		slow := []float64{0.1, 0.2, 0.3, 0.15, 0.12, 0.11}
		clock, left := ByClock(slow)
		direct := 0.0
		for j, b := range OfProbes(f.Sensitivity) {
			direct += b * slow[j]
		}
		if got := clock + f.Correction(left); math.Abs(got-direct) > 1e-12 {
			t.Errorf("%s: %g by the clock, %g by probes", name, got, direct)
		}
	}
}
