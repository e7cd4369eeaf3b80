package queueing

import "math"

// InOrder is a link that delays each transfer independently, uniformly from 0 to Jitter. It keeps the transfers in
// order. A transfer that is ready waits for all earlier transfers. Transfers start as a Poisson process with the rate
// Rate. A transfer has arrived within the time x if its own delay is at most x and no earlier transfer arrives later:
//
//	P(D ≤ x) = x/J exp(-∫ r (1 - (x+s)/J) ds) = x/J exp(-r (J-x)²/(2J)), the integral from 0 to J-x
//
// A transfer that started s seconds earlier arrives later with the probability 1 - (x+s)/J, independently of other
// transfers.
type InOrder struct {
	Jitter float64 // maximum delay of a transfer, s
	Rate   float64 // rate of the transfers, 1/s
}

// Mean returns the mean delay in s. The mean is half of the jitter if transfers are rare. It approaches the jitter if
// many transfers are in flight, because each transfer waits for the latest earlier transfer.
func (q InOrder) Mean() float64 {
	j, r := q.Jitter, q.Rate
	if !(j > 0) {
		return 0
	}
	// The integral of P(D > x), with u = J - x:  J - ∫ (1 - u/J) exp(-r u²/(2J)) du from 0 to J.
	if !(r*j > 1e-8) {
		return j / 2
	}
	if math.IsInf(r, 1) {
		return j
	}
	z := math.Sqrt(r * j / 2)
	return j - math.Sqrt(math.Pi*j/(2*r))*math.Erf(z) - math.Expm1(-r*j/2)/r
}

// Below returns the probability that a delay is at most x s.
func (q InOrder) Below(x float64) float64 {
	switch j := q.Jitter; {
	case x < 0:
		return 0
	case x >= j:
		return 1
	default:
		return x / j * math.Exp(-q.Rate*(j-x)*(j-x)/(2*j))
	}
}
