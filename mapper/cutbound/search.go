package cutbound

import (
	"context"
	"slices"
)

// Search excludes targets, by halving the interval between what is excluded and what is reached.
// All that it knows between two steps is in its State.
type Search struct {
	p         *Problem
	main      int
	separator *separator
	always    []Row
	at        State
	// Record has the search make certificates, which may be large.
	Record bool
	// Certificate is why no mapping has its greatest load at or below its target: that of State.Low, but where that
	// was given, where the search was resumed in the midst of a target, or the certificate would be too large. nil for
	// none.
	Certificate *Certificate
	leaves      []Leaf // of the present target
	torn        bool   // they are not all
	// Point is a division of all units among resources that keeps a target as far as the problem knows, that with the
	// least load since Point was last set to nil; nil for none.
	Point []Cluster
	// Aim is a target that is enough; 0 for none.
	Aim int64
	// Threads is how many parts are looked at side by side; what is found does not depend on it.
	Threads int
	crosses bool
	pool    []pooled // the clusters of the state
	// Work counts numbers that were worked out.
	Work uint64
}

// State is where a search is, as plain data.
type State struct {
	Low     int64 `json:"low"`     // excluded
	High    int64 `json:"high"`    // a target that is not, or was given up
	Target  int64 `json:"target"`  // that is being looked at; 0 for none
	Reached int64 `json:"reached"` // of the target, by the bound of the last step, in parts of Whole
	Slow    int   `json:"slow"`    // steps in a row that raised that by little
	Cuts    []Row `json:"cuts,omitempty"`
	// Clusters are those that the bound of clusters has looked at.
	Clusters []Cluster `json:"clusters,omitempty"`
	// Top is a load that is reached, and Branch where branch and cut is.
	Top    int64     `json:"top"`
	Branch Branching `json:"branch"`
}

// How near to each other, in parts of Whole, the targets are between which the linear program by itself, and branch
// and cut, look for one.
const (
	Accuracy = Whole / 500
	Nearest  = Whole / 1_000_000
)

// mostBudget is how much is spent on one target at the most.
const mostBudget = 1_000_000_000_000_000

// How a step goes: rounds of separation, rows that are added in one, rows in all, and steps that
// raise the bound by less than slowRise before a target is given up.
const (
	stepRounds = 12
	roundCuts  = 80
	mostCuts   = 1500
	slowSteps  = 2
	slowRise   = 1e-3
	perturbed  = 2e-7
)

// margin is by how much, relatively, the objective must be above what excludes a target: more than all costs
// are perturbed by.
const margin = 1e-4

// New begins a search above a load that is known to be excluded, below one that is reached.
func New(p *Problem, low, high int64) *Search {
	s := &Search{p: p, main: p.main(), separator: newSeparator(p), at: State{Low: low, High: high, Top: high}}
	s.always, s.crosses = p.always(s.main), p.crosses()
	return s
}

// Resume goes to where another search of the same problem was. It reports whether the state may be of
// this problem.
func (s *Search) Resume(at State) bool {
	if !s.p.valid(&at) {
		return false
	}
	s.at, s.pool, s.leaves, s.torn = at, nil, nil, true
	for _, c := range at.Clusters {
		s.pool = append(s.pool, s.pooled(c))
	}
	return true
}

// State is where the search is; do not modify it.
func (s *Search) State() State { return s.at }

// Raise takes in another load that is excluded.
func (s *Search) Raise(low int64) { s.at.Low = max(s.at.Low, low) }

// Lower takes in a load that is reached.
func (s *Search) Lower(high int64) { s.at.High, s.at.Top = min(s.at.High, high), min(s.at.Top, high) }

// Bounded reports whether the linear program can tell no more.
func (s *Search) Bounded() bool { return s.at.High-s.at.Low <= Accuracy }

// Done reports whether nothing is left to be told, or what was asked for is reached.
func (s *Search) Done() bool {
	return s.Closed() || s.Bounded() && !s.p.clusters() || s.at.Branch.Budget > mostBudget ||
		s.Aim > 0 && s.at.Low >= s.Aim
}

// Closed reports whether what is excluded comes as near as it can to what is reached.
func (s *Search) Closed() bool { return s.at.Top-s.at.Low <= Nearest }

// Step goes on with one target: until it is excluded, given up, or some rounds were made. It returns false
// where ctx ended it; its state then is that of before, but for a target that was excluded.
func (s *Search) Step(ctx context.Context) bool {
	if s.p.clusters() {
		return s.stepClusters(ctx)
	}
	if s.Done() {
		return true
	}
	if s.at.Target <= s.at.Low || s.at.Target >= s.at.High {
		s.at.Target, s.at.Reached, s.at.Slow = s.at.Low+(s.at.High-s.at.Low)/2, 0, 0
	}
	t := s.newTry(s.at.Target)
	defer func() { s.Work += t.lp.work }()
	for u := range s.p.Units {
		if !slices.ContainsFunc(s.kinds(), func(c int) bool { return s.p.allowed(u, c, t.target) }) {
			s.exclude(&Certificate{Target: t.target, Leaves: []Leaf{{}}})
			return true
		}
	}
	for round := range stepRounds {
		switch end := t.solve(ctx); end {
		case unfinished:
			if ctx.Err() != nil {
				return false
			}
			s.keep(t)
			s.giveUp()
			return true
		case above, infeasible:
			s.keep(t)
			if terms := s.p.certify(t.target, t.prices); terms != nil {
				s.exclude(&Certificate{Target: t.target, Leaves: []Leaf{{Terms: terms}}})
			} else {
				s.giveUp()
			}
			return true
		}
		if round == stepRounds-1 {
			break
		}
		if t.separate(s) == 0 {
			s.keep(t)
			s.giveUp()
			return true
		}
	}
	s.keep(t)
	reached := int64(t.lp.objective / t.scale * Whole)
	if s.at.Slow++; float64(reached-s.at.Reached) >= slowRise*Whole {
		s.at.Slow = 0
	}
	if s.at.Reached = reached; s.at.Slow >= slowSteps {
		s.giveUp()
	}
	return true
}

func (s *Search) kinds() []int {
	list := make([]int, len(s.p.Kinds))
	for c := range list {
		list[c] = c
	}
	return list
}

func (s *Search) exclude(c *Certificate) {
	s.at.Low, s.Certificate, s.at.Target = c.Target, c, 0 // it is small
}

func (s *Search) giveUp() {
	s.at.High, s.at.Target = s.at.Target, 0
}

// keep notes the rows of trees that a target used.
func (s *Search) keep(t *try) {
	cuts := make([]Row, 0, len(t.cuts))
	for i := range t.cuts {
		if c := &t.cuts[i]; c.idle < mostIdle {
			cuts = append(cuts, c.row.Row)
		}
	}
	s.at.Cuts = cuts[max(0, len(cuts)-mostCuts):]
}
