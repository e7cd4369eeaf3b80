package cutbound

import (
	"context"

	"xopt/mapper/simplex"
)

// Search excludes target loads by bisection of the interval between the highest excluded load and the lowest reached
// load. Between steps, State contains its complete state.
type Search struct {
	p         *Problem
	main      int
	separator *separator
	always    []Row
	at        State
	// Record enables certificates, which may be large.
	Record bool
	// Certificate proves that no mapping has a maximum load at or below the certificate's target, which is usually
	// State.Low. The target is lower if State.Low was an input, if the search resumed within a target, or if the
	// certificate would be too large. Certificate is nil if there is none.
	Certificate *Certificate
	leaves      []Leaf // leaves of the current target
	torn        bool   // some leaves are missing
	// Point is the division of all units into clusters with the smallest load found since the caller last set Point to
	// nil; nil for none. Its load includes only the loads that the problem models.
	Point []Cluster
	// Aim is a target whose exclusion ends the search; 0 for none.
	Aim int64
	// Threads is the number of parts that the search bounds in parallel. It does not affect the results.
	Threads int
	crosses bool
	pool    []pooled // clusters of the state
	// Work counts elementary operations.
	Work uint64
}

// State is the resumable state of a search, as plain data.
type State struct {
	Low     int64 `json:"low"`     // highest excluded target
	High    int64 `json:"high"`    // the lowest target that was reached or given up
	Target  int64 `json:"target"`  // the current target; 0 for none
	Reached int64 `json:"reached"` // bound for the target after the last step, in units of 1/One
	Slow    int   `json:"slow"`    // consecutive steps with little progress
	Cuts    []Row `json:"cuts,omitempty"`
	// Clusters contains the clusters found.
	Clusters []Cluster `json:"clusters,omitempty"`
	// Top is the lowest reached load, and Branch the state of branch and price.
	Top    int64     `json:"top"`
	Branch Branching `json:"branch"`
}

// Bisection ends when the reached load exceeds the excluded load by at most Accuracy (linear program alone) or Nearest
// (branch and price).
const (
	Accuracy = One / 500
	Nearest  = One / 1_000_000
)

// maxBudget is the maximum work for one target, in elementary operations.
const maxBudget = 1_000_000_000_000_000

// Parameters of a step: rounds of separation, rows added per round, and maximum number of rows. The search gives up a
// target after slowSteps steps with less progress than slowRise.
const (
	stepRounds = 12
	roundCuts  = 80
	maxCuts    = 1500
	slowSteps  = 2
	slowRise   = 1e-3
	perturbed  = 2e-7
)

// margin is the required relative excess of the objective over the value that excludes a target. It exceeds the effect
// of all cost perturbations.
const margin = 1e-4

// New returns a search between the excluded load low and the reached load high.
func New(p *Problem, low, high int64) *Search {
	s := &Search{p: p, main: p.main(), separator: newSeparator(p), at: State{Low: low, High: high, Top: high}}
	s.always, s.crosses = p.always(s.main), p.crosses()
	return s
}

// Resume restores the state of an earlier search of the same problem. It reports whether the state fits this problem.
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

// State returns the current state. The caller must not modify it.
func (s *Search) State() State { return s.at }

// Raise raises the excluded load to low, if it is lower.
func (s *Search) Raise(low int64) { s.at.Low = max(s.at.Low, low) }

// Lower lowers the reached load to high, if it is higher.
func (s *Search) Lower(high int64) { s.at.High, s.at.Top = min(s.at.High, high), min(s.at.Top, high) }

// Bounded reports whether the linear program cannot improve the bound.
func (s *Search) Bounded() bool { return s.at.High-s.at.Low <= Accuracy }

// Done reports whether the search cannot improve the bound, or has reached Aim.
func (s *Search) Done() bool {
	return s.Closed() || s.Bounded() && !s.p.clusters() || s.at.Branch.Budget > maxBudget ||
		s.Aim > 0 && s.at.Low >= s.Aim
}

// Closed reports whether the excluded load is within Nearest of the reached load.
func (s *Search) Closed() bool { return s.at.Top-s.at.Low <= Nearest }

// Step works on one target for some rounds, or until the target is excluded or given up. It returns false if ctx is
// done. The state is then unchanged, except that a target may have been excluded.
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
	defer func() { s.Work += t.lp.Work }()
	if s.p.excludesUnit(t.target) {
		s.exclude(&Certificate{Target: t.target, Leaves: []Leaf{{}}})
		return true
	}
	for round := range stepRounds {
		switch outcome := t.solve(ctx); outcome {
		case simplex.Unfinished:
			if ctx.Err() != nil {
				return false
			}
			s.keep(t)
			s.giveUp()
			return true
		case simplex.Above, simplex.Infeasible:
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
	reached := int64(t.lp.Objective / t.scale * One)
	if s.at.Slow++; float64(reached-s.at.Reached) >= slowRise*One {
		s.at.Slow = 0
	}
	if s.at.Reached = reached; s.at.Slow >= slowSteps {
		s.giveUp()
	}
	return true
}

func (s *Search) exclude(c *Certificate) {
	s.at.Low, s.Certificate, s.at.Target = c.Target, c, 0 // also without Record, because it is small
}

func (s *Search) giveUp() {
	s.at.High, s.at.Target = s.at.Target, 0
}

// keep stores the tree rows of a target that were tight recently.
func (s *Search) keep(t *try) {
	cuts := make([]Row, 0, len(t.cuts))
	for i := range t.cuts {
		if c := &t.cuts[i]; c.idle < maxIdle {
			cuts = append(cuts, c.row.Row)
		}
	}
	s.at.Cuts = cuts[max(0, len(cuts)-maxCuts):]
}
