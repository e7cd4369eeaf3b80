package queueing

import (
	"math"
	"math/rand/v2"
)

// draws draws distributions anew.
type draws struct{ random *rand.Rand }

func newDraws() *draws { return &draws{rand.New(rand.NewPCG(1, 2))} }

// again draws the weights of points, of n samples, anew.
func (d *draws) again(to []float64, p *points, n uint64) {
	sum := 0.0
	for i, w := range p.weight {
		to[i] = d.poisson(w * float64(n))
		sum += to[i]
	}
	if sum == 0 {
		copy(to, p.weight)
		return
	}
	for i := range to {
		to[i] /= sum
	}
}

// scaled are the values of exp(θx) at points, over the greatest, whose logarithm is by.
type scaled struct {
	values []float64
	by     float64
}

func (p *points) scaled(theta float64) scaled {
	s := scaled{make([]float64, len(p.at)), theta * p.most()}
	for i, x := range p.at {
		s.values[i] = math.Exp(theta*x - s.by)
	}
	return s
}

// log is log E exp(θX) with other weights.
func (s *scaled) log(weights []float64) float64 {
	sum := 0.0
	for i, w := range weights {
		sum += w * s.values[i]
	}
	return s.by + math.Log(sum)
}

// poisson draws from a Poisson distribution, from the normal one where the mean is large.
func (d *draws) poisson(mean float64) float64 {
	const large = 40
	if mean > large {
		return max(math.Round(mean+math.Sqrt(mean)*d.random.NormFloat64()), 0)
	}
	n, product := 0.0, d.random.Float64()
	for limit := math.Exp(-mean); product > limit; n++ {
		product *= d.random.Float64()
	}
	return n
}
