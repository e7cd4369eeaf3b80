package sim

import (
	"fmt"
	"math"

	"xopt/queueing"
)

// PathQuantile returns the time in seconds within which the fraction p of the
// elements comes through stations in series, 0 ≤ p < 1.
//
// An element spends an exponential time of rate μ-λ in an M/M/1 station that serves
// in order of arrival, and these times are independent along a path on which no
// element can overtake another (Reich 1963; Walrand and Varaiya 1980): their sum is
// hypoexponential, and the probability of exceeding the result is 1-p to 1e-9.
// Where paths split and join again, elements overtake each other and it is an
// approximation; so it is where elements are combined or multiplied on the way.
func PathQuantile(path []Hop, p float64) (float64, error) {
	if !(p >= 0 && p < 1) {
		return 0, fmt.Errorf("quantile %g is not in [0, 1): %w", p, queueing.ErrRange)
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
	return hypoexponentialQuantile(rates, 1-p) * mean, nil
}

const (
	// quickest is the rate, in units of 1/mean, from which on a station is left out:
	// it takes less than 1e-12 of the mean.
	quickest = 0x1p40
	// shortestStep is the resolution in time, in units of the mean.
	shortestStep = 0x1p-44
	// steps is how many times the step is doubled, up to 64 means, beyond which less
	// than 1e-27 is left.
	steps = 50
)

// hypoexponentialQuantile returns the t at which P[T > t] = survival for the sum T
// of independent exponential times of the given rates, whose means add up to 1.
//
// The element is a Markov chain that passes through the stations in order. Its
// transition matrices over steps of 2⁻⁴⁴, 2⁻⁴³, …, 64 follow from one another by
// squaring, and the binary digits of t from the largest down: a digit is 1 if after
// it the element is still under way with more than the probability asked for.
// Nothing is subtracted and the diagonal is computed afresh at every step, so that
// all probabilities keep their digits, however many stations there are and however
// much their rates differ.
func hypoexponentialQuantile(rates []float64, survival float64) float64 {
	m := len(rates)
	powers := make([][]float64, steps+1)
	powers[0] = firstStep(rates)
	step := shortestStep
	for k := 1; k <= steps; k++ {
		step *= 2
		powers[k] = square(powers[k-1], m)
		for i, r := range rates {
			powers[k][i*m+i] = math.Exp(-r * step)
		}
	}
	state, next := make([]float64, m), make([]float64, m)
	state[0] = 1
	t := shortestStep / 2
	for k := steps; k >= 0; k-- {
		underWay := 0.0
		for j := range next {
			next[j] = 0
			for i := 0; i <= j; i++ {
				next[j] += state[i] * powers[k][i*m+j]
			}
			underWay += next[j]
		}
		if underWay > survival {
			state, next = next, state
			t += step
		}
		step /= 2
	}
	return t
}

// firstStep returns the transition matrix over the shortest step by
// uniformization: the number of possible moves is Poisson, of a mean of at most
// 1/16 since no rate exceeds quickest.
func firstStep(rates []float64) []float64 {
	m, fastest := len(rates), 0.0
	for _, r := range rates {
		fastest = math.Max(fastest, r)
	}
	matrix := make([]float64, m*m)
	row := make([]float64, m)
	for i := range m {
		clear(row)
		row[i] = 1
		weight := math.Exp(-fastest * shortestStep)
		for moves := 1; moves <= 16; moves++ { // (1/16)¹⁶/16! is below 1e-32
			for j := i; j < m; j++ {
				matrix[i*m+j] += weight * row[j]
			}
			weight *= fastest * shortestStep / float64(moves)
			for j := m - 1; j >= i; j-- {
				row[j] *= 1 - rates[j]/fastest
				if j > i {
					row[j] += row[j-1] * rates[j-1] / fastest
				}
			}
		}
	}
	return matrix
}

// square returns the square of an upper triangular matrix of m rows.
func square(a []float64, m int) []float64 {
	b := make([]float64, m*m)
	for i := range m {
		for l := i; l < m; l++ {
			x := a[i*m+l]
			if x == 0 {
				continue
			}
			for j := l; j < m; j++ {
				b[i*m+j] += x * a[l*m+j]
			}
		}
	}
	return b
}
