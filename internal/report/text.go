package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"xopt/internal/units"
)

// Style says how text is written.
type Style struct {
	Color bool // only on a terminal, and not where NO_COLOR is set
	Full  bool // every candidate in full, not only the first
}

// textWriter prints a result; the first error of the underlying writer is kept.
type textWriter struct {
	w     io.Writer
	style Style
	err   error
}

func (t *textWriter) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

func (t *textWriter) bold(s string) string {
	if t.style.Color {
		return text.Bold.Sprint(s)
	}
	return s
}

// table prints rows under headings; numeric columns are right-aligned.
func (t *textWriter) table(title string, headings []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	tw := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true, SeparateColumns: false}
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	tw.SetStyle(style)
	head := make(table.Row, len(headings))
	configs := make([]table.ColumnConfig, len(headings))
	for i, h := range headings {
		head[i] = t.bold(h)
		configs[i].Number = i + 1
		if numericColumn(rows, i) {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
	}
	tw.AppendHeader(head)
	tw.SetColumnConfigs(configs)
	for _, row := range rows {
		out := make(table.Row, len(row))
		for i, c := range row {
			out[i] = c
		}
		tw.AppendRow(out)
	}
	t.printf("\n%s\n", t.bold(title))
	for line := range strings.SplitSeq(tw.Render(), "\n") {
		t.printf("%s\n", strings.TrimRight(line, " "))
	}
}

// numericColumn reports whether a column holds numbers, with units or without.
func numericColumn(rows [][]string, i int) bool {
	for _, r := range rows {
		number, unit, _ := strings.Cut(r[i], " ")
		if number == "" || number == "-" || number == "unlimited" || number == "unknown" {
			continue
		}
		if strings.Trim(number, "0123456789.,+-e") != "" || strings.ContainsAny(unit, " 0123456789") {
			return false
		}
	}
	return true
}

// Write prints a result for a terminal: the candidates of a search in a summary,
// then the first in full.
func (r *Result) Write(w io.Writer, style Style) error {
	t := &textWriter{w: w, style: style}
	for _, n := range r.Warnings {
		t.printf("warning: %s\n", n)
	}
	for _, n := range r.Notes {
		t.printf("note: %s\n", n)
	}
	if r.Search != nil {
		t.search(r)
	}
	for i := range r.Candidates {
		if i == 0 || style.Full {
			t.candidate(&r.Candidates[i], r.Search != nil)
		}
	}
	return t.err
}

// search prints how the candidates were found, and what they are.
func (t *textWriter) search(r *Result) {
	s := r.Search
	t.printf("%s  %s of %s placements, %s, seed %d\n", t.bold("Search"), s.Method, shortNumber(s.Placements), s.Status, s.Seed)
	values := make([]float64, len(r.Candidates))
	for i := range r.Candidates {
		values[i] = float64(r.Candidates[i].Throughput)
	}
	scale := units.ScaleFor("B/s", values...)
	var rows [][]string
	for i := range r.Candidates {
		c := &r.Candidates[i]
		next := "-"
		if len(c.Bottlenecks) > 1 {
			next = scale.Format(float64(c.Bottlenecks[1].Throughput))
		}
		rows = append(rows, []string{c.Name, scale.Format(float64(c.Throughput)), next, limitNames(c.Bottlenecks, 0), c.inUse(), c.moved(&r.Candidates[0]), c.File})
	}
	t.table("Candidates, best first (predicted)", []string{"#", scale.Heading("throughput"), "if resolved (" + scale.Unit() + ")", "bottleneck", "resources in use", "placed unlike 1", "mapping"}, rows)
}

// shortNumber prints a long decimal number as a power of ten.
func shortNumber(s string) string {
	if len(s) <= 7 {
		return s
	}
	return fmt.Sprintf("%s.%se%d", s[:1], s[1:3], len(s)-1)
}

func limitNames(steps []Step, i int) string {
	if i >= len(steps) {
		return "-"
	}
	var names []string
	for _, l := range steps[i].Limits {
		names = append(names, l.Name)
	}
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("%d more", len(names)-3))
	}
	return strings.Join(names, " + ")
}

// inUse names the resources that hold kernels.
func (c *Candidate) inUse() string {
	var names []string
	for _, p := range c.Place {
		if !slices.Contains(names, p.Resource) {
			names = append(names, p.Resource)
		}
	}
	slices.Sort(names)
	if len(names) > 4 {
		return fmt.Sprintf("%d", len(names))
	}
	return strings.Join(names, ", ")
}

