package profile

import (
	"slices"
	"time"
)

// spinRounds is the length of the reference spin, some milliseconds.
const spinRounds = 1_000_000

// ReferenceSpin is how long a fixed piece of work takes now, in seconds. Measured in
// turns with something else, it tells that the processor's frequency has changed, or
// that somebody has part of it: of a core that is shared with others outside of this
// machine nothing else tells. It keeps several units of a core busy, so that it
// suffers from a neighbour as other code does.
func ReferenceSpin() float64 {
	begin := time.Now()
	a := uint64(begin.UnixNano()) | 1
	b, c, d := a+2, a+4, a+6
	for range spinRounds {
		a = (a ^ a>>27) * 0x2545f4914f6cdd1d
		b = (b ^ b>>27) * 0x2545f4914f6cdd1d
		c = (c ^ c>>27) * 0x2545f4914f6cdd1d
		d = (d ^ d>>27) * 0x2545f4914f6cdd1d
	}
	took := time.Since(begin).Seconds()
	if a^b^c^d == 0 { // the compiler does not know that this is rare
		return took + 1e-12
	}
	return took
}

// Steadiness tells from reference spins whether the machine is as fast now as it
// mostly is.
type Steadiness struct{ spins []float64 }

// slowSpin is how much longer than the lower quartile a spin may take before what was
// measured beside it is taken to be disturbed; fewSpins say nothing yet.
const (
	slowSpin = 1.05
	fewSpins = 8
)

// Slow takes in a spin, and reports whether it was slow.
func (s *Steadiness) Slow(spin float64) bool {
	s.spins = append(s.spins, spin)
	if len(s.spins) < fewSpins {
		return false
	}
	sorted := slices.Sorted(slices.Values(s.spins))
	return spin > slowSpin*sorted[len(sorted)/4]
}
