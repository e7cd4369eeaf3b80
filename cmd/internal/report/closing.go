package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/result"
)

// ToDo is the label of the next steps.
const ToDo = "To do"

// maxShownFindings is the maximum number of findings in a terminal. The page shows all findings.
const maxShownFindings = 2

// longestShort is the length in characters above which only the page shows the gain of a finding.
const longestShort = 150

// Closing returns the last lines for a terminal: the throughput, the bottleneck, the next step, and the files written.
// The answer thus stays visible when the tables have scrolled away.
func Closing(r *result.Result, files []string) []Part {
	p := &script{}
	switch {
	case r.Measured != nil:
		p.closingRun(r)
	case len(r.Candidates) > 0:
		p.closingCandidate(r)
	}
	if len(p.parts) == 0 {
		return nil
	}
	p.written(files)
	return append([]Part{{Heading: "Summary"}}, p.parts...)
}

// closingCandidate summarizes the first candidate.
func (p *script) closingCandidate(r *result.Result) {
	c := &r.Candidates[0]
	if f := c.BufferFront; f != nil {
		p.lead("Buffers", "%s; %s; %s", KeepsWords(f), chosenWords(f), f.Level)
		return
	}
	if isRaced(r) {
		p.lead("Measured", "%s", raceAnswer(r))
	}
	p.lead("Throughput", "%s%s, %s", headline(c), objectiveWords(r.Search, c), rests(c))
	if w := c.WithBuffers; w != nil && w.Stopped != "" {
		p.lead("Buffered", "%s, with the %s buffers", withBuffersRate(w), w.Sizes)
	}
	p.lead("Bottleneck", "%s", bottleneckNames(c))
	p.toDo(r)
}

func (p *script) closingRun(r *result.Result) {
	m := r.Measured
	if m.Faulted() {
		p.lead("Fault", "%s", faultWords(m))
	}
	p.lead("Throughput", "%s, %s in one run%s", RunThroughput(m), how(m), besidePredicted(r))
	if names, _ := runBottleneck(m, r.Prediction); names != "" {
		p.lead("Bottleneck", "%s", names)
	}
	if value, _ := asserted(m); value != "" {
		p.lead("Assertions", "%s", value)
	}
	p.toDo(r, faults.RunDisturbed)
}

// besidePredicted returns the prediction for a run, as text after the measured throughput.
func besidePredicted(r *result.Result) string {
	if r.Prediction == nil {
		return ""
	}
	return "; predicted " + units.Rate(float64(r.Prediction.Throughput))
}

// head adds the answer at the start of a search's terminal output.
func (p *script) head(r *result.Result) {
	c := &r.Candidates[0]
	word, of := bestWords(r)
	if isRaced(r) {
		p.lead(word, "%s", raceAnswer(r))
		word = "Predicted"
	}
	p.lead(word, "%s%s, %s%s", headline(c), objectiveWords(r.Search, c), rests(c), of)
	next := ""
	if len(c.Bottlenecks) > 1 {
		next = fmt.Sprintf("; the next limit is %s at %s", LimitNames(c.Bottlenecks, 1),
			units.Rate(float64(c.Bottlenecks[1].Throughput)))
	}
	p.lead("Bottleneck", "%s%s", bottleneckNames(c), next)
	p.toDo(r)
	file := ""
	if c.File != "" && r.Search != nil {
		file = "; written to " + c.File
	}
	if s := kernelsByResource(c) + file; s != "" {
		p.lead("Mapping", "%s", strings.TrimPrefix(s, "; "))
	}
	p.bufferSum(c, leftWithBuffers(c))
	p.sure(r)
}

// headline returns the throughput of a candidate. If finite buffers reduce it, headline returns the throughput with
// buffers, followed by the flow bound.
func headline(c *result.Candidate) string {
	rate, with := headlineParts(c)
	return strings.TrimSpace(rate + " " + with)
}

// headlineParts returns the throughput in the headline and the condition under which it holds.
func headlineParts(c *result.Candidate) (rate, with string) {
	switch {
	case c.Limited():
		with = fmt.Sprintf("with the %s buffers (flow bound with unlimited buffers: %s)", c.WithBuffers.Sizes,
			units.Rate(float64(c.Unlimited())))
	case assumesUnlimited(c):
		with = withUnlimited
	}
	return units.Rate(float64(c.Throughput)), with
}

// withUnlimited is the condition of a throughput that no simulation with finite buffers confirms.
const withUnlimited = "with unlimited buffers"

