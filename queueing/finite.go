package queueing

import "math"

// FiniteCapacity returns the room between a writer and a reader, in elements, with which blocking
// and starving take at most a part loss of the throughput of the slower:
//
//	K = v/(-2 ln ρ) · ln(1 + (1-ρ)/loss),  v/(2·loss) for ρ = 1
//
// ρ is how much the less busy of the two is used when the other works all of the time, and v =
// ca²+cs² the variance that their times add for each element, in squares of its mean time. Near ρ =
// 1 it is Brownian motion with drift -(1-ρ) and variance v between the barriers 0 and K, whose
// regulator pushes with the rate (1-ρ)/(e^(2(1-ρ)K/v) - 1) at the far one (Harrison 1985, §5.6);
// with -ln ρ in the exponent it is right for exponential services (v = 2) at every ρ, where the
// queue decays as ρᴷ. Unlike the sizes of open stations it is finite at ρ = 1, where a source sends
// as fast as it can.
//
// A place for what the writer works on and one for what the reader works on come on top.
func FiniteCapacity(rho, v, loss float64) float64 {
	if !(v > 0) || !(rho > 0) {
		return 0
	}
	d := math.Max(0, 1-rho)
	if d/loss < 1e-9 {
		return v / (2 * loss)
	}
	return v / (-2 * logUtilization(rho)) * math.Log1p(d/loss)
}
