package copyplan

import (
	"math"
	"slices"
)

// tune chooses the turns of a unit that balance the loads of its cores, including their other work.
func (s *state) tune(at int) {
	x := &s.slots[at]
	n := len(x.Copies)
	if n < 2 {
		return
	}
	beside, work := make([]float64, n), make([]float64, n)
	for i, c := range x.Copies {
		for _, t := range x.Tasks {
			work[i] += s.p.Work[t][c.Core]
			if s.p.Shared != nil && s.tasks[c.Core] > 1 {
				work[i] += s.p.Shared[t][c.Core] - s.p.Work[t][c.Core]
			}
		}
		beside[i] = s.load(c.Core) - x.share[i]*work[i]
	}
	shares, level := fill(beside, work)
	if shares == nil {
		return
	}
	next := Unit{Tasks: x.Tasks}
	for i, turns := range rounded(shares, work, level) {
		if turns > 0 {
			next.Copies = append(next.Copies, Copy{x.Copies[i].Core, turns})
		}
	}
	if len(next.Copies) == 1 {
		next.Copies[0].Turns = 1
	}
	if !slices.Equal(next.Copies, x.Copies) {
		s.replace(at, next)
	}
}

// fill returns the shares of a stream that balance the loads: beside + share·work ≤ level, with nonnegative shares that
// sum to 1. It returns nil if a load is not positive.
func fill(beside, work []float64) (shares []float64, level float64) {
	order := make([]int, len(work))
	for i, w := range work {
		if order[i] = i; !(w > 0) || math.IsInf(w, 1) {
			return nil, 0
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case beside[a] < beside[b]:
			return -1
		case beside[a] > beside[b]:
			return 1
		}
		return a - b
	})
	rate, filled := 0.0, 0.0 // Σ 1/work, Σ beside/work
	for n, i := range order {
		rate, filled = rate+1/work[i], filled+beside[i]/work[i]
		level = (1 + filled) / rate
		if n+1 == len(order) || level <= beside[order[n+1]] {
			break
		}
	}
	shares = make([]float64, len(work))
	for i := range shares {
		shares[i] = math.Max(0, level-beside[i]) / work[i]
	}
	return shares, level
}

// roundingLoss is the fraction of the level that rounding to turns may add to a core's load, if longer rounds lose
// less.
const roundingLoss = 0.001

// rounded converts shares to numbers of turns. It chooses the shortest round that does not raise a load significantly
// above the level or, if there is none, the best round.
func rounded(shares, work []float64, level float64) []int {
	var best []int
	minimum := math.Inf(1)
	for _, round := range []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, mostTurns} {
		turns := divide(shares, round)
		loss := 0.0
		for i, t := range turns {
			loss = math.Max(loss, (float64(t)/float64(round)-shares[i])*work[i]/level)
		}
		if loss < minimum {
			best, minimum = turns, loss
		}
		if loss <= roundingLoss {
			break
		}
	}
	return best
}

// divide divides a round in proportion to shares. Remaining turns go to the largest deficits.
func divide(shares []float64, round int) []int {
	left := round
	turns := make([]int, len(shares))
	for i, x := range shares {
		turns[i] = int(x * float64(round))
		left -= turns[i]
	}
	for ; left > 0; left-- {
		maximum := 0
		for i, x := range shares {
			if x*float64(round)-float64(turns[i]) > shares[maximum]*float64(round)-float64(turns[maximum]) {
				maximum = i
			}
		}
		turns[maximum]++
	}
	return turns
}