// moved names the kernels that are placed unlike in another candidate.
func (c *Candidate) moved(other *Candidate) string {
	var names []string
	for i, p := range c.Place {
		if i < len(other.Place) && p.Resource != other.Place[i].Resource {
			names = append(names, p.Kernel)
		}
	}
	switch {
	case len(names) == 0 && c != other && len(c.Routes) > 0:
		return "routes only"
	case len(names) == 0:
		return ""
	case len(names) > 2:
		return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
	}
	return strings.Join(names, ", ")
}

// candidate prints one mapping in full.
func (t *textWriter) candidate(c *Candidate, ofSearch bool) {
	if ofSearch {
		t.printf("\n%s\n", t.bold("Candidate "+c.Name))
	}
	t.printf("%s  %s   %s\n", t.bold("Throughput"), t.bold(units.Rate(float64(c.Throughput))), c.Basis())
	if c.Run != nil {
		t.printf("%s    %s for %s of input (bytes/Γ)\n", t.bold("Run time"), units.Time(float64(c.Run.Seconds)), units.Size(float64(c.Run.Bytes)))
	}
	t.steps(c.Bottlenecks)
	for _, a := range c.Otherwise {
		change := float64(a.Throughput)/float64(c.Throughput) - 1
		t.printf("%s    under %s sharing: %s (%+.1f %%): %s\n", t.bold("Sharing"), a.Sharing, units.Rate(float64(a.Throughput)), cleanZero(100*change), a.Why)
	}
	for _, w := range c.Warnings {
		t.printf("warning: %s\n", w)
	}
	t.mapping(c)
	t.resources(c)
	t.stations(c)
	t.queues(c)
	t.sources(c)
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
	t.printf("%s  %s\n", t.bold("Bottleneck"), describe(&steps[0]))
	lead := "if that were resolved, the next is "
	for i := 1; i < len(steps) && i <= 3; i++ {
		t.printf("            %s%s at %s\n", lead, describe(&steps[i]), units.Rate(float64(steps[i].Throughput)))
		lead = "then "
	}
	if len(steps) < 4 {
		t.printf("            after that nothing limits\n")
	}
}

// describe names the limits of a step, and of one that is shared the greatest
// parts.
func describe(s *Step) string {
	names := limitNames([]Step{*s}, 0)
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
	total := 0.0
	for _, p := range l.Parts {
		total += float64(p)
	}
	var parts []string
	for i, m := range l.Members {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("%d more", len(l.Members)-3))
			break
		}
		if total > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", m, 100*float64(l.Parts[i])/total))
		}
	}
	return fmt.Sprintf("%s, shared by %s", names, strings.Join(parts, ", "))
}

// mapping prints what runs where.
func (t *textWriter) mapping(c *Candidate) {
	on := make(map[string][]string)
	var order []string
	for _, r := range c.Resources {
		order = append(order, r.Name)
	}
	for _, p := range c.Place {
		on[p.Resource] = append(on[p.Resource], p.Kernel)
	}
	var rows [][]string
	for _, r := range order {
		if len(on[r]) > 0 {
			for i, line := range wrap(on[r], 68) {
				name := r
				if i > 0 {
					name = ""
				}
				rows = append(rows, []string{name, line})
			}
		}
	}
	t.table("Mapping", []string{"resource", "kernels"}, rows)
}

// wrap joins names with commas into lines of about the given width.
func wrap(names []string, width int) []string {
	var lines []string
	line := ""
	for i, n := range names {
		if i+1 < len(names) {
			n += ","
		}
		if line != "" && len(line)+1+len(n) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += n
	}
	return append(lines, line)
}

