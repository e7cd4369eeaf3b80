package apps

import "time"

// WorkSpeed is how many rounds of a multiplication that waits for the one before this
// processor does in a microsecond: the unit of work of the synthetic kernels.
func WorkSpeed() float64 {
	const rounds, tries = 200_000, 9
	best := time.Duration(1 << 62)
	x := uint64(1)
	for range tries {
		begin := time.Now()
		for range rounds {
			x ^= x >> 27
			x *= 0x2545f4914f6cdd1d
		}
		best = min(best, time.Since(begin))
	}
	if x == 0 { // the compiler does not know that it never is
		best++
	}
	return rounds / (best.Seconds() * 1e6)
}