// assumesUnlimited reports whether a throughput is the flow bound and no chosen sizes preserve it. Either finite
// buffers were not simulated, or the mapping deadlocks with them.
func assumesUnlimited(c *result.Candidate) bool {
	if f := c.BufferFront; f != nil &&
		units.Rate(float64(c.Throughput)) == units.Rate(float64(f.Points[f.Chosen].Throughput)) {
		return false
	}
	return c.WithBuffers == nil || c.WithBuffers.Stopped != ""
}

// bufferSum adds the total buffer size. The text left describes the throughput with these buffers.
func (p *script) bufferSum(c *result.Candidate, left string) {
	if size, which := bufferTotal(c); size != "" {
		p.lead("Buffers", "%s in total, %s%s", size, which, left)
	}
}

// bufferTotal returns the total size of the answer's buffers with its origin. It prefers simulated sizes, which may
// come from files, to the recommended sizes. It returns "" if the buffers have no sizes.
func bufferTotal(c *result.Candidate) (size, which string) {
	recommended := c.BufferBytes()
	if w := c.WithBuffers; w != nil && w.Sizes != "recommended" && w.Memory > 0 {
		which = "as " + w.Sizes
		if recommended > 0 && units.Size(recommended) != units.Size(float64(w.Memory)) {
			which += " (recommended: " + units.Size(recommended) + ")"
		}
		return units.Size(float64(w.Memory)), which
	}
	if recommended > 0 {
		return units.Size(recommended), "as recommended"
	}
	return "", ""
}

// buffersLevel returns the certainty of the throughput with finite buffers.
func buffersLevel(w *result.WithBuffers) string {
	if w.Exact() {
		return "exact"
	}
	return "simulated"
}

// bestWords returns the label of the first candidate, and a clause about its rank; "" for no clause.
func bestWords(r *result.Result) (word, of string) {
	if o := r.Search.Objectives; len(o) > 1 {
		return "Front", fmt.Sprintf("; best in %s among the %d mappings on the "+
			"front%s", o[0], len(r.Candidates), mergedWords(r))
	}
	if n := unranked(r); n > 0 {
		return "Best", "; " + unrankedWords(r, n)
	}
	if alike := alikeNames(r); len(alike) > 1 && r.Search.Robust != nil {
		names := listed(units.First(alike, maxNamed, "%d more"))
		if n := len(alike); alike[n-1] == r.Candidates[n-1].Name { // no other candidate lies between them
			names = tieNames(r, n)
		}
		return "Best", "; the measurements cannot rank candidates " + names
	}
	return "Best", ""
}

// mergedWords counts the omitted members of a front; "" for none.
func mergedWords(r *result.Result) string {
	if r.Search == nil || r.Search.Merged == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s equal or worse at the printed precision)",
		units.Counted(r.Search.Merged, "other mapping is", "other mappings are"))
}

// leftWithBuffers describes the throughput with finite buffers and the certainty of the recommended sizes. It returns
// "" if finite buffers were not simulated, or if they do not reduce the throughput.
func leftWithBuffers(c *result.Candidate) string {
	w := c.WithBuffers
	if w == nil || w.Stopped == "" && !c.Limited() {
		return ""
	}
	with := "them"
	if w.Sizes != "recommended" {
		with = fmt.Sprintf("the %s buffers", w.Sizes)
	}
	return fmt.Sprintf("%s; with %s %s", sizesLevel(c), with, whatIsLeft(c))
}

// sizesLevel returns a mark if the level of a recommended size is heuristic, and "" otherwise.
func sizesLevel(c *result.Candidate) string {
	if slices.ContainsFunc(c.Queues, func(q result.Queue) bool {
		return q.Recommended != nil && q.Recommended.Level == "heuristic"
	}) {
		return " (heuristic)"
	}
	return ""
}

// whatIsLeft describes the throughput with finite buffers.
func whatIsLeft(c *result.Candidate) string {
	w := c.WithBuffers
	if w.Stopped != "" {
		return "the mapping deadlocks"
	}
	return fmt.Sprintf("the throughput is %s, %s of the flow bound (%s)", units.Rate(float64(w.Throughput)),
		units.Percent(float64(min(1, w.Throughput/c.Unlimited()))), buffersLevel(w))
}

// isInToDo reports whether [script.toDo] shows a finding.
func isInToDo(r *result.Result, seen string) bool {
	list := found(r)
	return slices.ContainsFunc(list[:min(len(list), maxShownFindings)], func(x finding) bool { return x.seen == seen })
}

