package queueing

import "math"

// chain contains the occupancy tails of an M/G/1 station with gamma service times of cs² < 1. The first chainTerms
// tails are individual values. Further tails are a geometric series.
//
// The number of elements that a departure leaves behind is a Markov chain. The chain has the distribution that arrivals
// see, which is also the distribution over time. Its generating function is
//
//	P(z) = (1-ρ)(1-z)A(z) / (A(z)-z),  A(z) = (1 + cρ(1-z))^(-1/c)
//
// where A is the generating function of the Poisson arrivals during one service. The service time has a gamma
// distribution with squared coefficient of variation c. For c = 0, A is exp(-ρ(1-z)). The pole z₀ = 1+x nearest the
// origin, A(z₀) = z₀, yields P[N = n] → k·z₀⁻ⁿ.
type chain struct {
	tails [chainTerms]float64 // P[N > n] for n < chainTerms
	x, k  float64             // 0 if the tail beyond the terms underflows
}

// chainTerms is the number of tails that are computed individually. Further tails that exceed 1e-30 are geometric, with
// a relative error of at most 1e-8.
const chainTerms = 96

// minDecaying is the utilization up to which the tail beyond the terms is below the smallest float64, by the bound ρⁿ.
const minDecaying = 1e-4

// embed computes the tails of a valid station.
func (q MG1) embed(c *chain) {
	var p [chainTerms]float64
	var arrivals [chainTerms + 1]float64
	q.arrivalTails(arrivals[:])
	for i := range p {
		q.next(p[:], arrivals[:], i)
	}
	rest := 0.0
	if q.Utilization > minDecaying {
		c.x, c.k = q.decay()
		rest = c.asymptote(chainTerms - 1)
	}
	// Sum from the far end to avoid cancellation.
	for n := chainTerms - 1; n >= 0; n-- {
		c.tails[n] = rest
		rest += p[n]
	}
}

// asymptote returns k·(1+x)⁻ⁿ/x, the limit of P[N > n] for large n.
func (c *chain) asymptote(n float64) float64 {
	return math.Exp(math.Log(c.k) - math.Log(c.x) - n*math.Log1p(c.x))
}

// capacity returns the smallest K ≥ 1 for which P[N > K] is at most p.
func (c *chain) capacity(p float64) float64 {
	for k := 1; k < chainTerms; k++ {
		if c.tails[k] <= p*(1+capacityRounding) {
			return float64(k)
		}
	}
	if c.x == 0 {
		return chainTerms
	}
	// The asymptote equals p at this n.
	n := (math.Log(c.k) - math.Log(c.x) - math.Log(p)) / math.Log1p(c.x)
	return math.Max(chainTerms, roundUp(n))
}

// next computes p[i] from the previous values by the recursion of Ramaswami 1988. All of its terms are positive:
//
//	p[i] = (p[0]·a[i] + Σ p[j]·a[i+1-j], 0 < j < i) / (1-a[1])
//
// where a[i] is the probability of at least i arrivals in one service time.
func (q MG1) next(p, a []float64, i int) {
	if i == 0 {
		p[0] = 1 - q.Utilization
		return
	}
	sum := p[0] * a[i]
	for j := 1; j < i; j++ {
		sum += p[j] * a[i+1-j]
	}
	p[i] = sum / q.noArrival()
}

// noArrival returns the probability of no arrival in one service time.
func (q MG1) noArrival() float64 {
	if c := q.ServiceSCV; c > 0 {
		return math.Exp(-math.Log1p(c*q.Utilization) / c)
	}
	return math.Exp(-q.Utilization)
}

// arrivalTails fills a[i] = P[at least i arrivals in one service time]. It adds the terms of each tail from small to
// large, so that small values are accurate.
func (q MG1) arrivalTails(a []float64) {
	// The probability of i+1 arrivals is the probability of i arrivals times (1+ci)/(i+1) · ρ/(1+cρ).
	c, step := q.ServiceSCV, q.Utilization/(1+q.ServiceSCV*q.Utilization)
	term := q.noArrival()
	for i := range a {
		a[i] = term
		term *= (1 + c*float64(i)) / float64(i+1) * step
	}
	rest := 0.0
	for i, t := len(a), term; t > rest*1e-17; i++ {
		rest += t
		t *= (1 + c*float64(i)) / float64(i+1) * step
	}
	for i := len(a) - 1; i >= 0; i-- {
		rest += a[i]
		a[i] = rest
	}
}

// decay returns x > 0 and k such that P[N = n] → k·(1+x)⁻ⁿ. With h(y) = y - log(1+y), the equation of the pole, log
// A(z) = log z, is
//
//	f(x) = h(x) + h(-cρx)/c - (1-ρ)x = 0
//
// f is convex, f(0) = 0, and f decreases at 0. This form loses no digits as ρ approaches 1.
func (q MG1) decay() (x, k float64) {
	rho, c := q.Utilization, q.ServiceSCV
	idle := 1 - rho
	f := func(x float64) (value, slope float64) {
		y := c * rho * x
		value, slope = logExcess(x)-idle*x, x/(1+x)-idle
		if c > 0 {
			value += logExcess(-y) / c
			slope += rho * y / (1 - y)
		}
		return value, slope
	}
	limit := math.Inf(1) // value of x up to which A is finite
	if c*rho > 0 {
		limit = 1 / (c * rho)
	}
	// From the right of the root, Newton steps do not overshoot.
	x = math.Min(2*idle/(1+c*rho*rho), limit/2)
	for range 200 {
		if v, _ := f(x); v > 0 {
			break
		}
		x = math.Min(2*x, (x+limit)/2)
	}
	for range 200 {
		v, slope := f(x)
		step := v / slope
		x -= step
		if math.Abs(step) <= 1e-15*x {
			break
		}
	}
	y := c * rho * x
	return x, idle * x * (1 - y) / (rho*x*(1+c) - idle)
}

// logExcess returns y - log(1+y) for y > -1, exact near 0.
func logExcess(y float64) float64 {
	if math.Abs(y) > 0.1 {
		return y - math.Log1p(y)
	}
	// y²/2 - y³/3 + …
	sum, power := 0.0, y*y
	for i := 2.0; i < 20; i++ {
		sum += power / i
		power *= -y
	}
	return sum
}
