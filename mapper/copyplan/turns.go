package copyplan

import (
	"slices"

	"xopt/flow"
)

// balance returns, for each copy of a unit, the part of the stream that balances the total loads of the unit's cores;
// nil for a unit without copies. work is the load of each core if its copy processes the complete stream, and level is
// the balanced load.
func (s *state) balance(at int) (shares, work []float64, level float64) {
	x := &s.slots[at]
	n := len(x.Copies)
	if n < 2 {
		return nil, nil, 0
	}
	beside := make([]float64, n)
	work = make([]float64, n)
	for i, c := range x.Copies {
		for _, t := range x.Tasks {
			work[i] += s.p.Work[t][c.Core]
			if s.p.Shared != nil && s.tasks[c.Core] > 1 {
				work[i] += s.p.Shared[t][c.Core] - s.p.Work[t][c.Core]
			}
		}
		beside[i] = s.load(c.Core) - x.share[i]*work[i]
	}
	shares, level = flow.BalanceShares(beside, work)
	return shares, work, level
}

// tune chooses the turns of a unit that balance the loads of its cores.
func (s *state) tune(at int) {
	x := &s.slots[at]
	shares, work, level := s.balance(at)
	if shares == nil {
		return
	}
	next := Unit{Tasks: x.Tasks}
	for i, turns := range flow.RoundShares(shares, work, level, roundingLoss, maxTurns) {
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

// roundingLoss is the fraction of the balanced load that rounding to turns may add to a core's load. Beyond it, tune
// tries longer rounds.
const roundingLoss = 0.001
