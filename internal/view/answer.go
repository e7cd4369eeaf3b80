package view

import (
	"slices"
	"strings"

	"xopt/internal/report"
	"xopt/internal/units"
)

// answer is the best mapping: drawn, its next bottlenecks, its buffers, its code.
func answer(r *report.Result) Section {
	s := Section{ID: "answer", Title: "The answer"}
	if len(r.Candidates) == 0 {
		if m := r.Measured; m != nil && len(m.Place) > 0 {
			s.Title = "The mapping"
			s.Parts = append(s.Parts, Part{Drawing: &Drawing{ID: "mapping", Title: "What ran where: kernels " +
				"coloured by utilization, edges as wide as what they carried; measured", Graph: drawMeasured(r)}})
		}
		return s
	}
	c := &r.Candidates[0]
	s.Parts = append(s.Parts, Part{Drawing: &Drawing{ID: "mapping", Title: "What runs where: boxes are resources, " +
		"coloured by utilization; edges are as wide as their flow; the bottleneck is red", Graph: draw(r, c)}})
	s.Parts = append(s.Parts, Part{Table: steps(c)})
	if t := buffers(c); t != nil {
		s.Parts = append(s.Parts, Part{Table: t})
	}
	if c.Code != "" {
		s.Parts = append(s.Parts, Part{Code: &Code{ID: "code", Title: "The mapping in X", Text: c.Code}})
	}
	return s
}

// shownSteps is how many bottlenecks after another are told.
const shownSteps = 4

// steps are the bottlenecks, and what resolving each would bring.
func steps(c *report.Candidate) *Table {
	rate := scaleOf("B/s", float64(c.Throughput)) // what is far off must not make it 0.0something
	t := &Table{ID: "bottlenecks", Title: "Bottlenecks, one after the other",
		Columns: []Column{number("", ""), name("limited by"), rate.column("throughput"), rate.column("resolved, it is"),
			number("that brings", ""), name("shared by")}}
	for i := range c.Bottlenecks[:min(len(c.Bottlenecks), shownSteps)] {
		b := &c.Bottlenecks[i]
		row := Row{Hot: i == 0, Cells: []Cell{whole(float64(i + 1)), text(report.LimitNames(c.Bottlenecks, i)),
			rate.cell(b.Throughput), text("-"), text("-"), text(sharers(b))}}
		if i+1 < len(c.Bottlenecks) {
			next := c.Bottlenecks[i+1].Throughput
			row.Cells[3], row.Cells[4] = rate.cell(next), signed(float64(next/b.Throughput)-1)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sharers tells who shares what limits a step.
func sharers(b *report.Step) string {
	var parts []string
	for i := range b.Limits {
		l := &b.Limits[i]
		by := l.Shared()
		if by != "" && len(b.Limits) > 1 {
			by = l.Name + ": " + by
		}
		if by != "" {
			parts = append(parts, by)
		}
	}
	return strings.Join(parts, "; ")
}

// buffers are the sizes to allocate.
func buffers(c *report.Candidate) *Table {
	if len(c.Queues) == 0 {
		return nil
	}
	var flows []float64
	var names []string
	given := false
	for i := range c.Queues {
		q := &c.Queues[i]
		flows = append(flows, float64(q.Flow))
		given = given || q.Given != nil
		for _, e := range q.Estimates {
			if !slices.Contains(names, e.Estimator) {
				names = append(names, e.Estimator)
			}
		}
	}
	flow := scaleOf("B/s", flows...)
	t := &Table{ID: "buffers", Title: "Buffers to allocate: K, the element in service included",
		Columns: []Column{name("edge"), name("before"), flow.column("flow"), number("element (B)", "B"),
			number("ρ", "")}}
	t.Columns = append(t.Columns, number("recommended (elements)", ""), number("size", "B"), name("by"), name("level"))
	for _, n := range names {
		t.Columns = append(t.Columns, number(n+" (elements)", ""), number("size", "B"))
	}
	if given {
		t.Columns = append(t.Columns, number("given (elements)", ""))
	}
	for i := range c.Queues {
		q := &c.Queues[i]
		row := Row{Hot: q.Utilization > hot, Cells: []Cell{text(q.Edge), text(q.Before), flow.cell(q.Flow),
			whole(float64(q.ElementBytes)), bar(q.Utilization)}}
		if s := q.Recommended; s != nil {
			row.Cells = append(row.Cells, whole(float64(s.Elements)), Cell{Text: units.Size(float64(s.Bytes)),
				Value: float64(s.Bytes), Valued: true}, text(s.Estimator), text(s.Level))
		} else {
			row.Cells = append(row.Cells, text("-"), text("-"), text("-"), text("-"))
		}
		for _, n := range names {
			at := slices.IndexFunc(q.Estimates, func(e report.Estimate) bool { return e.Estimator == n })
			if at < 0 {
				row.Cells = append(row.Cells, text("-"), text("-"))
				continue
			}
			e := q.Estimates[at]
			row.Cells = append(row.Cells, whole(float64(e.Elements)), Cell{Text: units.Size(float64(e.Bytes)),
				Value: float64(e.Bytes), Valued: true})
		}
		if given {
			if q.Given != nil {
				row.Cells = append(row.Cells, whole(float64(q.Given.Elements)))
			} else {
				row.Cells = append(row.Cells, text("-"))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// hot is the utilization from which a row stands out.
const hot = 0.999
