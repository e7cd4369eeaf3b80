package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"xopt/internal/design"
	"xopt/internal/units"
)

// Write prints a result for a terminal: the candidates of a search in a summary,
// then the first in full.
func (r *Result) Write(w io.Writer, style Style) error {
	t := &textWriter{w: w, style: style}
	for _, n := range r.Warnings {
		t.remark("warning: %s", n)
	}
	for _, n := range r.Notes {
		t.remark("note: %s", n)
	}
	if r.Search != nil {
		t.search(r)
	}
	for i := range r.Candidates {
		if i == 0 || style.Full {
			t.candidate(&r.Candidates[i], r.Search)
		}
	}
	if r.Measured != nil {
		r.Measured.write(t, r.Prediction)
	}
	return t.err
}

// search prints how the candidates were found, and what they are.
func (t *textWriter) search(r *Result) {
	s := r.Search
	claim := "the best found, not proven the best"
	switch {
	case len(s.Objectives) > 1 && s.Optimal:
		claim = "the whole front"
	case len(s.Objectives) > 1:
		claim = "the best found, not proven the whole front"
	case s.Optimal:
		claim = "proven the best"
	case s.Bound > 0 && len(r.Candidates) > 0:
		claim = fmt.Sprintf("within %s of any mapping: none lets more than %s through",
			units.Percent(s.Gap(r.Candidates[0].Throughput)), units.Rate(float64(s.Bound)))
	}
	t.lead("Search", "%s over %s placements, seed %d", MethodName(s.Method), ShortNumber(s.Placements), s.Seed)
	if w := s.Wanted(); w != "" {
		t.lead("", "for %s", w)
	}
	status := s.Status
	if s.Robust != nil && !s.Optimal { // another is the first by what is sure
		status = strings.Replace(status, "optimal:", "optimal by throughput:", 1)
		claim = "1 is " + claim
	}
	if s.Runs > 1 {
		status += fmt.Sprintf(", resumed: %d runs", s.Runs)
	}
	t.lead("", "%s; %s", status, claim)
	for _, x := range s.LeftOut {
		t.lead("", "%s", x)
	}
	values := make([]float64, len(r.Candidates))
	for i := range r.Candidates {
		values[i] = float64(r.Candidates[i].Throughput)
	}
	scale := columnScale("B/s", values)
	var rows [][]string
	columns := s.columns()
	if s.Robust != nil {
		columns = append(columns, fmt.Sprintf("%.3g %% low", 100*float64(s.Robust.Quantile)), "behind 1")
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		next := "-"
		if len(c.Bottlenecks) > 1 {
			next = scale.Format(float64(c.Bottlenecks[1].Throughput))
		}
		row := []string{c.Name, scale.Format(float64(c.Throughput))}
		for _, name := range s.columns() {
			row = append(row, c.Objective(name))
		}
		if x := c.Robustness; s.Robust != nil && x != nil {
			behind := "-"
			if i > 0 {
				behind = units.Percent(float64(x.Behind))
			}
			row = append(row, units.Rate(float64(x.Low)), behind)
		}
		rows = append(rows, append(row, LimitNames(c.Bottlenecks, 0), next, c.InUse(), c.Moved(&r.Candidates[0]),
			c.File))
	}
	title := "Candidates, best first (predicted)"
	if len(s.Objectives) > 1 {
		title = "Front, by " + s.Objectives[0] + " (predicted)"
	}
	n := len(columns)
	t.grid(grid{
		title: title,
		headings: slices.Concat([]string{"#", scale.Heading("throughput")}, columns, []string{"bottleneck",
			scale.Heading("if resolved"), "in use", "unlike 1", "written to"}),
		rows:  rows,
		spare: []int{4 + n, 3 + n, 5 + n},
	})
	if s.Robust != nil {
		t.robust(r)
		return
	}
	if n := r.ties(); n > 1 && s.Wanted() == "" {
		t.remark("The first %d let the same through; 1 stands below in full, the others with --full.", n)
	}
}

// MethodName is a search method in words.
func MethodName(method string) string {
	switch method {
	case "anneal":
		return "simulated annealing"
	case "walk":
		return "random walks"
	case "mixed":
		return "annealing, other methods and branch and bound by turns"
	}
	return method
}

// tieTolerance is the relative difference below which two throughputs are one:
// well above rounding, well below anything that can be measured.
const tieTolerance = 1e-9

// ties is how many candidates are as good as the first.
func (r *Result) ties() int {
	n := 0
	for i := range r.Candidates {
		if float64(r.Candidates[i].Throughput) >= float64(r.Candidates[0].Throughput)*(1-tieTolerance) {
			n++
		}
	}
	return n
}

// ShortNumber prints a long decimal number as a power of ten.
func ShortNumber(s string) string {
	if len(s) <= 7 {
		return s
	}
	return fmt.Sprintf("%s.%se%d", s[:1], s[1:3], len(s)-1)
}

// LimitNames names what limits at a step.
func LimitNames(steps []Step, i int) string {
	if i >= len(steps) {
		return "-"
	}
	var names []string
	for _, l := range steps[i].Limits {
		names = append(names, l.Name)
	}
	return strings.Join(numbered(names), " + ")
}

// manyNames is from how many names on those that differ in a number only are put together.
const manyNames = 4

