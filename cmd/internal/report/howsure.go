package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/deploy/validate"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/copies"
	mapperfaults "xopt/mapper/faults"
	"xopt/mapper/result"
)

// howSure returns the certainty of the answer as a fact. Its value is the most serious reason for doubt or, if there is
// none, the proof. Its note contains the other statements.
func howSure(r *result.Result) []Fact {
	value, notes := doubtsOf(r)
	switch {
	case len(r.Candidates) > 0 && r.Search != nil:
		existing := fault.Texts(knownSure(r))
		if value == "" {
			value, existing = existing[0], existing[1:]
		} else {
			notes, existing = append(notes, existing[0]), existing[1:]
		}
		_, _, how := proofOf(r)
		notes = append(append(notes, noteList(how)...), existing...)
	case len(r.Candidates) > 0:
		value = cmp.Or(value, undoubted(r))
		notes = append(notes, fault.Texts(knownSure(r))...)
	}
	if value == "" {
		return nil
	}
	if len(r.Candidates) > 0 {
		notes = append(notes, Basis(&r.Candidates[0]))
	}
	return []Fact{{"How sure", value, strings.Join(notes, "; ")}}
}

// undoubted returns the certainty of an answer without reasons for doubt, if the answer does not come from a search.
func undoubted(r *result.Result) string {
	if v := r.Validation; v != nil && validate.VerdictOf(v).Unknown == "" {
		return "ranked by the runs"
	}
	if assumes(r) {
		return "depends on assumed figures"
	}
	if x := expectedRange(r, &r.Candidates[0]); x != "" {
		return x + " expected"
	}
	return "no doubts"
}

// assumes reports whether the first candidate's prediction depends on assumed figures.
func assumes(r *result.Result) bool {
	return slices.ContainsFunc(r.Candidates[0].Figures, func(x result.OriginCount) bool {
		return x.Origin == "assumed"
	})
}

// doubtsOf returns the reasons for doubt: the most serious reason in a few words, and all reasons as clauses.
func doubtsOf(r *result.Result) (gravest string, notes []string) {
	add := func(word, note string) {
		gravest = cmp.Or(gravest, word)
		notes = append(notes, note)
	}
	for _, x := range rankingDoubt(r) {
		add("ranking undetermined", x.Text)
	}
	if m := r.Measured; m != nil {
		if value, note := asserted(m); strings.HasSuffix(value, failedSuffix) {
			add("assertions failed", note)
		}
	}
	if len(r.Mismatched) > 0 && r.MismatchAllowed {
		add("wrong output", "the output of "+where(r.Mismatched)+" differs from the output on a core")
	}
	if len(r.Stale) > 0 {
		add("stale figures", "figures of "+count(len(r.Stale), "kernel")+" are stale")
	}
	if r.ProfileDisturbed != "" && predicts(r) {
		add("disturbed profile", "the machine was disturbed during calibration: "+r.ProfileDisturbed)
	}
	if len(r.Candidates) > 0 && sharingTestError(&r.Candidates[0]) > testFailed {
		add("failed test of core sharing", sharingDoubt(&r.Candidates[0]))
	}
	if x := unlimitedBuffers(r); x != nil {
		add("unlimited buffers", "the throughput assumes unlimited buffers: "+x.Note)
	}
	if s := r.Search; s != nil && s.TooShort && len(r.Candidates) > 0 {
		add("too short a search", scoredWords(s)+", too few for a reliable result")
	}
	if m := r.Measured; m != nil && m.Disturbed != "" {
		add("disturbed machine", "the machine was disturbed during the run")
	}
	if v := r.Validation; v != nil {
		if x := validate.VerdictOf(v); 2*x.Disturbed > x.Runs {
			add("disturbed machine", fmt.Sprintf("the machine was disturbed in %d of %s", x.Disturbed,
				count(x.Runs, "run")))
		}
	}
	return gravest, notes
}

// predicts reports whether a result contains a prediction. Otherwise its profile is irrelevant.
func predicts(r *result.Result) bool {
	return r.Measured == nil || r.Prediction != nil || len(r.Candidates) > 0
}

// scoredWords describes the fraction of mappings that a search scored.
func scoredWords(s *result.Search) string {
	return "the search scored only " + units.Count(float64(s.Evals)) + " of " + shortNumber(s.Placements) + " mappings"
}

