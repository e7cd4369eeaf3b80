package copies

import "math"

// tuned tries turns that minimize the largest load of a unit's cores. It levels the loads, given the other work of each
// core, and rounds the resulting shares to turns.
func (s *state) tuned(units []Unit, u int, try func(units []Unit)) {
	n := len(units[u].Copies)
	if n < 2 {
		return
	}
	x := s.probe
	x.set(units)
	beside, work := make([]float64, n), make([]float64, n)
	for i, c := range units[u].Copies {
		for _, t := range units[u].Tasks {
			work[i] += x.work(t, c.Core)
		}
		beside[i] = x.load[c.Core] - x.share[u][c.Core]*work[i]
	}
	shares := fill(beside, work)
	if shares == nil {
		return
	}
	for _, round := range []int{n, n + 1, 8, 16, mostTurns} {
		if turns, ok := rounded(shares, round); ok {
			next := clone(units)
			for i := range turns {
				next[u].Copies[i].Turns = turns[i]
			}
			try(next)
		}
	}
}

// fill returns the shares of a stream that level the loads: beside + share·work ≤ level, with shares of at least 0 that
// sum to 1. It returns nil if that is impossible.
func fill(beside, work []float64) []float64 {
	low, high := math.Inf(1), 0.0
	for i := range work {
		if !(work[i] > 0) || math.IsInf(work[i], 1) {
			return nil
		}
		low, high = math.Min(low, beside[i]), math.Max(high, beside[i]+work[i])
	}
	for range 60 {
		level, sum := (low+high)/2, 0.0
		for i := range work {
			sum += math.Max(0, level-beside[i]) / work[i]
		}
		if sum < 1 {
			low = level
		} else {
			high = level
		}
	}
	shares := make([]float64, len(work))
	for i := range work {
		shares[i] = math.Max(0, high-beside[i]) / work[i]
	}
	return shares
}

// rounded converts the shares of a round to numbers of turns, at least one per copy. Remaining turns go to the
// largest deficits. ok is false if the round is too short. Common divisors are removed.
func rounded(shares []float64, round int) (turns []int, ok bool) {
	left := round
	turns = make([]int, len(shares))
	for i, x := range shares {
		turns[i] = max(1, int(x*float64(round)))
		left -= turns[i]
	}
	for ; left > 0; left-- {
		most := 0
		for i, x := range shares {
			if x*float64(round)-float64(turns[i]) > shares[most]*float64(round)-float64(turns[most]) {
				most = i
			}
		}
		turns[most]++
	}
	if left < 0 {
		return nil, false
	}
	g := 0
	for _, t := range turns {
		for a, b := g, t; ; {
			if b == 0 {
				g = a
				break
			}
			a, b = b, a%b
		}
	}
	for i := range turns {
		turns[i] /= g
	}
	return turns, true
}
