package report

import (
	"cmp"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// howSure is the fact of the first screen that says how sure the answer is: its value is the gravest doubt, or what
// is proven where there is none; its note has the rest.
func howSure(r *result.Result) []Fact {
	value, notes := doubtsOf(r)
	switch {
	case len(r.Candidates) > 0 && r.Search != nil:
		proven, how := proofOf(r)
		if value == "" {
			value = proven
		} else {
			notes = append(notes, proven)
		}
		notes = append(notes, given(how)...)
		if n := tied(r); n > 1 {
			notes = append(notes, "candidates "+tieNames(r, n)+" tie")
		}
		notes = append(notes, robustSure(r)...)
	case len(r.Candidates) > 0:
		value = cmp.Or(value, map[bool]string{true: "rests on assumed figures", false: "nothing in doubt"}[assumes(r)])
	}
	if value == "" {
		return nil
	}
	if len(r.Candidates) > 0 {
		notes = append(notes, given(runsWords(r, &r.Candidates[0]))...)
		notes = append(notes, Basis(&r.Candidates[0]))
	}
	return []Fact{{"How sure", value, strings.Join(notes, "; ")}}
}

// assumes reports whether the prediction of the first candidate rests on assumed figures.
func assumes(r *result.Result) bool {
	return slices.ContainsFunc(r.Candidates[0].Figures, func(x result.OriginCount) bool {
		return x.Origin == "assumed"
	})
}

// doubtsOf are the reasons not to trust an answer: the gravest in a word or two, and all in a clause each.
func doubtsOf(r *result.Result) (gravest string, notes []string) {
	say := func(word, note string) {
		gravest = cmp.Or(gravest, word)
		notes = append(notes, note)
	}
	if m := r.Measured; m != nil {
		if value, note := asserted(m); strings.HasSuffix(value, failedSuffix) {
			say("assertions failed", note)
		}
	}
	if len(r.Mismatched) > 0 && r.MismatchAllowed {
		say("wrong output", "the output of "+where(r.Mismatched)+" differs from that on a core")
	}
	if len(r.Stale) > 0 {
		say("stale figures", "figures of "+count(len(r.Stale), "kernel")+" are stale")
	}
	if r.ProfileDisturbed != "" && predicts(r) {
		say("disturbed profile", "the machine was disturbed when the profile was measured: "+r.ProfileDisturbed)
	}
	if m := r.Measured; m != nil && m.Disturbed != "" {
		say("disturbed machine", "the machine was disturbed in the run: "+m.Disturbed)
	}
	return gravest, notes
}

// predicts reports whether a result has anything that was predicted; the profile of one that has not says nothing of
// its figures.
func predicts(r *result.Result) bool {
	return r.Measured == nil || r.Prediction != nil || len(r.Candidates) > 0
}

// proofOf is what a search has proven of its answer, and how.
func proofOf(r *result.Result) (proven, how string) {
	s := r.Search
	switch {
	case len(s.Objectives) > 1 && s.Optimal:
		return "the whole front, proven", s.Status
	case len(s.Objectives) > 1:
		return "not proven the whole front", s.Status + ": mappings may be missing"
	case s.Optimal:
		return provenFor(r), strings.TrimPrefix(s.Status, "optimal: ")
	case s.Bound > 0:
		return "within " + units.Percent(s.Gap(r.Candidates[0].Throughput)) + " of the bound",
			"no mapping exceeds " + units.Rate(float64(s.Bound)) + ": " + s.Status
	}
	return "not proven the best", s.Status + "; the best of " + units.Count(float64(s.Evals)) +
		" scored mappings, of " + shortNumber(s.Placements)
}
