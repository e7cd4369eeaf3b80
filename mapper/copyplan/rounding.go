package copyplan

import (
	"math"
	"slices"

	"xopt/flow"
)

// plan returns the state of a plan that approximates a solution of the relaxation. For each unit, it also returns the
// ideal parts of the stream for its copies.
func (x *relaxation) plan(values []float64) (*state, [][]float64) {
	parts := x.parts(values)
	var units []Unit
	var shares [][]float64
	for t, part := range parts {
		// Connected tasks with equal parts form a unit.
		at := slices.IndexFunc(units, func(u Unit) bool {
			return slices.ContainsFunc(u.Tasks, func(other int) bool {
				return x.connected(other, t) && slices.EqualFunc(parts[other], part, func(a, b float64) bool {
					return math.Abs(a-b) < integral
				})
			})
		})
		if at >= 0 {
			units[at].Tasks = append(units[at].Tasks, t)
			continue
		}
		u := Unit{Tasks: []int{t}}
		var share []float64
		for c, v := range part {
			if v > integral {
				u.Copies, share = append(u.Copies, Copy{c, 1}), append(share, v)
			}
		}
		units, shares = append(units, u), append(shares, share)
	}
	for len(shares) < len(x.p.Work) {
		shares = append(shares, nil)
	}
	return newState(x.p, units), shares
}

// connected reports whether an edge connects two tasks.
func (x *relaxation) connected(s, t int) bool {
	return slices.ContainsFunc(x.p.Edges, func(e Edge) bool {
		return e.From == s && e.To == t || e.From == t && e.To == s
	})
}

// parts returns the part of the stream that each task processes on each core. If groups have several cores, parts first
// assigns the tasks without copies, in order of decreasing work, to the least loaded core of their group. It then
// distributes the other tasks over the free time of the cores, one core after the other.
func (x *relaxation) parts(values []float64) [][]float64 {
	parts := make([][]float64, len(x.p.Work))
	load := make([]float64, x.p.cores())
	var divided []int
	order := make([]int, len(x.p.Work))
	for t := range order {
		order[t], parts[t] = t, make([]float64, x.p.cores())
	}
	slices.SortFunc(order, byWork(x.p))
	put := func(t, c int, part float64) {
		parts[t][c] += part
		load[c] += part * x.work(t, c)
	}
	for _, t := range order {
		part := values[x.task(t, 0):x.task(t+1, 0)]
		if x.exact() {
			if !x.p.Copyable[t] {
				put(t, x.groups[slices.Index(part, slices.Max(part))][0], 1)
				continue
			}
			sum := 0.0
			for _, v := range part {
				sum += math.Max(0, v)
			}
			for g, v := range part {
				if v > 0 {
					put(t, x.groups[g][0], v/sum)
				}
			}
		} else if x.p.Copyable[t] {
			divided = append(divided, t)
		} else {
			put(t, leastLoaded(load, x.groups[slices.Index(part, slices.Max(part))]), 1)
		}
	}
	slices.Sort(divided)
	for _, t := range divided {
		for g, cores := range x.groups {
			left := values[x.task(t, g)]
			for left > integral {
				c := leastLoaded(load, cores)
				for _, other := range cores { // the core with the highest load that has time left
					if load[other] < values[0]-integral && load[other] > load[c] {
						c = other
					}
				}
				some := left
				if w := x.work(t, c); w > 0 && load[c] < values[0]-integral {
					some = math.Min(left, (values[0]-load[c])/w)
				}
				put(t, c, some)
				left -= some
			}
		}
	}
	return parts
}

// leastLoaded returns the first core with the lowest load.
func leastLoaded(load []float64, cores []int) int {
	at := cores[0]
	for _, c := range cores {
		if load[c] < load[at] {
			at = c
		}
	}
	return at
}

// refinements is the maximum number of passes over all units in refine.
const refinements = 8