// toDo adds the next steps. It skips findings that appear elsewhere.
func (p *script) toDo(r *result.Result, elsewhere ...fault.ID) {
	list := slices.DeleteFunc(found(r), func(x finding) bool {
		return x.id == faults.KernelFault || slices.Contains(elsewhere, x.id) || // the first line names a fault
			r.Measured != nil && r.Measured.Disturbed != "" && strings.HasPrefix(x.do, quietRun) // and the disturbance
	})
	for i, x := range list[:min(len(list), maxShownFindings)] {
		word := ""
		if i == 0 {
			word = ToDo
		}
		p.lead(word, "%s", x.short())
	}
}

// inOrder sorts findings by severity. Findings marked as first precede all other findings. Among findings of equal
// severity, the bottleneck is first, and the other findings follow in order of decreasing gain.
func inOrder(list []finding) []finding {
	rank := func(x finding) int {
		n := 2 * int(x.severity)
		switch {
		case x.first:
			n = -1
		case x.limits:
		default:
			n++
		}
		return n
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b finding) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.brings, a.brings))
	})
	return list
}

// short returns a finding in one or two lines. It omits the fact of a finding if other lines of the answer contain this
// fact.
func (x *finding) short() string {
	s := x.do
	if !x.limits && !x.stated {
		s = x.seen + "; " + s
	}
	_, command := fault.CutCommand(s) // no text follows a command, so that users can copy the command
	if x.gain == "" || command != "" || !x.limits && len(s)+len(x.gain) > longestShort {
		return s
	}
	if x.limits {
		return s + ": " + x.gain
	}
	return s + " (" + x.gain + ")"
}

// kernelsByResource lists the kernels of each resource.
func kernelsByResource(c *result.Candidate) string {
	const maximum, named = 8, 4 // maximum number of resources, and of kernels named per resource
	of := make(map[string][]string)
	for _, x := range c.Place {
		of[x.Resource] = append(of[x.Resource], x.Kernel)
	}
	var list []string
	for i := range c.Resources {
		names := design.Ranges(of[c.Resources[i].Name])
		if len(names) == 0 {
			continue
		}
		if n := len(names); n > named {
			kept := design.Ranges(of[c.Resources[i].Name][:named-1])
			names = append(kept, fmt.Sprintf("and %d more", len(of[c.Resources[i].Name])-named+1))
		}
		list = append(list, fmt.Sprintf("%s: %s", c.Resources[i].Name, strings.Join(names, ", ")))
	}
	if len(list) > maximum {
		list = append(list[:maximum-1], fmt.Sprintf("and %d more resources", len(list)-maximum+1))
	}
	return strings.Join(list, "; ")
}

// sure adds the certainty of a search's answer: proofs, ties and reasons for doubt.
func (p *script) sure(r *result.Result) {
	p.lead("How sure", "%s", strings.Join(fault.Texts(sureNotes(r)), "; "))
}

// sureNotes returns the notes on the certainty of an answer, except ties that [script.toDo] mentions.
func sureNotes(r *result.Result) []fault.Note {
	return slices.DeleteFunc(allSure(r), func(x fault.Note) bool {
		return x.ID == faults.CandidatesTie && isInToDo(r, tieSeen(r, tied(r)))
	})
}

// allSure returns all notes on the certainty of an answer: reasons for doubt, then certain statements.
func allSure(r *result.Result) []fault.Note {
	list := rankingDoubt(r)
	for _, x := range doubts(r) {
		list = append(list, fault.Note{ID: x.id, Text: strings.ToLower(x.Label[:1]) + x.Label[1:] + " " + x.Value})
	}
	if len(r.Candidates) == 0 {
		return list
	}
	return append(list, knownSure(r)...)
}

// rankingDoubt notes that the intervals of the figures, or the runs of a validation, leave the order of the leading
// candidates open. It returns nil if the order is determined. An undetermined order is the most important reason for
// doubt.
func rankingDoubt(r *result.Result) []fault.Note {
	if r.Validation != nil && raceOf(r) == nil {
		return runsDoubt(r.Validation)
	}
	if r.Search == nil || len(r.Candidates) == 0 {
		return nil
	}
	if s := withinInterval(r); s != "" {
		return []fault.Note{{ID: faults.WithinInterval, Text: s}}
	}
	return nil
}

