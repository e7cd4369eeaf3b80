package report

import (
	"fmt"
	"slices"
	"strings"

	"xopt/cmd/faults"
	"xopt/flow/profile"
	"xopt/internal/units"
	mapperfaults "xopt/mapper/faults"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// Maximum numbers of table rows in a short answer.
const (
	shortCandidates = 4  // candidates of a search
	shortRows       = 8  // rows of all other tables, such as kernels and resources
	shortBeside     = 5  // comparisons of a run with its prediction
	shortPoints     = 12 // points of a sweep
)

// Short returns the answer of a result for a terminal without --full. It contains the result, its certainty, the next
// steps, and the one table that the decision requires. files lists the written files.
func Short(r *result.Result, files []string) []Part {
	p := &script{}
	switch {
	case r.Measured != nil:
		p.shortRun(r)
	case len(r.Candidates) == 0 && r.Search != nil:
		p.search(r)
	case r.Search != nil:
		p.shortSearch(r)
	case len(r.Candidates) > 0 && r.Candidates[0].BufferFront != nil:
		p.shortBuffers(&r.Candidates[0])
	case len(r.Candidates) > 0:
		p.shortPrediction(r)
	}
	p.more(files)
	return p.parts
}

// longestMore is the number of characters above which a command in the last line would be wrapped.
const longestMore = 68

// more adds a line with the ways to show the complete answer: --full, or the page of the result file.
func (p *script) more(files []string) {
	if len(p.parts) == 0 {
		return
	}
	at := len(p.parts)
	p.written(files)
	more := "--full shows all tables"
	if i := slices.IndexFunc(files, func(x string) bool { return strings.HasSuffix(x, ".result.json") }); i >= 0 {
		page := "xopt report " + files[i]
		if more += "; " + page + " writes a page"; len(more) > longestMore {
			more = "--full shows all tables; to write a page: " + page
		}
	}
	p.lead("More", "%s", more)
	p.parts[at].Separate = true
}

// written lists the written files, each once. xopt writes some files twice, at first only with measurements.
func (p *script) written(files []string) {
	var once []string
	for _, x := range files {
		if !slices.Contains(once, x) {
			once = append(once, x)
		}
	}
	if len(once) > 0 {
		p.lead("Written", "%s", strings.Join(once, ", "))
	}
}

// top adds a table with its n most important rows.
func (p *script) top(t *Table, n int) {
	if t == nil || len(t.Rows) == 0 {
		return
	}
	t, which := t.Top(n)
	t = narrow(t)
	if which != "" {
		t.Note = strings.TrimSpace("(" + which + ") " + t.Note)
	}
	p.show(t)
}

// narrow returns a table that drops columns to fit the terminal.
func narrow(t *Table) *Table {
	short := *t
	short.Narrow = true
	return &short
}

// Narrow makes the tables of parts drop columns to fit the terminal.
func Narrow(parts []Part) []Part {
	parts = slices.Clone(parts)
	for i := range parts {
		if t := parts[i].Table; t != nil {
			parts[i].Table = narrow(t)
		}
	}
	return parts
}

// rateWords returns the throughput of a candidate and its interval, if the ends of the interval differ at this
// precision.
func rateWords(c *result.Candidate) string {
	scale := scaleOf("B/s", float64(c.Throughput))
	x := c.Interval
	if x == nil && c.Limited() { // no figure has an interval
		x = c.WithBuffers.Interval
	}
	if x == nil || scale.Format(float64(x[0])) == scale.Format(float64(x[1])) {
		return units.Rate(float64(c.Throughput))
	}
	return fmt.Sprintf("%s (%s to %s)", units.Rate(float64(c.Throughput)), scale.Format(float64(x[0])),
		scale.Format(float64(x[1])))
}

// figureWords counts the figures of a prediction by origin, and names assumed figures.
func figureWords(c *result.Candidate) string { return Basis(c) + assumedNames(c) + noInterval(c) }

// noInterval states that a prediction from measured figures has no interval; "" otherwise.
func noInterval(c *result.Candidate) string {
	if c.Interval == nil && slices.ContainsFunc(c.Figures, func(f result.OriginCount) bool {
		return f.Origin == "measured"
	}) {
		return "; no interval: the figures that determine the throughput have no interval"
	}
	return ""
}

// answer adds the throughput of a candidate, its condition, its other objectives, and the file of its mapping.
func (p *script) answer(word string, c *result.Candidate, objectives, of string) {
	with := ""
	if c.File != "" {
		with = " with " + c.File
	}
	p.lead(word, "%s%s%s%s%s", rateWords(c), objectives, with, condition(c), of)
}

// condition names the buffers that reduce a throughput, or states that the throughput assumes unlimited buffers.
func condition(c *result.Candidate) string {
	switch {
	case c.Limited():
		return "; with the " + c.WithBuffers.Sizes + " buffers"
	case assumesUnlimited(c):
		return "; " + withUnlimited
	}
	return ""
}

// buffersCost describes the loss compared to unlimited buffers.
func buffersCost(c *result.Candidate) string {
	w := c.WithBuffers
	switch {
	case w != nil && w.Stopped != "":
		return leftWithBuffers(c)
	case !c.Limited():
		return keptWithBuffers(c)
	}
	return fmt.Sprintf("%s; the %s buffers cost %s of the throughput with unlimited buffers (%s)",
		sizesLevel(c), w.Sizes,
		units.Percent(float64(1-w.Throughput/c.Unlimited())), buffersLevel(w))
}

// expected returns the throughput range expected of runs; nil if it is unknown.
func expected(r *result.Result, c *result.Candidate) []string {
	if x := expectedRange(r, c); x != "" {
		return []string{"95 % of the runs are expected to reach " + x}
	}
	return nil
}

// Limits of the certainty in a short answer.
const (
	maxStatements = 2   // maximum number of statements
	longestSure   = 204 // maximum length in characters, which fills three lines of 80 columns
)

// shortSure adds the certainty of an answer without explanations. It states whether the ranking is undetermined, and
// counts the figures by origin. It then adds up to maxStatements statements, starting with the first reason for doubt
// and the proof.
func (p *script) shortSure(r *result.Result) {
	var doubts, list, first []string
	tie, limit := "", maxStatements
	if d := decides(r, len(r.Candidates)); d != nil && r.Search != nil && r.Search.Robust != nil {
		first = append(first, "the order of the candidates depends mostly on "+doubtName(d))
	}
	for _, x := range allSure(r) {
		switch x.ID {
		case faults.RunsExpected, faults.RobustRank, faults.RaceRanked, mapperfaults.BuffersNotSimulated,
			mapperfaults.BuffersUnchecked: // the first line contains these notes
		case faults.WithinInterval:
			if n := unranked(r); n > 0 {
				x.Text = unrankedWords(r, n) + ": " + ruleOfOrder
			}
			first = append(first, x.Text)
		case faults.CopiesCompared:
			list = append(list, copiesVerdict(r))
		case faults.ProvenFront, faults.FrontUnproven, faults.ProvenBest, faults.ProvenAlone, faults.BoundAbove,
			faults.BestUnproven:
			if s := r.Search; !s.Optimal && !strings.HasPrefix(s.Status, "optimal") {
				x.Text += " (" + s.Status + ")"
			}
			list = append(doubts[:min(len(doubts), maxStatements-1)], x.Text)
			doubts = nil
		case faults.CandidatesTie:
			tie = x.Text
		case faults.ProfileDisturbed:
			doubts = append(doubts, x.Text+": "+quietProfile)
		default:
			doubts = append(doubts, x.Text)
		}
	}
	list = append(append(list, doubts...), expected(r, &r.Candidates[0])...)
	if c := &r.Candidates[0]; c.IntervalAssumed > 0 {
		list = append(list, assumedIntervals(c))
	}
	if tie != "" { // never omit a tie, because the user has to choose
		list = slices.Insert(list, min(len(list), 1), tie)
		limit++
	}
	c := withoutDisturbed(r)
	list = slices.Concat(first, []string{Basis(c) + noInterval(c)}, list[:min(len(list), limit)])
	if s := assumedNames(c); s != "" {
		list = append(list, strings.TrimPrefix(s, "; "))
	}
	kept := len(first) + 1 + min(limit, 2)
	for len(list) > kept && len(strings.Join(list, "; ")) > longestSure {
		list = list[:len(list)-1]
	}
	p.lead("How sure", "%s", strings.Join(list, "; "))
}

// withoutDisturbed returns the first candidate for a short answer. If the profile is disturbed, it clears the number of
// disturbed figures, because the certainty already names the disturbed profile.
func withoutDisturbed(r *result.Result) *result.Candidate {
	c := r.Candidates[0]
	if r.ProfileDisturbed != "" {
		c.Disturbed = 0
	}
	return &c
}

// shortSearch adds the short answer of a search to the script.
func (p *script) shortSearch(r *result.Result) {
	c, s := withoutDisturbed(r), r.Search
	word, of := bestWords(r)
	switch {
	case isRaced(r):
		p.lead(word, "%s", raceAnswer(r))
	case unranked(r) > 0: // the next line names the candidates
		p.answer(word, c, objectiveWords(s, c), "")
	default:
		p.answer(word, c, objectiveWords(s, c), of)
	}
	p.shortSure(r)
	p.toDo(r, faults.CandidatesTie, faults.BuffersLarge, faults.ProfileDisturbed)
	p.shortLimits(c)
	if kernels := kernelsByResource(c); kernels != "" {
		p.lead("Mapping", "%s", kernels)
	}
	p.inputTime(c)
	left := buffersCost(c)
	if large(r, c) {
		left += "; xopt buffers can reduce the sizes"
	}
	p.bufferSum(c, left)
	if s.Runs > 1 {
		p.lead("Resumed", "%d runs", s.Runs)
	}
	for _, x := range s.LeftOut {
		p.lead("", "%s", x)
	}
	t := candidateTable(r)
	if race := raceTable(r); race != nil {
		race.Answer = isRaced(r)
		p.top(race, shortRows)
		return
	}
	t.Answer = wanted(s) != "" || s.Robust != nil
	p.top(fewCandidates(r, t), shortRows)
}

// shortPrediction adds the short answer of xopt eval.
func (p *script) shortPrediction(r *result.Result) {
	c := withoutDisturbed(r)
	p.answer("Throughput", c, "", "")
	if w := c.WithBuffers; w != nil && w.Stopped != "" {
		p.lead("Buffered", "%s, with the %s buffers", withBuffersRate(w), w.Sizes)
	}
	p.shortSure(r)
	p.toDo(r, faults.ProfileDisturbed)
	p.shortLimits(c)
	p.inputTime(c)
	p.bufferSum(c, buffersCost(c))
	p.top(resources(c), shortRows)
}

// keptWithBuffers returns a text with the fraction of the throughput that the simulated buffers preserve, if this
// fraction is close to 1. It returns "" if the buffers reduce the throughput or were not simulated.
func keptWithBuffers(c *result.Candidate) string {
	w := c.WithBuffers
	if w == nil || w.Edges == nil || w.Stopped != "" || c.Limited() {
		return ""
	}
	kept := "the throughput"
	if w.Throughput < c.Throughput && units.Rate(float64(w.Throughput)) != units.Rate(float64(c.Throughput)) {
		kept = units.Percent(float64(w.Throughput/c.Throughput)) + " of the throughput"
	}
	return fmt.Sprintf("; the %s buffers keep %s (%s)", w.Sizes, kept, buffersLevel(w))
}

// inputTime adds the time to process a given amount of input.
func (p *script) inputTime(c *result.Candidate) {
	if c.Run != nil {
		p.lead("Run time", "%s for %s of input (input / throughput)", units.Time(float64(c.Run.Seconds)),
			units.Size(float64(c.Run.Bytes)))
	}
}

// shortLimits adds the bottleneck, the largest component of its load, and the throughput at which the next limit takes
// effect.
func (p *script) shortLimits(c *result.Candidate) {
	if len(c.Bottlenecks) == 0 {
		return
	}
	next := ""
	if cost := mainCost(c, majorCost); cost != "" {
		next = "; " + cost
	}
	if len(c.Bottlenecks) > 1 {
		limit := "that limit"
		if len(c.Bottlenecks[0].Possible) > 0 {
			limit = "the limit of " + LimitNames(c.Bottlenecks, 0)
		}
		next += fmt.Sprintf("; without %s, the throughput would be "+
			"%s", limit, units.Rate(float64(c.Bottlenecks[1].Throughput)))
	}
	p.lead("Bottleneck", "%s%s", bottleneckNames(c), next)
}

// shortBuffers adds the short answer of xopt buffers.
func (p *script) shortBuffers(c *result.Candidate) {
	f := c.BufferFront
	p.lead("Buffers", "%s", KeepsWords(f))
	p.lead("", "%s", chosenWords(f))
	with := condition(c)
	if with == "" && units.Rate(float64(c.Throughput)) != units.Rate(float64(f.Points[f.Chosen].Throughput)) {
		with = "; " + withUnlimited
	}
	p.lead("Throughput", "%s, %s%s", rateWords(c), figureWords(c), with)
	sure := MinMemory(f)
	if f.Level != "proven" {
		sure = fmt.Sprintf("%s; %s; with %d other seeds: at least %s of the maximum throughput (95 %% "+
			"confidence)", f.Level, sure, f.Seeds,
			units.Percent(float64(min(1, f.Low/f.Max))))
	}
	p.lead("How sure", "%s", sure)
	if len(f.Doubts) > 0 {
		p.lead("", "%s", f.Doubts[0])
	}
	p.show(narrow(fewPoints(f, BufferFrontTable(f), shortRows)))
}

func (p *script) shortRun(r *result.Result) {
	m, predicted := r.Measured, r.Prediction
	p.runHead(m)
	if predicted != nil {
		p.lead("Predicted", "%s, %s; %s", rateWords(predicted), figureWords(predicted),
			predict.Compare(predicted, m)[0].Off())
		for _, x := range noteList(offBecause(predicted, m)) {
			p.lead("", "%s", x)
		}
	}
	p.runLimits(r)
	for i, x := range grownStatements(r) {
		p.lead(map[bool]string{true: "Buffers"}[i == 0], "%s", x)
	}
	if _, _, reported := m.Rates(); reported && predicted != nil {
		t := *runBesideOf(predicted, m)
		t.Note = busyBase(predicted, m)
		p.top(&t, shortBeside)
	} else {
		p.top(runUsed(m, predicted), shortRows)
	}
	requested := len(p.parts)
	p.top(queries(m), shortRows)
	for i := range m.Queries {
		q := &m.Queries[i]
		for _, t := range []*Table{queryHistogram(i, q), virtualQueue(i, q), queryStates(i, q)} {
			p.top(t, shortRows)
		}
	}
	for _, x := range p.parts[requested:] {
		x.Table.Requested = true
	}
}

// ShortSweep returns the answer of a sweep: the best point, the mappings and the first points.
func ShortSweep(s *result.Sweep) []Part {
	p := &script{parts: leads(sweepFacts(s))}
	t := SweepTable(s)
	t.Note = ""
	p.top(t, shortPoints)
	p.more(nil)
	return p.parts
}

// ShortCalibration returns the answer of a calibration: the machine, its disturbance and the kernels.
func ShortCalibration(p *profile.Profile) []Part {
	s := &script{parts: CalibrationHead(p)}
	s.machine(p)
	t := kernelsOnCores(p)
	t.spare("undisturbed", "scv", "firing", "windows", "co-located", "service time")
	s.top(t, shortRows)
	for _, x := range kernelsInHardware(p) {
		s.top(x.Table, shortRows)
	}
	s.more(nil)
	return s.parts
}

// ShortValidation returns the answer of a validation: the errors, the mappings that ran, and the recommended mapping.
func ShortValidation(r *result.Result) []Part {
	p := &script{parts: ValidationHead(r)}
	_, do := ranking(r.Validation)
	p.useOther(do)
	t := cases(r)
	t.Note = ""
	list := []string{"deviates most", "busiest", "machine", "repeats", "beyond", "bottleneck", expectedFrom, expectedTo}
	if allUndisturbed(r.Validation) { // the interval and the error do not refer to the measured throughput
		list = append(list, "measured")
	}
	t.spare(list...)
	p.top(t, shortRows)
	p.more(nil)
	return p.parts
}