// refine chooses the turns of each unit. It tries rounds of many lengths with turns close to shares: by slot, the ideal
// part of the stream for each copy. It then tries turns that balance the loads of cores, and keeps the turns with the
// lowest load.
func (s *state) refine(shares [][]float64, scale float64) {
	s.mark()
	for u, share := range shares {
		switch {
		case len(share) < 2:
		case s.exchanges(u):
			s.roundUnit(u, share, value{math.Inf(1), math.Inf(1)}, scale)
		default:
			s.roundAlone(u, share, scale)
		}
	}
	for again, pass := true, 0; again && pass < refinements; pass++ {
		again = false
		for u := range s.slots {
			if balanced, _, _ := s.balance(u); balanced != nil && s.roundUnit(u, balanced, s.value(scale), scale) {
				again = true
			}
			if u < len(shares) && len(shares[u]) > 1 && s.roundUnit(u, shares[u], s.value(scale), scale) {
				again = true
			}
		}
	}
}

// roundAlone chooses the turns of a unit that does not exchange data with other copies. It uses the shortest round that
// adds at most maxRounding times scale to the load of each core, or else the round that adds the least load.
func (s *state) roundAlone(u int, shares []float64, scale float64) {
	x := &s.slots[u]
	work := make([]float64, len(x.Copies))
	for i, c := range x.Copies {
		for _, t := range x.Tasks {
			work[i] += s.p.Work[t][c.Core]
		}
	}
	var best []int
	minimum := math.Inf(1)
	for total := 2; total <= longTurns && minimum > maxRounding*scale; total = nextRound(total) {
		turns := flow.DivideRound(shares, total)
		excess := 0.0
		for i, n := range turns {
			excess = math.Max(excess, (float64(n)/float64(total)-shares[i])*work[i])
		}
		if excess < minimum && slices.Min(turns) > 0 {
			best, minimum = turns, excess
		}
	}
	if best != nil {
		s.setTurns(u, best)
		s.mark()
	}
}

// roundUnit tries rounds of many lengths for a unit, with turns close to shares. It keeps the best round if it is
// better than best, and reports whether it kept one.
func (s *state) roundUnit(u int, shares []float64, best value, scale float64) bool {
	var turns []int
	longest := maxTurns
	if !s.exchanges(u) {
		longest = longTurns
	}
	for total := 2; total <= longest; total = nextRound(total) {
		next := flow.DivideRound(shares, total)
		if !s.setTurns(u, next) {
			continue
		}
		v := s.value(scale)
		if v.better(best) && (total <= maxTurns || v.maximum < best.maximum*(1-longGain)) {
			best, turns = v, next
		}
		s.undo()
	}
	if turns != nil {
		s.setTurns(u, turns)
		s.mark()
	}
	return turns != nil
}

// nextRound returns the next length of a round to try. The sequence contains all lengths up to allRounds, and then up
// to 32 lengths for each doubling.
func nextRound(total int) int {
	if total < allRounds {
		return total + 1
	}
	return total + 8*(total/allRounds)
}

// longTurns is the maximum length of a round, in turns, of units that do not exchange data with copies of other units.
// It must not exceed the maximum of the X language. longGain is the minimum relative gain that justifies a round of
// more than maxTurns turns. maxRounding is the relative load that rounding to turns may add to a core for each unit, so
// that several units on a core stay within boundPrecision.
const (
	allRounds   = 256
	longTurns   = 4096
	longGain    = 1e-4
	maxRounding = boundPrecision / 8
)

// exchanges reports whether copies of a unit exchange data with copies of another unit over edges that have a cost.
func (s *state) exchanges(u int) bool {
	for _, t := range s.slots[u].Tasks {
		for _, e := range s.incident[t] {
			other := s.unit[s.p.Edges[e].From] + s.unit[s.p.Edges[e].To] - u
			if other != u && len(s.slots[other].Copies) > 1 {
				return true
			}
		}
	}
	return false
}

// setTurns replaces the turns of a unit. It returns false, without a change, if a copy has no turns.
func (s *state) setTurns(u int, turns []int) bool {
	copies := slices.Clone(s.slots[u].Copies)
	for i, n := range turns {
		if n < 1 {
			return false
		}
		copies[i].Turns = n
	}
	s.replace(u, Unit{s.slots[u].Tasks, copies})
	return true
}
