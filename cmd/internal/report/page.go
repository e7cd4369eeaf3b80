package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/deploy/validate"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// sureAt is the index of the certainty among the facts, directly after the first fact.
const sureAt = 1

// Of returns the report page of a result.
func Of(r *result.Result) *Page {
	p := &Page{Title: title(r), Warnings: fault.Texts(slices.Concat(r.Warnings, r.Notes))}
	p.Facts = facts(r)
	for _, x := range wrongFigures(r) {
		p.Facts = append(p.Facts, x.Fact)
	}
	sure := sureAt
	if sizesBuffers(r) {
		sure++ // the throughput is the second fact
	}
	p.Facts = slices.Insert(p.Facts, min(len(p.Facts), sure), howSure(r)...)
	for _, s := range []Section{{ID: "guidance", Title: "What to do next", Parts: tableParts(guidance(r))}, answer(r),
		sweeps(r), candidates(r), why(r), measurements(r), reality(r), searched(r),
		provenance(r)} {
		for _, x := range s.Parts {
			if x.Chart != nil {
				x.Chart.keepFinite()
			}
		}
		if len(s.Parts) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	if len(r.Candidates) > 0 {
		p.Warnings = append(p.Warnings, fault.Texts(r.Candidates[0].Warnings)...)
	}
	return p
}

// sizesBuffers reports whether a result comes from a search for the smallest buffers.
func sizesBuffers(r *result.Result) bool {
	return len(r.Candidates) > 0 && r.Candidates[0].BufferFront != nil
}

// keepFinite removes points that cannot be drawn: infinite or unknown, or not positive on a logarithmic axis. It sets
// such bars and boxes to 0.
func (c *Chart) keepFinite() {
	for i := range c.Series {
		s := &c.Series[i]
		if s.Kind == Bars || s.Kind == Boxes { // values are by category
			for j, y := range s.Y {
				if !finite(y) {
					s.Y[j] = 0
				}
			}
			for j := range s.Boxes {
				for _, v := range s.Boxes[j] {
					if !finite(v) {
						s.Boxes[j] = [5]float64{}
					}
				}
			}
			continue
		}
		var kept []int
		for j := range min(len(s.X), len(s.Y)) {
			if finite(s.X[j]) && finite(s.Y[j]) && !(c.X.Log && s.X[j] <= 0) && !(c.Y.Log && s.Y[j] <= 0) {
				kept = append(kept, j)
			}
		}
		s.X, s.Y, s.Top = pick(s.X, kept), pick(s.Y, kept), pick(s.Top, kept)
		s.Labels, s.Mappings, s.Links = pick(s.Labels, kept), pick(s.Mappings, kept), pick(s.Links, kept)
	}
}

// title returns the name of the application and its files.
func title(r *result.Result) string {
	var names []string
	for _, i := range r.Inputs {
		if name := filepath.Base(i.Path); name != "std.x" {
			names = append(names, name)
		}
	}
	const maximum = 4
	if len(names) == 0 {
		return r.Application
	}
	return r.Application + " (" + strings.Join(units.First(names, maximum, "%d more files"), ", ") + ")"
}

// facts returns the facts that a designer needs first.
func facts(r *result.Result) []Fact {
	f := &factList{}
	if len(r.Candidates) > 0 {
		f.throughput(&r.Candidates[0])
		if s := objectiveWords(r.Search, &r.Candidates[0]); s != "" {
			f.add("Objectives", strings.TrimPrefix(s, ", "), "of candidate "+r.Candidates[0].Name+mergedWords(r))
		}
	}
	f.list = append(f.list, sweepFacts(r.Sweep)...)
	switch {
	case raceOf(r) != nil:
		f.list = append(f.list, raceFact(r))
	case r.Validation != nil:
		f.validation(r)
	}
	if r.Measured != nil {
		f.measured(r)
	}
	if len(r.Candidates) > 0 {
		f.bottleneck(r)
	}
	if r.Profile != nil && len(r.Candidates) == 0 && r.Measured == nil {
		f.profile(r.Profile)
	}
	return f.list
}

// factList is an ordered list of facts.
type factList struct{ list []Fact }

func (f *factList) add(label, value, note string) { f.list = append(f.list, Fact{label, value, note}) }

// throughput adds the predicted throughput of the best mapping.
func (f *factList) throughput(c *result.Candidate) {
	if x := c.BufferFront; x != nil {
		label := "Least buffers"
		if !x.Kept() {
			label = "Chosen buffers" // sizes that do not keep the throughput are not the least buffers
		}
		f.add(label, units.Size(float64(x.Points[x.Chosen].Memory)), KeepsWords(x)+"; "+x.Level)
	}
	rate, with := headlineParts(c)
	f.add("Throughput", rate, strings.TrimPrefix(with+", "+rests(c), ", "))
	if c.Iteration != nil {
		rate, fires := iterationWords(c.Iteration)
		f.add("Iterations", rate, fires)
	}
	if w := c.WithBuffers; w != nil && w.Edges != nil {
		f.add("With buffers", withBuffersRate(w), strings.Join(withBuffersNotes(c), "; "))
	}
	if c.Run != nil {
		f.add("Run time", units.Time(float64(c.Run.Seconds)), "for "+units.Size(float64(c.Run.Bytes))+
			" of input, predicted")
	}
}

// validation adds the results of the mappings that ran.
func (f *factList) validation(r *result.Result) {
	v := r.Validation
	how := "measured here, "
	if v.Simulated {
		how = "simulated in virtual time, "
	}
	var failed []string
	for i := range v.Cases {
		if x := &v.Cases[i]; x.Fail != "" {
			failed = append(failed, fmt.Sprintf("%s (%s)", x.Name, x.Fail))
		}
	}
	if len(failed) > 0 {
		f.add("Missing", fmt.Sprintf("%d of %s", len(failed), count(len(v.Cases), "mapping")), "not "+verb(v)+": "+
			strings.Join(failed, ", "))
	}
	if len(v.Cases) > 0 {
		f.firstChoice(r, how)
	}
	bounds := ""
	if n := v.Summary.Bounded; n > 0 {
		bounds = "; other programs disturbed the runs of " + count(n, "mapping") +
			", so only a lower bound of the throughput is known"
	}
	if n := v.Summary.Cases; n > 0 {
		f.add("Error", units.Percent(v.Summary.Median), fmt.Sprintf("median of %s, maximum %s; (predicted - %s) / "+
			"%[3]s%s", count(n, "mapping"), units.Percent(v.Summary.Worst), ranWords(v), bounds))
	} else {
		f.add("Error", "unknown", strings.TrimPrefix(bounds, "; "))
	}
	if x := validate.VerdictOf(v); x.Disturbed > 0 {
		worst := "the machine was slow"
		if x.Disturbance != "" {
			worst = "at worst " + x.Disturbance
		}
		f.add("Disturbed", fmt.Sprintf("%d of %s", x.Disturbed, count(x.Runs, "run")), worst)
	}
	if fact, _ := ranking(v); fact.Label != "" {
		f.list = append(f.list, fact)
	}
	if r := v.Repeatability; r != nil {
		f.add("Repeatability", units.Percent(r.Spread), spreadWords(r))
	}
}

// firstChoice adds the measured throughput of the candidate with the highest prediction, with its interval or range.
func (f *factList) firstChoice(r *result.Result, how string) {
	v := r.Validation
	x := &v.Cases[validate.VerdictOf(v).First]
	if x.Fail != "" || len(x.Runs) == 0 {
		return
	}
	how += runCounts([]*result.ValidatedCase{x})
	if len(v.Cases) > 1 {
		of := "of these mappings"
		if slices.ContainsFunc(r.Notes, func(n fault.Note) bool { return n.ID == faults.CopiesNotTried }) {
			of = "without copies"
		}
		how = x.Name + " (predicted best " + of + "), " + how
	}
	label := upper(map[bool]string{false: "measured", true: "simulated"}[v.Simulated])
	s := scaleOf("B/s", slices.Max(x.Runs), x.Ran())
	between := func(low, high float64) string {
		return fmt.Sprintf("from %s to %s %s", s.Format(low), s.Format(high), s.Unit())
	}
	runs := ""
	if len(x.Runs) > 1 {
		runs = ", range " + between(slices.Min(x.Runs), slices.Max(x.Runs))
	}
	if x.Bounded {
		how += fmt.Sprintf("%s; other programs used up to %.2f processors in %d of %s", runs, x.Others, x.Disturbed,
			count(len(x.Runs), "run"))
		if x.Significant { // the prediction is below the bound
			how += "; error of the prediction: " + units.Error(x.Error()) + " or more"
		}
		f.add(label, "at least "+units.Rate(x.Measured), how)
		return
	}
	if x.Undisturbed > 0 {
		how += " (undisturbed)"
		if x.Interval != nil && !x.Unsteady {
			how += ", 95 % confidence interval " + between(x.Interval[0], x.Interval[1])
		}
		how += "; uncorrected throughput " + units.Rate(x.Measured) + runs
	} else {
		how += runs
	}
	f.add(label, units.Rate(x.Ran()),
		how+uncorrectedClause(v, x)+"; error of the prediction: "+units.Error(x.Error()))
}

// uncorrectedClause explains why a throughput is not corrected for a slow machine; "" if nothing prevents the
// correction.
func uncorrectedClause(v *result.Validation, x *result.ValidatedCase) string {
	slow := ""
	if x.Uncorrected != "" {
		slow = fmt.Sprintf("not corrected for the slowdown of the machine by %s: ", units.Percent(1-x.Slowed))
	}
	switch {
	case x.Uncorrected == result.WideInterval:
		return "; " + slow + "the runs differ too much"
	case x.Uncorrected != "" || len(x.Runs) == 1 && x.Interval == nil && !v.FromProfile:
		return "; " + slow + "one run has no confidence interval"
	}
	return ""
}

// measured adds the results of one run.
func (f *factList) measured(r *result.Result) {
	m := r.Measured
	how := "measured in one run"
	if m.Simulated != "" {
		how = "simulated in one run"
	}
	if m.Partial != "" {
		how += "; partial: " + partialShort(m)
	}
	if m.Faulted() {
		f.add("Fault", cmp.Or(m.FaultOf, m.Fault), partialShort(m))
	}
	f.list = append(f.list, throughputFact(m, how))
	f.list = append(f.list, prediction(r)...)
	if value, note := asserted(m); value != "" {
		f.add("Assertions", value, note)
	}
	if names, note := runBottleneck(m, r.Prediction); names != "" {
		f.add("Bottleneck", names, note)
	}
	of := map[bool]string{true: "of virtual time", false: ""}[m.Simulated != ""]
	if m.Board != "" {
		of = "by the clock of " + m.Board
	}
	f.add("Run time", units.Time(m.Seconds), of)
	if m.Buffers != nil {
		value, note := buffersText(m.Buffers)
		if grown := grownStatements(r); len(grown) > 0 {
			note += "; for the next run: " + strings.Join(grown, " ")
		}
		f.add("Buffers", value, note)
	}
}

// bottleneck adds the bottleneck of the best mapping, the objective and robust ranking of the search, and the total
// buffer size.
func (f *factList) bottleneck(r *result.Result) {
	c := &r.Candidates[0]
	next := ""
	if alone := loner(c); alone != "" {
		next = "only " + alone + " runs there; "
	}
	if len(c.Bottlenecks) > 1 {
		next += fmt.Sprintf("the next limit is %s at %s", LimitNames(c.Bottlenecks, 1),
			units.Rate(float64(c.Bottlenecks[1].Throughput)))
	}
	if more, _ := hastened(c); more != "" {
		next = more + "; " + next
	}
	f.add("Bottleneck", bottleneckNames(c), next)
	if r.Search != nil {
		f.search(r.Search, r.Candidates)
	}
	f.list = append(f.list, robustFacts(r)...)
	if size, which := bufferTotal(c); size != "" && !sizesBuffers(r) {
		f.add("Buffers", size, "in total, "+which)
	}
}

// search adds the objective of a search.
func (f *factList) search(s *result.Search, candidates []result.Candidate) {
	w := wanted(s)
	switch {
	case len(s.Objectives) > 1:
		f.add("Front", count(len(candidates), "mapping"), w+"; "+s.Status)
	case w != "":
		f.add("Goal", strings.Join(s.Objectives, ", "), w)
	}
}

// profile adds a summary of a calibration.
func (f *factList) profile(p *profile.Profile) {
	simulated := 0
	for i := range p.Kernels {
		if p.Kernels[i].How != "" {
			simulated++
		}
	}
	how := "measured alone"
	switch {
	case simulated > 0 && simulated == len(p.Kernels):
		how = "each alone, in RTL simulation"
	case simulated > 0:
		how += fmt.Sprintf(", with %d figures from RTL simulation", simulated)
	}
	f.add("Kernels", fmt.Sprint(p.Instances()), how)
	steady := "steady"
	note := ""
	if text := p.Disturbance(); text != "" {
		steady, note = "disturbed", text
	}
	f.add("Machine", steady, note)
}

// loner returns the name of a bottleneck's only kernel if the name of the bottleneck does not contain it; "" otherwise.
func loner(c *result.Candidate) string {
	if len(c.Bottlenecks) == 0 || len(c.Bottlenecks[0].Limits) != 1 {
		return ""
	}
	if l := &c.Bottlenecks[0].Limits[0]; len(l.Members) == 1 && !strings.Contains(l.Name, l.Members[0]) {
		return l.Members[0]
	}
	return ""
}

func verb(v *result.Validation) string {
	if v.Simulated {
		return "simulated"
	}
	return "measured"
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// PageOf converts terminal output to a page. Leads become facts.
func PageOf(title, command string, parts []Part) *Page {
	p := &Page{Title: title, Command: command}
	s := Section{ID: "shown", Title: "Answer"}
	for i := range parts {
		switch x := &parts[i]; {
		case x.Lead != nil && x.Lead.Word == "" && len(p.Facts) > 0:
			last := &p.Facts[len(p.Facts)-1]
			last.Note = strings.TrimPrefix(last.Note+"; "+x.Lead.Text, "; ")
		case x.Lead != nil:
			p.Facts = append(p.Facts, Fact{Label: x.Lead.Word, Value: x.Lead.Text})
		case x.List != nil:
			s.Parts = append(s.Parts, Part{Text: x.List.Title + ": " + strings.Join(x.List.Items, "; ")})
		case x.Table == nil || len(x.Table.Rows) > 0:
			s.Parts = append(s.Parts, *x)
		}
	}
	p.Sections = []Section{s}
	return p
}

// Tables returns all tables of a result, each once: the tables of the page, and the tables that only the terminal
// shows.
func Tables(r *result.Result) []*Table {
	var list []*Table
	for _, s := range Of(r).Sections {
		list = append(list, TablesOf(s.Parts)...)
	}
	for _, t := range TablesOf(Terminal(r)) {
		if !slices.ContainsFunc(list, func(x *Table) bool { return x.ID == t.ID }) {
			list = append(list, t)
		}
	}
	return list
}

// TablesOf returns the non-empty tables of parts.
func TablesOf(parts []Part) []*Table {
	var list []*Table
	for i := range parts {
		if t := parts[i].Table; t != nil && len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}
