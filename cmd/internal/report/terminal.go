package report

import (
	"fmt"
	"strings"

	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// Terminal returns the complete output of a command for a terminal: a search, its candidates, and measurements.
// [Remarks] returns warnings and notes.
func Terminal(r *result.Result) []Part {
	p := &script{}
	if r.Search != nil {
		if len(r.Candidates) > 0 {
			p.head(r)
		}
		p.search(r)
	}
	for i := range r.Candidates {
		p.candidate(r, i)
	}
	if r.Measured != nil {
		p.measured(r)
	}
	return p.parts
}

// Remarks returns the warnings and notes for the output of [Terminal]. Without full, it omits the warnings of all
// candidates but the first.
func Remarks(r *result.Result, full bool) []string {
	list := remarks(r.Warnings, r.Notes)
	for i := range r.Candidates {
		if i > 0 && !full {
			break
		}
		list = append(list, remarks(r.Candidates[i].Warnings, nil)...)
	}
	return list
}

// remarks returns warnings and notes as lines.
func remarks(warnings, notes []fault.Note) (list []string) {
	for _, w := range warnings {
		list = append(list, "warning: "+w.String())
	}
	for _, n := range notes {
		list = append(list, "note: "+n.String())
	}
	return list
}

// script collects parts.
type script struct{ parts []Part }

// add adds a paragraph.
func (p *script) add(format string, args ...any) {
	p.parts = append(p.parts, Part{Text: fmt.Sprintf(format, args...)})
}

// lead adds a line with a lead word.
func (p *script) lead(word, format string, args ...any) {
	p.parts = append(p.parts, Part{Lead: &Lead{word, fmt.Sprintf(format, args...)}})
}

// show adds tables, except nil tables and tables without rows.
func (p *script) show(tables ...*Table) { p.parts = append(p.parts, tableParts(tables...)...) }

// wideGap is the relative distance to the bound above which the output lists what the bound ignores.
const wideGap = 0.01

// boundBy names the solver of a bound that xopt did not compute.
func boundBy(s *result.Search) string {
	if s.BoundBy == "" {
		return ""
	}
	return " (computed by " + s.BoundBy + ", in floating point)"
}

// search adds the description of the search and its candidates. [script.sure] adds its proof.
func (p *script) search(r *result.Result) {
	s := r.Search
	p.lead("Search", "%s over %s placements, seed %d", methodName(s.Method), shortNumber(s.Placements),
		s.Seed)
	if w := wanted(s); w != "" {
		p.lead("", "for %s", w)
	}
	status := s.Status
	if s.Robust != nil && !s.Optimal { // a robust ranking may put another candidate first
		status = strings.Replace(status, "optimal:", "optimal by throughput:", 1)
	}
	if s.Runs > 1 {
		status += fmt.Sprintf(", resumed: %d runs", s.Runs)
	}
	p.lead("", "%s", status)
	if len(s.Weak) > 0 && len(r.Candidates) > 0 && !s.Optimal && s.FlowGap(r.Predicted()) > wideGap {
		p.lead("", "the bound ignores %s", strings.Join(s.Weak, "; "))
	}
	for _, x := range s.LeftOut {
		p.lead("", "%s", x)
	}
	if len(r.Candidates) == 0 {
		return
	}
	p.show(raceTable(r), candidateTable(r))
	if s.Robust != nil {
		p.robust(r)
		return
	}
	if n := tied(r); n > 1 {
		unlikes := ""
		if list := tieUnlikes(r, n); len(list) > 0 {
			unlikes = ": " + strings.Join(list, "; ")
		}
		p.add("Candidates %s tie%s.", tieNames(r, n), unlikes)
	}
}

// candidate shows one mapping.
func (p *script) candidate(r *result.Result, i int) {
	c, of := &r.Candidates[i], r.Search
	if of != nil {
		p.parts = append(p.parts, Part{Heading: "Candidate " + c.Name})
	}
	p.lead("Throughput", "%s, %s", headline(c), rests(c))
	if c.BufferFront != nil {
		p.bufferFront(c)
		return
	}
	p.withBuffers(c)
	p.iteration(c.Iteration)
	p.inputTime(c)
	if of != nil && wanted(of) != "" && c.Measures != nil {
		p.measures(c.Measures)
	}
	p.lead("Bottleneck", "%s", bottleneckNames(c))
	if more, _ := hastened(c); more != "" {
		p.lead("", "%s", more)
	}
	if of == nil && i == 0 { // the head of a search shows it
		p.toDo(r)
		for n, x := range doubts(r) {
			word := "How sure"
			if n > 0 {
				word = ""
			}
			p.lead(word, "%s %s, %s", strings.ToLower(x.Label), x.Value, x.Note)
		}
		if s := runsWords(r, c); s != "" {
			p.lead(map[bool]string{true: "How sure"}[len(doubts(r)) == 0], "%s", s)
		}
	}
	p.show(placement(c), steps(c), alternatives(c), resources(c), area(c), stations(c))
	p.parts = append(p.parts, blocks(c)...)
	p.show(load(c), inPlace(c))
	p.parts = append(p.parts, buffers(c)...)
	if waits(c) {
		p.show(withBuffers(c))
	}
	p.show(estimates(c), sources(c))
}

// measures adds the figures of a mapping other than throughput.
func (p *script) measures(m *result.Measures) {
	latency := units.Time(float64(m.Latency))
	if m.Worst > m.Latency*(1+result.TieTolerance) {
		latency += fmt.Sprintf(" on average, %s for the slowest element, which waits for a full scheduling round or "+
			"transfer, or because of jitter", units.Time(float64(m.Worst)))
	}
	s := fmt.Sprintf("latency %s, buffers %s in total, the largest %s; %s in use", latency,
		units.Size(float64(m.Buffers)), units.Size(float64(m.Buffer)), count(m.Cores, "resource"))
	if m.Area > 0 {
		s += fmt.Sprintf(", FPGA area %s used", units.Percent(float64(m.Area)))
	}
	if m.Power > 0 {
		s += fmt.Sprintf("; %.3g W, %s/B from the stated powers", float64(m.Power), units.Energy(float64(m.Energy)))
	}
	if m.Price > 0 {
		s += fmt.Sprintf("; %.3g $/h from the stated prices", float64(m.Price))
	}
	p.lead("Measures", "at %s: %s (predicted)", units.Rate(float64(m.Rate)), s)
}

// count formats a number with its noun.
func count(n int, thing string) string { return units.Counted(n, thing, thing+"s") }
