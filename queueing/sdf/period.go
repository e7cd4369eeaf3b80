package sdf

import "math"

// Period is a throughput: so many Iterations in a Time, in lowest terms. A Time of 0 is a
// throughput without bound, 0 Iterations none at all.
type Period struct {
	Time, Iterations int64
}

// period reduces a time and iterations to lowest terms.
func period(time, iterations int64) Period {
	if g := gcd(time, iterations); g > 1 {
		return Period{time / g, iterations / g}
	}
	return Period{time, iterations}
}

// Rate is the throughput in iterations per unit of time.
func (p Period) Rate() float64 {
	switch {
	case p.Iterations == 0:
		return 0
	case p.Time == 0:
		return math.Inf(1)
	}
	return float64(p.Iterations) / float64(p.Time)
}

// Less reports whether the throughput is less than another, exactly.
func (p Period) Less(other Period) bool {
	switch {
	case other.Iterations == 0:
		return false
	case p.Iterations == 0:
		return true
	}
	return product(p.Iterations, other.Time).less(product(other.Iterations, p.Time))
}

// slower reports whether a cycle of this ratio of time to delays holds more up than another's.
func (p Period) slower(other Period) bool {
	return product(other.Time, p.Iterations).less(product(p.Time, other.Iterations))
}