// knownSure returns the certain statements about an answer: the proof, the candidates that tie, and the range expected
// of runs.
func knownSure(r *result.Result) []fault.Note {
	var list []fault.Note
	add := func(id fault.ID, text string) {
		if text != "" {
			list = append(list, fault.Note{ID: id, Text: text})
		}
	}
	if isRaced(r) {
		add(faults.RaceRanked, raceRank(r))
	}
	if r.Search != nil {
		id, proven, _ := proofOf(r)
		add(id, proven)
		add(faults.CopiesCompared, copiesWords(r))
		if n := tied(r); n > 1 {
			add(faults.CandidatesTie, "candidates "+tieNames(r, n)+" tie")
		}
		for _, s := range robustSure(r) {
			add(faults.RobustRank, s)
		}
	}
	add(faults.RunsExpected, runsWords(r, &r.Candidates[0]))
	return list
}

// copiesWords compares the best mapping with copies of kernels and the best mapping without copies. It returns "" if
// the search has only one of these mappings.
func copiesWords(r *result.Result) string {
	c := r.Search.Copies
	if c == nil || isRaced(r) {
		return ""
	}
	names := strings.Join(design.Ranges(c.Kernels), ", ")
	both := func(x, y result.Number) string {
		s := scaleOf("B/s", float64(max(x, y)))
		return fmt.Sprintf("%s and %s %s", s.Format(float64(x)), s.Format(float64(y)), s.Unit())
	}
	predicted, with := both(c.Copied.Predicted, c.Alone.Predicted), "with recommended buffers"
	if c.ByForms {
		with = "with closed-form buffer sizes"
	}
	are, open := leftOpen(r)
	switch {
	case c.Needed:
		return copiesVerdict(r)
	case c.Why != "":
		return fmt.Sprintf("copies of %s %s faster by prediction: %s with and without copies (not compared with "+
			"buffers: %s)%s", names, are, predicted, c.Why, open)
	case c.Chosen:
		return fmt.Sprintf("copies of %s %s faster: %s, %s with and without copies%s", names, are, with,
			both(c.Copied.Buffered, c.Alone.Buffered), open)
	}
	return fmt.Sprintf("no copies: %s, the throughput with and without copies of %s is %s (predicted: %s)", with, names,
		both(c.Copied.Buffered, c.Alone.Buffered), predicted)
}

// copiesVerdict is a short form of [copiesWords]. It names the better mapping, but contains only the throughput of the
// other mapping.
func copiesVerdict(r *result.Result) string {
	c := r.Search.Copies
	names := units.Some(design.Ranges(c.Kernels), maxNamed)
	alone, copied, buffers := c.Alone.Buffered, c.Copied.Buffered, " with recommended buffers"
	switch {
	case c.Why != "":
		alone, copied, buffers = c.Alone.Predicted, c.Copied.Predicted, " with unlimited buffers"
	case c.ByForms:
		buffers = " with closed-form buffer sizes"
	}
	if c.Needed {
		return "without copies of " + names + ", no mapping found meets the limits"
	}
	if !c.Chosen {
		return fmt.Sprintf("no copies: with copies of %s, the throughput would be %s", names,
			units.Rate(float64(copied))+buffers)
	}
	are, open := leftOpen(r)
	return fmt.Sprintf("copies of %s %s faster: without copies, the throughput would be %s%s", names, are,
		units.Rate(float64(alone))+buffers, open)
}

// leftOpen returns "are" if copies are faster, and "may be" if the intervals of the figures do not decide this. With
// "may be", open is a clause with the rule that orders the mappings.
func leftOpen(r *result.Result) (are, open string) {
	alone := cmp.Or(r.Search.Copies.Alone.Buffered, r.Search.Copies.Alone.Predicted)
	if x := r.Candidates[0].Interval; x != nil && x[0] < alone {
		return "may be", "; the intervals of the figures do not decide, so the greater prediction is first"
	}
	return "are", ""
}

// withinInterval describes the candidates that the intervals of the figures do not distinguish from the first candidate
// or, for a front, from the highest throughput. It returns "" if there are none, or if all of them tie.
func withinInterval(r *result.Result) string {
	if s := frontWithin(r); s != "" {
		return s
	}
	n := unranked(r)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("the order of candidates %s depends mostly on %s; %s", tieNames(r, n), doubtName(decides(r, n)),
		ruleOfOrder)
}

