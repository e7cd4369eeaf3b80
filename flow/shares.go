package flow

import (
	"math"
	"slices"
)

// BalanceShares divides a stream among the copies of a kernel so that the loads of their cores are balanced. beside
// contains the load of each core without its copy. work contains the load of each copy if it processes the complete
// stream, in the same unit. The shares are nonnegative and sum to 1, and beside + share·work = level for each core with
// a share above 0. BalanceShares returns nil if an element of work is not positive and finite.
func BalanceShares(beside, work []float64) (shares []float64, level float64) {
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

// RoundShares converts shares to numbers of batches in a round of at most the given length. RoundShares chooses the
// shortest round in which no load exceeds level by more than the fraction loss or, if there is none, the round with the
// smallest excess.
func RoundShares(shares, work []float64, level, loss float64, longest int) []int {
	var best []int
	minimum := math.Inf(1)
	for _, round := range []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64} {
		if round > longest {
			break
		}
		turns := DivideRound(shares, round)
		lost := 0.0
		for i, t := range turns {
			lost = math.Max(lost, (float64(t)/float64(round)-shares[i])*work[i]/level)
		}
		if lost < minimum {
			best, minimum = turns, lost
		}
		if lost <= loss {
			break
		}
	}
	return best
}

// DivideRound divides a round in proportion to shares. Remaining batches go to the largest deficits.
func DivideRound(shares []float64, round int) []int {
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
