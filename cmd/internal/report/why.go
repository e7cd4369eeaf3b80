package report

import (
	"fmt"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// why returns the page section with the details of the first candidate's prediction.
func why(r *result.Result) Section {
	s := Section{ID: "why", Title: "Why"}
	if len(r.Candidates) == 0 {
		return s
	}
	c := &r.Candidates[0]
	s.Intro = "Figures of the best mapping. Letters mark measured, simulated, published or assumed inputs; " +
		"unmarked figures are predicted."
	s.Parts = tableParts(resources(c))
	s.Parts = append(append(s.Parts, tableParts(stations(c))...), blocks(c)...)
	s.Parts = append(s.Parts, tableParts(load(c), inPlace(c), flows(r, c), area(c), alternatives(c))...)
	var numbers []Part // the tables follow the charts, which are side by side
	for i := range r.WhatIf {
		chart, table := whatIf(r, &r.WhatIf[i], i)
		s.Parts, numbers = append(s.Parts, Part{Chart: chart}), append(numbers, Part{Table: table})
	}
	s.Parts = append(s.Parts, numbers...)
	return s
}

// tableParts converts tables to parts. It omits nil tables and tables without rows.
func tableParts(tables ...*Table) []Part {
	var parts []Part
	for _, t := range tables {
		if t != nil && len(t.Rows) > 0 {
			parts = append(parts, Part{Table: t})
		}
	}
	return parts
}

// alternatives shows the predictions under other sharing rules.
func alternatives(c *result.Candidate) *Table {
	t := &Table{ID: "sharing", Title: "Throughput under other sharing rules", Figures: "predicted",
		Columns: []Column{name("sharing rule"), rate("throughput").own(),
			number("difference").about("relative to the predicted throughput with unlimited buffers"),
			name("why").fold(anyLength)}}
	for _, o := range c.Alternatives {
		t.add(text(o.Sharing), figure(o.Throughput), signed(o.Throughput/c.Unlimited()-1), text(o.Why))
	}
	return t.scaled()
}

func flows(r *result.Result, c *result.Candidate) *Table {
	flow := make(map[string]result.Number)
	for i := range c.Queues {
		flow[c.Queues[i].Edge] = c.Queues[i].Flow
	}
	t := &Table{ID: "edges", Title: "Edges", Figures: "predicted", Columns: []Column{name("edge"), name("from"),
		name("to"),
		rate("flow"), number("R").about("routing: fraction of the kernel's output that the edge " +
			"carries"), name("element"),
		counted("size", "bytes"), name("links").about("links that the edge crosses")}}
	out, links := make(map[string]int), make(map[string][]string)
	for _, e := range candidateEdges(r, c) {
		out[e.From]++
	}
	for _, x := range c.Routes {
		links[x.Edge] = x.Links
	}
	for _, e := range candidateEdges(r, c) {
		routing := Cell{Text: "-", Value: 1, Valued: true} // all of it
		if out[e.From] > 1 {
			routing = digits(e.Routing, 3).from(e.RoutingOrigin)
		}
		t.add(text(e.Name), text(e.From+"."+e.FromPort), text(e.To+"."+e.ToPort), figure(flow[e.Name]), routing,
			text(e.Element), integer(e.ElementBytes), text(strings.Join(links[e.Name], ", ")))
	}
	return t.scaled()
}

// whatIf shows the effect of one change as a chart and a table.
func whatIf(r *result.Result, w *result.WhatIf, i int) (*Chart, *Table) {
	id := fmt.Sprintf("whatif-%d", i+1)
	var values, rates []float64
	for _, v := range w.Values {
		values = append(values, float64(v))
	}
	for _, list := range w.Throughput {
		for _, v := range list {
			rates = append(rates, float64(v))
		}
	}
	varied, scale := scaleOf(w.Unit, float64(w.Now)), scaleOf("B/s", rates...)
	column := Column{Name: w.Name, Unit: w.Unit, Shown: varied.Unit(), Number: true}
	if w.Unit == "" {
		column.Shown = "times the present value"
	}
	chart := &Chart{ID: id, Title: "Throughput versus the " + w.Name + ", predicted",
		X: Axis{Name: column.Heading(), Log: true}, Y: Axis{Name: scale.Heading("throughput")}}
	table := &Table{ID: id + "-table", Title: chart.Title + ", as numbers", Columns: []Column{column},
		Note: "The highlighted row is the present value.", Folded: true}
	x := make([]float64, len(values))
	for j, v := range values {
		x[j] = varied.Of(v)
		row := table.add(value(varied.Format(v), v))
		if row.Hot = j == len(values)/2; row.Hot {
			row.Cells[0].Origin = w.Origin
		}
	}
	var seen [][]result.Number
	for c, list := range w.Throughput {
		if c >= len(r.Candidates) {
			break
		}
		same := slices.IndexFunc(seen, func(s []result.Number) bool { return slices.Equal(s, list) })
		if same >= 0 { // both lines coincide
			x := &chart.Series[same].Name
			*x = strings.Replace(*x, "mapping ", "mappings ", 1) + " = " + r.Candidates[c].Name
			table.Columns[1+same].Name = *x
			continue
		}
		seen = append(seen, list)
		label := "mapping " + r.Candidates[c].Name
		y := make([]float64, len(list))
		table.Columns = append(table.Columns, rate(label))
		for j, v := range list {
			y[j] = scale.Of(float64(v))
			table.Rows[j].Cells = append(table.Rows[j].Cells, figure(v))
		}
		chart.Series = append(chart.Series, Series{Name: label, Kind: Line, X: x, Y: y, Mapping: c + 1})
	}
	if len(seen) < min(len(w.Throughput), len(r.Candidates)) {
		chart.Note = "Mappings connected by = have the same throughput everywhere, and share one line."
	}
	now := len(values) / 2
	if len(w.Throughput) > 0 && now < len(w.Throughput[0]) {
		chart.Series = append(chart.Series, Series{Name: "unchanged", Kind: Markers, X: []float64{x[now]},
			Y: []float64{scale.Of(float64(w.Throughput[0][now]))}, Labels: []string{"unchanged"}})
		chart.Limits = append(chart.Limits, Limit{"now", x[now], true})
	}
	return chart, table.scaled()
}

// maxFirings is the maximum number of kernels named for an iteration.
const maxFirings = 8

// iteration adds the iteration rate of an application with static counts.
func (p *script) iteration(x *result.Iteration) {
	if x != nil {
		rate, fires := iterationWords(x)
		p.lead("Iterations", "%s; %s", rate, fires)
	}
}

// iterationWords describes the iteration rate and the firings per iteration.
func iterationWords(x *result.Iteration) (rate, fires string) {
	var parts []string
	for _, f := range x.Firings {
		parts = append(parts, fmt.Sprintf("%s %d", f.Kernel, f.Times))
	}
	return units.Count(float64(x.Rate)) + "/s", "firings per iteration: " +
		strings.Join(first(parts, maxFirings), ", ")
}