// resources prints the load of resources and links, and the area in use.
func (t *textWriter) resources(c *Candidate) {
	var rates []float64
	for _, l := range c.Links {
		rates = append(rates, float64(l.Rate))
	}
	var rows [][]string
	for _, r := range c.Resources {
		if r.Members > 0 {
			rows = append(rows, []string{r.Name, fmt.Sprint(r.Members), units.Percent(float64(r.Utilization)), worth(r.Elasticity), r.Sharing + ", " + r.SharingOrigin, "", ""})
		}
	}
	scale := units.ScaleFor("B/s", rates...)
	for _, l := range c.Links {
		if l.Members > 0 {
			rows = append(rows, []string{l.Name, fmt.Sprint(l.Members), units.Percent(float64(l.Utilization)), worth(l.Elasticity), l.Sharing + ", " + l.SharingOrigin, scale.Format(float64(l.Rate)), l.Origin})
		}
	}
	t.table("Resources and links", []string{"name", "sharers", "utilization", "+10 % of it gives", "sharing, its source", scale.Heading("bandwidth"), "source"}, rows)
	rows = nil
	for _, r := range c.Resources {
		if r.Members == 0 {
			continue
		}
		for _, a := range r.Area {
			if a.Used == 0 && math.IsInf(float64(a.Usable), 1) {
				continue
			}
			part := "-"
			if a.Usable > 0 && !math.IsInf(float64(a.Usable), 1) {
				part = units.Percent(float64(a.Used / a.Usable))
			}
			rows = append(rows, []string{r.Name, a.Kind, plain(a.Used), plain(a.Usable), part, r.Origin})
		}
	}
	t.table("Area", []string{"resource", "kind", "used", "usable", "of usable", "source"}, rows)
}

// plain prints a count in full.
func plain(n Number) string {
	if math.IsInf(float64(n), 1) {
		return "unlimited"
	}
	return fmt.Sprintf("%.0f", float64(n))
}

// stations prints μ, λ and ρ of every kernel.
func (t *textWriter) stations(c *Candidate) {
	var all []float64
	for _, s := range c.Stations {
		all = append(all, float64(s.ArrivalRate))
		if !s.IsLink && s.ServiceRate < 1e15 {
			all = append(all, float64(s.ServiceRate))
		}
	}
	scale := units.ScaleFor("B/s", all...)
	var rows [][]string
	for _, s := range c.Stations {
		if s.IsLink {
			continue
		}
		rows = append(rows, []string{s.Name, s.On, scale.Format(float64(s.ServiceRate)), scale.Format(float64(s.SharedRate)), scale.Format(float64(s.ArrivalRate)),
			rho(s.Utilization), worth(s.Elasticity), s.Origin})
	}
	t.table("Kernels", []string{"kernel", "on", scale.Heading("μ alone"), scale.Heading("μ shared"), scale.Heading("λ"), "ρ", "+10 % of μ gives", "source of μ"}, rows)
}

func rho(n Number) string { return fmt.Sprintf("%.5f", float64(n)) }

// worth prints what ten percent more service brings, from the shadow price.
func worth(elasticity Number) string {
	if elasticity < 1e-9 {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 10*float64(elasticity))
}

// queues prints the buffers.
func (t *textWriter) queues(c *Candidate) {
	if len(c.Queues) == 0 {
		return
	}
	var flows []float64
	for _, q := range c.Queues {
		flows = append(flows, float64(q.Flow))
	}
	flow := units.ScaleFor("B/s", flows...)
	headings := []string{"edge", "before", flow.Heading("flow"), "element", "ρ"}
	// The papers' figure and the tail beside it; the result file has them all.
	const shown = 2
	for _, e := range c.Queues[0].Estimates[:min(shown, len(c.Queues[0].Estimates))] {
		headings = append(headings, "K "+e.Estimator, "size")
	}
	var rows [][]string
	for _, q := range c.Queues {
		row := []string{q.Edge, q.Before, flow.Format(float64(q.Flow)), units.Size(float64(q.ElementBytes)), rho(q.Utilization)}
		for _, e := range q.Estimates[:min(shown, len(q.Estimates))] {
			row = append(row, plain(e.Elements), units.Size(float64(e.Bytes)))
		}
		for len(row) < len(headings) {
			row = append(row, "-")
		}
		rows = append(rows, row[:len(headings)])
	}
	t.table("Buffers: K elements, the one in service included, for a probability of 1e-7", headings, rows)
}

// sources prints where the figures come from.
func (t *textWriter) sources(c *Candidate) {
	t.printf("\n%s\n", t.bold("Sources of the figures"))
	for _, x := range c.Citations {
		note := strings.TrimSpace(x.Note)
		if !strings.HasPrefix(note, x.Origin) {
			note = strings.TrimSpace(x.Origin + " " + note)
		}
		t.printf("  %3d  %s\n", x.Figures, note)
	}
}