// unranked returns the number of leading candidates that the draws of the figures do not distinguish from the first
// candidate. It returns 0 if all these candidates tie. It also returns 0 for races, for robust searches, and for
// searches with limits or with objectives other than throughput.
func unranked(r *result.Result) int {
	if r.Search == nil || wanted(r.Search) != "" || r.Search.Robust != nil || isRaced(r) {
		return 0
	}
	n, open := 1, false
	for n < len(r.Candidates) {
		x := r.Candidates[n].Robustness
		if x == nil || !alikeDraws(x) {
			break
		}
		open = open || x.Decide != nil
		n++
	}
	if !open {
		return 0
	}
	return n
}

func unrankedWords(r *result.Result, n int) string {
	return "the measurements cannot rank candidates " + tieNames(r, n)
}

// ruleOfOrder is the rule that orders candidates that the draws do not distinguish.
const ruleOfOrder = "the highest prediction is first"

// decides returns the figure whose more precise measurement would help most to rank the first n candidates.
func decides(r *result.Result, n int) *result.Doubt {
	var largest *result.Doubt
	for i := range r.Candidates[:n] {
		if x := r.Candidates[i].Robustness; x != nil && x.Decide != nil &&
			(largest == nil || x.Decide.Part > largest.Part) {
			largest = x.Decide
		}
	}
	return largest
}

// frontWithin names the members of a front whose throughput is within the interval of the highest throughput; "" for
// none.
func frontWithin(r *result.Result) string {
	if r.Search == nil || !slices.Contains(r.Search.Objectives, mapper.Throughput.String()) ||
		len(r.Search.Objectives) < 2 {
		return ""
	}
	maximum := greatest(r.Candidates)
	if maximum.Interval == nil {
		return ""
	}
	var names []string
	for i := range r.Candidates {
		if c := &r.Candidates[i]; c == maximum || c.Throughput >= maximum.Interval[0] {
			names = append(names, c.Name)
		}
	}
	if len(names) < 2 {
		return ""
	}
	return "the intervals do not distinguish the throughputs of candidates " +
		listed(units.First(names, maxNamed, "%d more"))
}

// provenFor names the scope of a proof, which treats the figures as exact. In a robust ranking, a candidate other than
// the first may have the highest throughput.
func provenFor(r *result.Result) string {
	best := 0
	for i := range r.Candidates {
		if r.Candidates[i].Unlimited() > r.Candidates[best].Unlimited()*(1+result.TieTolerance) {
			best = i
		}
	}
	switch {
	case best == 0 && r.Search.WithoutCopies:
		return "proven best without copies" + ofProof(r) + " (this search does not try copies)"
	case best == 0:
		return "proven optimal for these figures" + ofProof(r)
	}
	if r.Search.Robust == nil && !isRaced(r) {
		return "candidate " + r.Candidates[best].Name + " is proven optimal with unlimited buffers"
	}
	return "candidate " + r.Candidates[best].Name + " is proven optimal for these figures"
}

// ofProof states that a proof assumes unlimited buffers. It returns "" if the first candidate keeps its throughput with
// finite buffers, because then no mapping is noticeably faster with finite buffers.
func ofProof(r *result.Result) string {
	c := &r.Candidates[0]
	if c.Limited() || len(c.Queues) > 0 && assumesUnlimited(c) {
		return ", " + withUnlimited
	}
	return ""
}

// robustSure summarizes a robust ranking: the low quantile of the first candidate, and the candidates that are not
// distinguishable from this candidate. The table shows the figures.
func robustSure(r *result.Result) []string {
	low := robustLow(r.Search, &r.Candidates[0])
	if low == "" {
		return nil
	}
	var list []string
	if alike := alikeNames(r); len(alike) > 1 {
		list = append(list, "candidates "+listed(alike)+" cannot be distinguished")
	}
	return append(list, low+" of the profile")
}

// robustLow returns the throughput that a candidate of a robust ranking has in most draws; "" for other rankings.
func robustLow(s *result.Search, c *result.Candidate) string {
	if s == nil || s.Robust == nil || c.Robustness == nil {
		return ""
	}
	return fmt.Sprintf("at least %s in %s of the draws", units.Rate(float64(c.Robustness.Low)),
		units.Percent(1-float64(s.Robust.Quantile)))
}

// alikeNames lists the first candidate and the candidates that the draws do not distinguish from it.
func alikeNames(r *result.Result) []string {
	names := []string{r.Candidates[0].Name}
	for i := 1; i < len(r.Candidates); i++ {
		if x := r.Candidates[i].Robustness; x != nil && alikeDraws(x) {
			names = append(names, r.Candidates[i].Name)
		}
	}
	return names
}