// numbered names all of many with names such as "top.pipe[1..6].fft on fpga" for those that
// differ in their first number.
func numbered(names []string) []string {
	if len(names) < manyNames {
		return names
	}
	var tails []string
	heads := make(map[string][]string)
	for _, name := range names {
		end := strings.IndexByte(name, ']') + 1
		if end == 0 {
			end = len(name)
		}
		if heads[name[end:]] == nil {
			tails = append(tails, name[end:])
		}
		heads[name[end:]] = append(heads[name[end:]], name[:end])
	}
	var out []string
	for _, tail := range tails {
		for _, head := range design.Ranges(heads[tail]) {
			out = append(out, head+tail)
		}
	}
	return out
}

// InUse names the resources that hold kernels.
func (c *Candidate) InUse() string {
	var names []string
	for _, r := range c.Resources {
		if slices.ContainsFunc(c.Place, func(p Placement) bool { return p.Resource == r.Name }) {
			names = append(names, r.Name)
		}
	}
	return strings.Join(design.Ranges(names), ", ")
}

// Moved says which kernels are placed unlike in another candidate, and where.
func (c *Candidate) Moved(other *Candidate) string {
	var to []string // resources, in the order of the first kernel that moves there
	kernels := make(map[string][]string)
	n := 0
	for i, p := range c.Place {
		if i < len(other.Place) && p.Resource != other.Place[i].Resource {
			if kernels[p.Resource] == nil {
				to = append(to, p.Resource)
			}
			kernels[p.Resource] = append(kernels[p.Resource], p.Kernel)
			n++
		}
	}
	switch {
	case n == 0 && c != other && len(c.Routes) > 0:
		return "routes only"
	case n == 0:
		return ""
	case len(to) == 1 && n <= 2:
		return strings.Join(kernels[to[0]], ", ") + " to " + to[0]
	}
	return fmt.Sprintf("%s to %s, %d more", kernels[to[0]][0], to[0], n-1)
}

// candidate prints one mapping in full.
func (t *textWriter) candidate(c *Candidate, of *Search) {
	if of != nil {
		t.printf("\n%s\n", t.bold("Candidate "+c.Name))
	}
	t.lead("Throughput", "%s, %s", units.Rate(float64(c.Throughput)), c.Basis())
	if c.Run != nil {
		t.lead("Run time", "%s for %s of input (bytes/Γ)", units.Time(float64(c.Run.Seconds)),
			units.Size(float64(c.Run.Bytes)))
	}
	if of != nil && of.Wanted() != "" && c.Measures != nil {
		t.measures(c.Measures)
	}
	t.steps(c.Bottlenecks)
	t.sharing(c)
	for _, w := range c.Warnings {
		t.remark("warning: %s", w)
	}
	t.mapping(c)
	t.resources(c)
	t.stations(c)
	t.load(c)
	t.queues(c)
	t.sources(c)
}

// sharing says by which rules the prediction was made, and what the others would
// give.
func (t *textWriter) sharing(c *Candidate) {
	var force []string
	for _, s := range slices.Concat(c.Resources, c.Links) {
		if s.Members > 1 && s.Sharing != "area" && !slices.Contains(force, s.Sharing) {
			force = append(force, s.Sharing)
		}
	}
	if len(force) == 0 {
		return
	}
	text := strings.Join(force, " and ") + " here"
	for _, a := range c.Otherwise {
		change := float64(a.Throughput)/float64(c.Throughput) - 1
		text += fmt.Sprintf("; %s would give %s (%+.1f %%): %s", a.Sharing, units.Rate(float64(a.Throughput)),
			cleanZero(100*change), a.Why)
	}
	t.lead("Sharing", "%s", text)
}

// cleanZero keeps a rounded zero from being printed as -0.
func cleanZero(v float64) float64 {
	if math.Abs(v) < 0.05 {
		return 0
	}
	return v
}

// steps prints the bottleneck and what would be next.
func (t *textWriter) steps(steps []Step) {
	if len(steps) == 0 {
		return
	}
	t.lead("Bottleneck", "%s", describe(&steps[0]))
	start := "if that were resolved, the next is "
	for i := 1; i < len(steps) && i <= 3; i++ {
		t.lead("", "%s%s at %s", start, describe(&steps[i]), units.Rate(float64(steps[i].Throughput)))
		start = "then "
	}
	if len(steps) < 4 {
		t.lead("", "after that nothing limits")
	}
}

// describe names the limits of a step, and of one that is shared the greatest
// parts.
func describe(s *Step) string {
	names := LimitNames([]Step{*s}, 0)
	if len(s.Limits) != 1 {
		return names
	}
	l := &s.Limits[0]
	if len(l.Members) < 2 {
		if len(l.Members) == 1 && l.Members[0] != l.Name && !strings.HasPrefix(l.Name, l.Members[0]) {
			return fmt.Sprintf("%s (%s)", names, l.Members[0])
		}
		return names
	}
	return fmt.Sprintf("%s, shared by %s", names, l.Shared())
}

// sources prints where the figures come from.
func (t *textWriter) sources(c *Candidate) {
	t.printf("\n%s\n", t.bold("Sources of the figures"))
	const indent = 7
	var notes []string
	figures := make(map[string]int)
	for _, x := range c.Citations {
		note := strings.TrimSpace(x.Note)
		if !strings.HasPrefix(note, x.Origin) {
			note = strings.TrimSpace(x.Origin + " " + note)
		}
		if x.Stale != "" {
			note += "; stale: " + x.Stale
		}
		if figures[note] == 0 {
			notes = append(notes, note)
		}
		figures[note] += x.Figures
	}
	for _, note := range notes {
		for i, line := range t.fold(note, indent) {
			if i == 0 {
				t.printf("  %3d  %s\n", figures[note], line)
				continue
			}
			t.printf("       %s\n", line)
		}
	}
}
