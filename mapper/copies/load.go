package copies

import "slices"

// state is a plan with its loads. It must not be shared by goroutines.
type state struct {
	p     *Problem
	units []Unit
	unit  []int       // of each task
	share [][]float64 // unit × core: the fraction of the stream that the copy processes
	tasks []int       // on each core
	load  []float64   // of each core
	probe *state      // scratch plan for trying moves
}

func newState(p *Problem, units []Unit) *state {
	s := &state{p: p, unit: make([]int, len(p.Work)), tasks: make([]int, p.cores()), load: make([]float64, p.cores())}
	s.set(units)
	return s
}

// set replaces the units and computes the loads.
func (s *state) set(units []Unit) {
	s.units = units
	for len(s.share) < len(units) {
		s.share = append(s.share, make([]float64, s.p.cores()))
	}
	clear(s.tasks)
	clear(s.load)
	for u := range units {
		clear(s.share[u])
		total := 0
		for _, c := range units[u].Copies {
			total += c.Turns
		}
		for _, c := range units[u].Copies {
			s.share[u][c.Core] = float64(c.Turns) / float64(total)
			s.tasks[c.Core] += len(units[u].Tasks)
		}
		for _, t := range units[u].Tasks {
			s.unit[t] = u
		}
	}
	for u := range units {
		for _, c := range units[u].Copies {
			for _, t := range units[u].Tasks {
				s.load[c.Core] += s.share[u][c.Core] * s.work(t, c.Core)
			}
		}
	}
	for i := range s.p.Edges {
		s.cross(&s.p.Edges[i])
	}
}

// work returns the load of a task on a core if it processes the complete stream.
func (s *state) work(t, core int) float64 {
	if s.tasks[core] > 1 && s.p.Shared != nil {
		return s.p.Shared[t][core]
	}
	return s.p.Work[t][core]
}

// cross adds the costs of an edge to the cores, as far as it crosses between cores. The turns of copies of different
// units are independent.
func (s *state) cross(e *Edge) {
	from, to := s.unit[e.From], s.unit[e.To]
	if from == to {
		return
	}
	if e.Send != nil {
		for _, c := range s.units[from].Copies {
			s.load[c.Core] += s.share[from][c.Core] * (1 - s.share[to][c.Core]) * e.Send[c.Core]
		}
	}
	if e.Receive != nil {
		for _, c := range s.units[to].Copies {
			s.load[c.Core] += s.share[to][c.Core] * (1 - s.share[from][c.Core]) * e.Receive[c.Core]
		}
	}
}

// greatest returns the largest load of a core, and the sum of the squares of all loads as a tie-breaker.
func (s *state) greatest() (most, squares float64) {
	for _, l := range s.load {
		most = max(most, l)
		squares += l * l
	}
	return most, squares
}

// clone returns a deep copy of units.
func clone(units []Unit) []Unit {
	out := make([]Unit, len(units))
	for i, u := range units {
		out[i] = Unit{Tasks: slices.Clone(u.Tasks), Copies: slices.Clone(u.Copies)}
	}
	return out
}
