package queueing

import (
	"fmt"
	"math"
)

// Hop is one station on a path.
type Hop struct {
	Utilization float64 // ρ, in [0, 1)
	// ServiceRate is μ of the station in the elements that it serves, per second,
	// after sharing; above 0. +Inf costs no time.
	ServiceRate float64
}

// rate returns the rate in 1/s of the exponential time that an element spends in
// the station, queueing included: μ-λ.
func (h Hop) rate() (float64, error) {
	if err := check(h.Utilization); err != nil {
		return 0, err
	}
	if !(h.ServiceRate > 0) {
		return 0, fmt.Errorf("service rate %g: %w", h.ServiceRate, ErrRange)
	}
	return h.ServiceRate * (1 - h.Utilization), nil
}

// PathLatency returns the mean time in seconds that an element takes through
// stations in series, queueing included: the sum of their mean response times
// (Little's law at each). It is exact for an open Jackson network, where each
// station is M/M/1.
func PathLatency(path []Hop) (float64, error) {
	sum := 0.0
	for i, h := range path {
		rate, err := h.rate()
		if err != nil {
			return 0, fmt.Errorf("station %d of the path: %w", i+1, err)
		}
		sum += 1 / rate
	}
	return sum, nil
}

// PathQuantile returns the time in seconds within which the fraction p of the
// elements comes through stations in series, 0 ≤ p ≤ 1 - 1e-9, to about six digits.
//
// An element spends an exponential time of rate μ-λ in an M/M/1 station that serves
// in order of arrival, and these times are independent along a path on which no
// element can overtake another (Reich 1963, Walrand and Varaiya 1980): their sum
// has the transform Π rᵢ/(rᵢ+s), which is inverted numerically ([survival]). Where
// paths split and join again so that elements overtake each other, and where
// elements are combined or multiplied on the way, it is an approximation.
func PathQuantile(path []Hop, p float64) (float64, error) {
	if !(p >= 0 && p <= 1-smallestSurvival) {
		return 0, fmt.Errorf("quantile %g is not in [0, 1 - %g]: %w", p, smallestSurvival, ErrRange)
	}
	mean, err := PathLatency(path)
	if err != nil {
		return 0, err
	}
	if p == 0 || mean == 0 {
		return 0, nil
	}
	rates := make([]float64, 0, len(path))
	for _, h := range path {
		// In units of the mean, so that no magnitude matters.
		if rate, err := h.rate(); err == nil && rate*mean < quickest {
			rates = append(rates, rate*mean)
		}
	}
	low, high := 0.0, 1.0
	for survival(rates, high) > 1-p {
		low, high = high, 2*high
	}
	for range 60 {
		middle := low + (high-low)/2
		if high-low <= 1e-9*high {
			break
		}
		if survival(rates, middle) > 1-p {
			low = middle
		} else {
			high = middle
		}
	}
	return high * mean, nil
}

const (
	// smallestSurvival is the smallest probability that the inversion resolves.
	smallestSurvival = 1e-9
	// quickest is the rate, in units of 1/mean, above which a station is left out:
	// it takes less than 1e-12 of the mean.
	quickest = 1e12
)

// survival returns P[T > t] for the sum T of independent exponential times, from
// its transform F(s) = (1 - Π rᵢ/(rᵢ+s))/s by the trapezoidal rule on Talbot's
// contour with the parameters of Weideman 2006,
//
//	s = N/t · (0.5017 θ cot(0.6407 θ) - 0.6122 + 0.2645 i θ), -π < θ < π
//
// which encloses the poles, all on the negative real axis, wherever they lie and
// however close to each other. Its error with N = 24 points is about 1e-13.
func survival(rates []float64, t float64) float64 {
	const n = 24
	sum := 0.0
	for k := range n / 2 { // the other half is conjugate
		theta := (2*float64(k) + 1) * math.Pi / n
		sin, cos := math.Sincos(0.6407 * theta)
		z := complex(n*(0.5017*theta*cos/sin-0.6122), n*0.2645*theta)
		dz := complex(n*(0.5017*cos/sin-0.5017*0.6407*theta/(sin*sin)), n*0.2645)
		product := complex(1, 0)
		for _, r := range rates {
			product *= 1 / (1 + z/complex(r*t, 0))
		}
		grow, turn := math.Exp(real(z)), imag(z)
		sin, cos = math.Sincos(turn)
		sum += imag(complex(grow*cos, grow*sin) * (1 - product) / z * dz)
	}
	return 2 * sum / n
}
