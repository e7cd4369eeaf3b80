package copies

import "math"

// tuned tries the turns of the copies of a unit that make the greatest load of their cores least: what the cores
// do beside is filled up to one level, as water fills vessels, and the shares that follow are rounded to turns.
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

// fill returns the shares of a stream that bring loads to one level: beside + share·work ≤ level, where shares are
// at least 0 and 1 in all. It returns nil where that is not possible.
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

// rounded are whole numbers of turns, at least one for each copy, nearest to shares of a round: what is left
// goes to those that miss most. ok is whether there are enough turns, with no divisor in common.
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