// proofOf returns the proven property of a search's answer, and the method of the proof.
func proofOf(r *result.Result) (id fault.ID, proven, how string) {
	s := r.Search
	switch {
	case len(s.Objectives) > 1 && s.Optimal && s.WithoutCopies:
		return faults.ProvenFront, "the complete front without copies, proven", s.Status
	case len(s.Objectives) > 1 && s.Optimal:
		return faults.ProvenFront, "the complete front, proven", s.Status
	case len(s.Objectives) > 1:
		return faults.FrontUnproven, "the front may be incomplete", s.Status + ": mappings may be missing"
	case s.Optimal:
		return faults.ProvenBest, provenFor(r), strings.TrimPrefix(s.Status, "optimal: ")
	case withoutCopies(r) != "":
		id = faults.BoundAbove
		if s.AloneProven {
			id = faults.ProvenAlone
		}
		return id, withoutCopies(r), s.Status
	case s.Bound > 0 && s.Robust != nil:
		return faults.BoundAbove, robustBound(r), "ranked by the " + percentile(s.Robust) + " of the draws"
	case s.Bound > 0:
		return faults.BoundAbove, boundAbove(r) + boundBy(s), noneExceeds(s.Bound) + ": " + s.Status
	}
	return faults.BestUnproven, "not proven optimal", s.Status + "; the best of " + units.Count(float64(s.Evals)) +
		" scored mappings, of " + shortNumber(s.Placements)
}

// forFigures qualifies a bound. The bound holds for the given figures, but a run on a faster machine may exceed it.
const forFigures = " for these figures"

// noneExceeds states a bound on the throughput.
func noneExceeds(bound result.Number) string {
	return "no mapping exceeds " + units.Rate(float64(bound)) + forFigures
}

// boundAbove compares the bound of a search with its first candidate. It does not apply to robust searches, which do
// not rank by throughput.
func boundAbove(r *result.Result) string {
	without := map[bool]string{true: "without copies, "}[r.Search.WithoutCopies]
	return without + "the bound is " + units.Percent(r.Search.Gap(r.Predicted())) + " above the best mapping found"
}

// robustBound compares the bound on the throughput with the throughput of the first candidate of a robust ranking. The
// bound does not prove the ranking.
func robustBound(r *result.Result) string {
	without := map[bool]string{true: " without copies"}[r.Search.WithoutCopies]
	return "candidate 1 ranks first by the " + percentile(r.Search.Robust) + " of the draws; for these figures, no " +
		"mapping" + without +
		" exceeds its throughput by more than " + units.Percent(r.Search.Gap(&r.Candidates[0]))
}

// percentile names the quantile of a robust ranking.
func percentile(s *result.Robust) string {
	return fmt.Sprintf("%.3g %% quantile", 100*float64(s.Quantile))
}

// withoutCopies applies to a search that covers copies of kernels, but whose answer has no copies. It returns the
// quality of the answer among mappings without copies, and the bound with copies; "" if the quality is unknown.
func withoutCopies(r *result.Result) string {
	s := r.Search
	if s.AloneBound == 0 || isRaced(r) || s.Robust != nil || len(s.Objectives) > 0 ||
		s.Copies != nil && s.Copies.Chosen {
		return ""
	}
	with := ""
	switch {
	case strings.HasPrefix(s.CopiesLeft, copies.NotTried):
		with = "; " + s.CopiesLeft
	case s.Bound > 0:
		with = "; with copies, at most " + units.Rate(float64(s.Bound)) + forFigures
	}
	first := &r.Candidates[0]
	switch {
	case s.AloneProven && s.AloneBound <= first.Unlimited()*(1+result.TieTolerance):
		return "proven best without copies" + ofProof(r) + with
	case s.AloneProven:
		return "proven without copies and with unlimited buffers: at most " + units.Rate(float64(s.AloneBound)) +
			forFigures + with
	}
	return "without copies, the bound is " + units.Percent(s.AloneGap(first)) + " above the best mapping found" + with
}

// answer returns the page section of the best mapping: its drawing, next bottlenecks, buffers and code.
func answer(r *result.Result) Section {
	s := Section{ID: "answer", Title: "The answer"}
	if len(r.Candidates) == 0 {
		if m := r.Measured; m != nil && len(m.Place) > 0 {
			s.Title = "The mapping"
			s.Parts = append(s.Parts, Part{Drawing: runDrawing(r)})
		}
		return s
	}
	c := &r.Candidates[0]
	if front := frontOf(r); front != nil {
		s.Parts = append(s.Parts, Part{Chart: front})
	}
	s.Parts = append(s.Parts, bufferFront(c)...)
	s.Parts = append(s.Parts, Part{Drawing: mappingDrawings(r)})
	if chart := ceilings(c); chart != nil {
		s.Parts = append(s.Parts, Part{Chart: chart})
	}
	s.Parts = append(append(s.Parts, tableParts(steps(c), intervals(r))...), buffers(c)...)
	s.Parts = append(s.Parts, tableParts(withBuffers(c), estimates(c))...)
	if c.Code != "" {
		s.Parts = append(s.Parts, Part{Code: &Code{ID: "code", Title: "The mapping in X", Text: c.Code}})
	}
	return s
}

// shownSteps is the maximum number of successive bottlenecks shown.
const shownSteps = 4

