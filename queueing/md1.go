package queueing

import (
	"math"
)

// MD1 is the station with Poisson arrivals, constant service time and room
// without end. The zero value is an empty station.
type MD1 struct {
	Utilization float64 // ρ, in [0, 1)
}

// MeanQueue returns Lq = ρ²/(2(1-ρ)): half that of M/M/1.
func (q MD1) MeanQueue() float64 { return MM1(q).MeanQueue() / 2 }

// MeanNumber returns L = Lq + ρ.
func (q MD1) MeanNumber() float64 { return q.MeanQueue() + q.Utilization }

// MeanResponse returns W = L/λ in seconds, for a service rate in elements/s.
func (q MD1) MeanResponse(serviceRate float64) float64 {
	return (1 + q.Utilization/(2*(1-q.Utilization))) / serviceRate
}

// md1Exact is how many probabilities are computed one by one; from there on the
// occupancy is geometric to the last digit.
const md1Exact = 48

// Distribution returns P[N = 0], …, P[N = n-1], by the recursion of Ramaswami,
// whose terms are all positive. It costs n² operations.
func (q MD1) Distribution(n int) []float64 {
	rho := q.Utilization
	p := make([]float64, n)
	if n == 0 {
		return p
	}
	p[0] = 1 - rho
	if rho == 0 {
		return p
	}
	// tail[i] = P[at least i arrivals in one service time], Poisson of mean ρ.
	tail := poissonTails(rho, n+1)
	for i := 1; i < n; i++ {
		sum := p[0] * tail[i]
		for j := 1; j < i; j++ {
			sum += p[j] * tail[i+1-j]
		}
		p[i] = sum / (1 - tail[1])
	}
	return p
}

// poissonTails returns P[X ≥ i] for i = 0, …, n-1, each summed from its own first
// term, so that small ones are exact.
func poissonTails(mean float64, n int) []float64 {
	tails := make([]float64, n)
	term := math.Exp(-mean)
	for i := range tails {
		sum, t := 0.0, term
		for k := i; t > sum*1e-18; k++ {
			sum += t
			t *= mean / float64(k+1)
		}
		tails[i] = sum
		term *= mean / float64(i+1)
	}
	tails[0] = 1
	return tails
}

// Tail returns P[N > n].
func (q MD1) Tail(n float64) float64 {
	if q.Utilization == 0 {
		return 0
	}
	if n >= md1Exact {
		x, k := q.decay()
		return math.Exp(math.Log(k)-(n+1)*math.Log1p(x)) * (1 + x) / x
	}
	sum := 0.0
	for _, p := range q.Distribution(int(n) + 1) {
		sum += p
	}
	return math.Max(0, 1-sum)
}

// decay returns x > 0 and k such that P[N = n] = k·(1+x)⁻ⁿ for large n: 1+x is the
// root z of exp(ρ(z-1)) = z, the pole of the generating function nearest the
// origin.
func (q MD1) decay() (x, k float64) {
	rho := q.Utilization
	idle := 1 - rho
	if idle < 1e-6 {
		// The first terms of the series; the next is of relative size idle².
		x = 2*idle + 8./3*idle*idle
		return x, idle * x / (rho*x - idle)
	}
	// f(x) = ρx - log(1+x) = 0, by Newton from the right.
	x = 2*idle/(rho*rho) + 2
	for math.Log1p(x) > rho*x {
		x *= 2
	}
	for range 200 {
		step := (rho*x - math.Log1p(x)) / (rho - 1/(1+x))
		x -= step
		if math.Abs(step) <= 1e-15*x {
			break
		}
	}
	return x, idle * x / (rho*x - idle)
}

// Capacity returns the smallest K, at least 1, for which P[N > K] is at most p;
// the element in service is included.
func (q MD1) Capacity(p float64) (float64, error) {
	if err := checkCapacity(q.Utilization, p); err != nil {
		return 0, err
	}
	if q.Utilization == 0 {
		return 1, nil
	}
	x, k := q.decay()
	n := (math.Log(k)-math.Log(p)+math.Log1p(x)-math.Log(x))/math.Log1p(x) - 1
	if n > md1Exact {
		return wholeElements(n), nil
	}
	sum := 0.0
	for i, prob := range q.Distribution(2 * md1Exact) {
		sum += prob
		if i >= 1 && 1-sum <= p {
			return float64(i), nil
		}
	}
	return 2 * md1Exact, nil
}
