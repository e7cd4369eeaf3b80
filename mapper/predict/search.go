package predict

import (
	"slices"

	"xopt/flow/design"
	"xopt/mapper"
	"xopt/mapper/result"
)

// Course records the progress of a search at increasing intervals.
type Course struct {
	moments []result.Moment
	every   int
	skipped int
}

// maxMoments is the maximum number of records of a Course.
const maxMoments = 400

// Add records the progress of a search. It skips calls between two intervals.
func (c *Course) Add(p mapper.Progress) {
	if c.skipped++; c.skipped <= c.every {
		return
	}
	c.skipped = 0
	c.moments = append(c.moments, result.Moment{Evals: p.Evals, Seconds: p.Elapsed.Seconds(),
		Temperature: result.Number(p.Temperature), Acceptance: result.Number(p.Acceptance)})
	if len(c.moments) == maxMoments { // keep every other record
		for i := range maxMoments / 2 {
			c.moments[i] = c.moments[2*i+1]
		}
		c.moments, c.every = c.moments[:maxMoments/2], 2*c.every+1
	}
}

// FoundBy converts the result of a search, without its candidates, to a [result.Search].
func FoundBy(found *mapper.Result, goal mapper.Goal, course *Course) *result.Search {
	s := &result.Search{
		Method: found.Method.String(), Status: found.Status.String(), Optimal: found.Optimal(),
		Bound: result.Number(found.Bound), ProofNodes: found.ProofNodes,
		AloneBound: result.Number(found.AloneBound), AloneProven: found.AloneProven,
		WithoutCopies: found.WithoutCopies,
		Seed:          found.Seed, Threads: found.Threads, Evals: found.Evals, TooShort: found.TooShort,
		Seconds:    found.Elapsed.Seconds(),
		Placements: found.Space.String(), LeftOut: found.LeftOut, Course: course.moments,
		MinThroughput: result.Number(goal.MinThroughput), MaxLatency: result.Number(goal.MaxLatency),
		MaxBuffer: result.Number(goal.MaxBuffer),
	}
	if found.Status == mapper.Optimal && found.Mirrors {
		s.Status += ", with one evaluation for mappings that differ only in the order of equal cores"
	}
	if goal.Several() || goal.First() != mapper.Throughput {
		for _, o := range goal.Objectives {
			s.Objectives = append(s.Objectives, o.String())
		}
	}
	if found.Runs > 1 {
		s.Runs = found.Runs
	}
	s.Certificate, s.Weak = found.Certificate, found.Weak
	for _, p := range found.History {
		s.History = append(s.History, result.Rise{Evals: p.Evals, Seconds: p.Elapsed.Seconds(),
			Throughput: result.Number(p.Throughput)})
	}
	return s
}

// Infeasible returns a result with the reason why a search found no mapping.
func Infeasible(d *design.Design, none *mapper.NoMappingError, goal mapper.Goal) *result.Result {
	r := Describe(d)
	r.Search = &result.Search{Status: "infeasible: " + none.Error(),
		Bound: result.Number(none.Bound), AloneBound: result.Number(none.AloneBound),
		MinThroughput: result.Number(goal.MinThroughput), MaxLatency: result.Number(goal.MaxLatency),
		MaxBuffer: result.Number(goal.MaxBuffer)}
	if !none.Proven {
		r.Search.Status = "none found: " + none.Error()
	}
	return r
}

// AddSolver records the answer of an external solver (nil for none), and uses the solver's bound if it is better than
// the bound of the search. best is the throughput of the best mapping, in B/s.
func AddSolver(s *result.Search, answer *result.Solver, best float64) {
	if s.Solver = answer; answer == nil || answer.Bound <= 0 {
		return
	}
	if !s.Optimal && (s.Bound == 0 || answer.Bound < s.Bound) {
		s.Bound, s.BoundBy = max(result.Number(best), answer.Bound), answer.Name
		if answer.Version != "" {
			s.BoundBy += " " + answer.Version
		}
	}
}

// Alike returns the candidates at the start of the list whose designs have the same Problem as the first design.
func Alike(designs []*design.Design, list []mapper.Candidate) []mapper.Candidate {
	n := slices.IndexFunc(designs, func(d *design.Design) bool { return d.Problem != designs[0].Problem })
	if n < 0 {
		n = len(list)
	}
	return list[:n]
}

// Selected returns the elements of a list at the given indices.
func Selected[T any](list []T, at []int) []T {
	var members []T
	for _, i := range at {
		members = append(members, list[i])
	}
	return members
}