// steps lists the bottlenecks and the gain from the removal of each bottleneck.
func steps(c *result.Candidate) *Table {
	t := &Table{ID: "bottlenecks", Title: "Successive bottlenecks", Figures: "predicted",
		Columns: []Column{number(""), name("bottleneck").fold(anyLength), rate("throughput"), rate("next limit"),
			number("gain").about("throughput gain after the bottleneck is removed"),
			name("shared by").fold(anyLength)}}
	for i := range c.Bottlenecks[:min(len(c.Bottlenecks), shownSteps)] {
		b := &c.Bottlenecks[i]
		next, brings := dash(), dash()
		if i+1 < len(c.Bottlenecks) {
			then := c.Bottlenecks[i+1].Throughput
			next, brings = figure(then), signed(then/b.Throughput-1)
		}
		row := t.add(integer(i+1), text(LimitNames(c.Bottlenecks, i)+possibleWords(b.Possible)), figure(b.Throughput),
			next, brings, text(sharers(b)))
		row.Hot = i == 0
	}
	return t.scaled()
}

// sharers lists the members of a step's limits.
func sharers(b *result.Step) string {
	var parts []string
	for i := range b.Limits {
		l := &b.Limits[i]
		by := shared(l)
		if by != "" && len(b.Limits) > 1 {
			by = l.Name + ": " + by
		}
		if by != "" {
			parts = append(parts, by)
		}
	}
	return strings.Join(parts, "; ")
}

// doubt is a reason for doubt in the answer.
type doubt struct {
	Fact
	id fault.ID
}

// doubts returns the reasons for doubt in the answer.
func doubts(r *result.Result) []doubt {
	var list []doubt
	if r.ProfileDisturbed != "" && predicts(r) {
		list = append(list, doubt{Fact{"Profile", "disturbed", "during calibration: " + r.ProfileDisturbed},
			faults.ProfileDisturbed})
	}
	list = append(list, wrongFigures(r)...)
	if len(r.Candidates) > 0 && sharingTestError(&r.Candidates[0]) > testFailed {
		list = append(list, doubt{Fact{"Sharing", "of cores failed its test", sharingDoubt(&r.Candidates[0])},
			faults.SharingTestFailed})
	}
	if x := unlimitedBuffers(r); x != nil {
		list = append(list, *x)
	}
	if m := r.Measured; m != nil && m.Disturbed != "" {
		list = append(list, doubt{Fact{"Machine", "disturbed", "during the run: " + m.Disturbed}, faults.RunDisturbed})
	}
	return list
}

// sharingDoubt describes a failed test of core sharing.
func sharingDoubt(c *result.Candidate) string {
	return fmt.Sprintf("this mapping shares cores, and the prediction was wrong by %s in the profile's test of a "+
		"shared core", units.Percent(sharingTestError(c)))
}

// unlimitedBuffers returns a doubt, with its cause, if the throughput was not simulated with finite buffers. It returns
// nil for a simulated throughput, or if no simulation is necessary.
func unlimitedBuffers(r *result.Result) *doubt {
	if len(r.Candidates) == 0 || r.Candidates[0].WithBuffers != nil {
		return nil
	}
	for _, x := range r.Candidates[0].Warnings {
		if x.ID == mapperfaults.BuffersNotSimulated || x.ID == mapperfaults.BuffersUnchecked {
			return &doubt{Fact{"Throughput", "with unlimited buffers", x.Text}, x.ID}
		}
	}
	return nil
}

// wrongFigures returns doubts about figures that belong to other versions of kernels.
func wrongFigures(r *result.Result) []doubt {
	var list []doubt
	if len(r.Mismatched) > 0 {
		note := "its output there differs from the output on a core, so xopt does not place it there: "
		if r.MismatchAllowed {
			note = "its output there differs from the output on a core: "
		}
		list = append(list, doubt{Fact{"Mismatch", where(r.Mismatched), note + reasons(r.Mismatched)},
			fault.KernelMismatched})
	}
	if len(r.Stale) > 0 {
		note := reasons(r.Stale) + "; measure them again with: " + r.Remeasure
		list = append(list, doubt{Fact{"Stale figures", where(r.Stale), note}, faults.StaleFigures})
	}
	return list
}

// maxNamed is the maximum number of kernels or reasons listed.
const maxNamed = 3

func where(list []result.Doubted) string {
	var names []string
	for _, x := range list {
		names = append(names, x.Kernel+" on "+strings.Join(x.Resources, ", "))
	}
	return strings.Join(first(names, maxNamed), "; ")
}

func reasons(list []result.Doubted) string {
	var texts []string
	seen := make(map[string]bool)
	for _, x := range list {
		if !seen[x.Why] {
			seen[x.Why] = true
			texts = append(texts, x.Why)
		}
	}
	return strings.Join(units.First(texts, maxNamed, "and %d more reasons"), "; ")
}
