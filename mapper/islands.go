package mapper

import "slices"

// Islands are searches of one problem with different seeds that tell each other the best that they have found, in
// rounds: a round is a search with a limit on evaluations, resumed from the end of the round before, with the best of
// the others' as Options.Others. Where it runs is of no consequence, and neither is how often it is interrupted.

// hear has the chains learn of the best of what searches elsewhere have found.
func (r *runner) hear(c *chain) error {
	for i := range r.options.Others {
		x, err := r.candidate(&r.options.Others[i], c)
		if err != nil {
			return err
		}
		if best := r.exchange.elsewhere; best == nil || better(x, best) {
			r.exchange.elsewhere = x
		}
	}
	return nil
}

// Merge is what several searches of one problem, with the same constraints and the same goal of one objective, have
// found together: the best candidates of distinct placements, at most top of them, all evaluations, and the least
// bound. It is optimal where one of them is. The history of the first is kept, and what else describes a search.
func Merge(searches []*Result, top int) *Result {
	all := *searches[0]
	all.Candidates, all.Evals, all.ProofNodes, all.Elapsed = nil, 0, 0, 0
	var list []Candidate
	for _, r := range searches {
		list = append(list, r.Candidates...)
		all.Evals, all.ProofNodes = all.Evals+r.Evals, all.ProofNodes+r.ProofNodes
		all.Elapsed = max(all.Elapsed, r.Elapsed)
		if all.Bound == 0 || r.Bound > 0 && r.Bound < all.Bound {
			all.Bound = r.Bound
		}
		if !all.Optimal() && (r.Optimal() || r.Status > all.Status) { // of limits, the last in their order
			all.Status = r.Status
		}
	}
	all.Candidates = bestOf(list, top)
	if len(all.Candidates) > 0 && all.Bound > 0 {
		all.Bound = max(all.Bound, all.Candidates[0].Throughput)
	}
	return &all
}

// bestOf are the best candidates of distinct placements, at most top of them.
func bestOf(list []Candidate, top int) (best []Candidate) {
	slices.SortStableFunc(list, func(a, b Candidate) int {
		switch {
		case better(&a, &b):
			return -1
		case better(&b, &a):
			return 1
		}
		return 0
	})
	seen := make(map[string]bool)
	for i := range list {
		placement := list[i].key[:placeBytes*len(list[i].Mapping.Place)]
		if !seen[placement] && len(best) < top {
			seen[placement] = true
			best = append(best, list[i])
		}
	}
	return best
}
