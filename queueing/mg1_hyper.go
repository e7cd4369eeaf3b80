package queueing

import "math"

// hyper contains the occupancy of an M/G/1 station whose service times are hyperexponential with two phases of balanced
// means, pᵢmᵢ = m/2, and cs² = c ≥ 1.
//
// The arrivals during one service have the generating function Σ pᵢ/(1+ρᵢ(1-z)), which makes P(z) of [chain] a ratio of
// polynomials. Its two poles 1+x satisfy
//
//	(1-ρ) - ρ(c+1)(1-ρ/2)·x + ρ²(c+1)/2·x² = 0
//
// and the tail is exactly P[N > n] = C₁(1+x₁)⁻ⁿ + C₂(1+x₂)⁻ⁿ. C₁ and C₂ follow from P[N > 0] = ρ and the mean. At c =
// 1, the second term is 0, and the first term is the occupancy of M/M/1.
type hyper struct {
	x, c [2]float64 // parameters of the terms, with the slower term first
}

// hyper returns the occupancy of a valid station with cs² ≥ 1.
func (q MG1) hyper() hyper {
	rho, c := q.Utilization, q.ServiceSCV
	if rho == 0 {
		return hyper{x: [2]float64{math.Inf(1), math.Inf(1)}}
	}
	// Solve for X = ρx, so that the square of a small ρ does not underflow.
	idle, b, a := 1-rho, (c+1)*(1-rho/2), (c+1)/2
	// b² - 4a(1-ρ) = (c+1)²ρ²/4 + (c+1)(c-1)(1-ρ)
	root := math.Sqrt((c+1)*(c+1)*rho*rho/4 + (c+1)*(c-1)*idle)
	near := 2 * idle / (b + root)
	far := (b + root) / (2 * a)
	h := hyper{x: [2]float64{near / rho, far / rho}}
	// In units of ρ: C₁ + C₂ = 1 and C₁/X₁ + C₂/X₂ = Lq/ρ².
	queue := a / idle
	spread := 1/near - 1/far
	h.c[0] = rho * (queue - 1/far) / spread
	h.c[1] = math.Max(0, rho*(1/near-queue)/spread)
	return h
}

// probability returns P[N = n].
func (h *hyper) probability(n float64) float64 {
	if math.IsInf(h.x[0], 1) {
		if n == 0 {
			return 1
		}
		return 0
	}
	sum := 0.0
	for i, x := range h.x {
		sum += h.c[i] * x * math.Exp(-n*math.Log1p(x))
	}
	return sum
}

// tail returns P[N > n] for n ≥ 1.
func (h *hyper) tail(n float64) float64 {
	sum := 0.0
	for i, x := range h.x {
		if h.c[i] > 0 {
			sum += h.c[i] * math.Exp(-n*math.Log1p(x))
		}
	}
	return sum
}

// capacity returns the smallest K ≥ 1 for which P[N > K] is at most p.
func (h *hyper) capacity(p float64) float64 {
	p *= 1 + capacityRounding
	if h.tail(1) <= p {
		return 1
	}
	// The capacity for the slower term alone is too small. The capacity with the entire probability in the slower term
	// is too large.
	rate := math.Log1p(h.x[0])
	low := math.Max(1, math.Floor((math.Log(h.c[0])-math.Log(p))/rate)-1)
	high := math.Ceil((math.Log(h.c[0]+h.c[1])-math.Log(p))/rate) + 1
	for high-low > 1 {
		middle := math.Floor(low + (high-low)/2)
		if middle == low || middle == high {
			break
		}
		if h.tail(middle) <= p {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
