package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/internal/report"
	"xopt/internal/units"
)

// why tells what the first candidate's prediction is made of.
func why(r *report.Result) Section {
	s := Section{ID: "why", Title: "Why"}
	if len(r.Candidates) == 0 {
		return s
	}
	c := &r.Candidates[0]
	s.Intro = "Of the best mapping. Figures say where they come from; the others are predicted."
	s.Parts = append(s.Parts, Part{Table: resources(c)}, Part{Table: stations(c)}, Part{Table: load(c)},
		Part{Table: flows(r, c)})
	if t := area(c); t != nil {
		s.Parts = append(s.Parts, Part{Table: t})
	}
	if len(c.Otherwise) > 0 {
		t := &Table{ID: "sharing", Title: "What other sharing models would say", Columns: []Column{name("model"),
			number("throughput", "B/s"), number("difference", ""), name("why")}}
		for _, o := range c.Otherwise {
			t.Rows = append(t.Rows, Row{Cells: []Cell{text(o.Sharing), {Text: units.Rate(float64(o.Throughput)),
				Value: float64(o.Throughput), Valued: true}, signed(float64(o.Throughput/c.Throughput) - 1),
				text(o.Why)}})
		}
		s.Parts = append(s.Parts, Part{Table: t})
	}
	for i := range r.WhatIf {
		chart, table := whatIf(r, &r.WhatIf[i], i)
		s.Parts = append(s.Parts, Part{Chart: chart}, Part{Table: table})
	}
	return s
}

func worth(v report.Number) Cell {
	if v == 0 {
		return Cell{Text: "-", Valued: true}
	}
	return signed(float64(v))
}

func resources(c *report.Candidate) *Table {
	var rates []float64
	for _, l := range c.Links {
		rates = append(rates, float64(l.Rate))
	}
	rate := scaleOf("B/s", rates...)
	t := &Table{ID: "resources", Title: "Resources and links: what 10 % faster gives, in throughput",
		Columns: []Column{name("name"), number("sharers", ""), number("utilization", ""), number("10 % faster gives",
			""), name("sharing"), rate.column("bandwidth")}}
	for i, list := range [][]report.Share{c.Resources, c.Links} {
		for _, x := range list {
			if x.Members == 0 {
				continue
			}
			row := Row{Hot: x.Utilization > hot, Cells: []Cell{text(x.Name), whole(float64(x.Members)),
				bar(x.Utilization), worth(x.TenPercent), text(x.Sharing).marked(x.SharingOrigin), text("")}}
			if i == 1 {
				row.Cells[5] = rate.cell(x.Rate).marked(x.Origin)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// load is what every kernel and edge takes of its resource or link, part by part.
func load(c *report.Candidate) *Table {
	columns, rows := c.Load()
	t := &Table{ID: "load", Title: "Load: the parts of each utilization, which add up to it where time is shared",
		Columns: []Column{name("on"), name("of")}}
	for _, x := range columns {
		t.Columns = append(t.Columns, number(x+" (%)", "%"))
	}
	t.Columns = append(t.Columns, number("total (%)", "%"))
	for _, r := range rows {
		of := r.Of
		if of == "" {
			of = "all"
		}
		row := Row{Hot: r.Total > hot, Cells: []Cell{text(r.On), text(of)}}
		for _, x := range append(slices.Clone(r.Parts), r.Total) {
			row.Cells = append(row.Cells, compact(100*float64(x)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func stations(c *report.Candidate) *Table {
	var rates []float64
	for _, s := range c.Stations {
		if !s.IsLink {
			rates = append(rates, float64(s.SharedRate), float64(s.ArrivalRate))
		}
	}
	rate := scaleOf("B/s", rates...)
	t := &Table{ID: "kernels", Title: "Kernels: service rate μ alone and shared, arrival rate λ, utilization ρ",
		Columns: []Column{name("kernel"), name("on"), rate.column("μ alone"), rate.column("μ shared"), rate.column("λ"),
			number("ρ", ""), number("10 % faster gives", ""), name("where μ is from")}}
	for _, s := range c.Stations {
		if s.IsLink {
			continue
		}
		t.Rows = append(t.Rows, Row{Hot: s.Utilization > hot, Cells: []Cell{text(s.Name), text(s.On),
			rate.cell(s.ServiceRate).marked(s.Origin), rate.cell(s.SharedRate), rate.cell(s.ArrivalRate),
			bar(s.Utilization), worth(s.TenPercent), text(s.Note)}})
	}
	return t
}

func flows(r *report.Result, c *report.Candidate) *Table {
	flow := make(map[string]float64)
	var rates []float64
	for i := range c.Queues {
		flow[c.Queues[i].Edge] = float64(c.Queues[i].Flow)
		rates = append(rates, float64(c.Queues[i].Flow))
	}
	rate := scaleOf("B/s", rates...)
	t := &Table{ID: "edges", Title: "Edges: flow, routing R, element", Columns: []Column{name("edge"), name("from"),
		name("to"), rate.column("flow"), number("R", ""), name("element"), number("bytes", "B"), name("over")}}
	out, links := make(map[string]int), make(map[string][]string)
	for _, e := range r.Edges {
		out[e.From]++
	}
	for _, x := range c.Routes {
		links[x.Edge] = x.Links
	}
	for _, e := range r.Edges {
		over := strings.Join(links[e.Name], ", ")
		routing := Cell{Text: "-", Value: 1, Valued: true} // all of it
		if out[e.From] > 1 {
			routing = Cell{Text: fmt.Sprintf("%.4g", float64(e.Routing)), Value: float64(e.Routing),
				Valued: true}.marked(e.RoutingOrigin)
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{text(e.Name), text(e.From + "." + e.FromPort),
			text(e.To + "." + e.ToPort), rate.cell(report.Number(flow[e.Name])), routing, text(e.Element),
			whole(float64(e.ElementBytes)), text(over)}})
	}
	return t
}

func area(c *report.Candidate) *Table {
	t := &Table{ID: "area", Title: "FPGA area", Columns: []Column{name("FPGA"), name("kind"), number("used", ""),
		number("may be used", ""), number("in use", "")}}
	for _, x := range c.Resources {
		for _, a := range x.Area {
			row := Row{Cells: []Cell{text(x.Name), text(a.Kind), whole(float64(a.Used)),
				whole(float64(a.Usable)).marked(x.Origin), text("-")}}
			if a.Usable > 0 && !math.IsInf(float64(a.Usable), 1) {
				row.Cells[4] = bar(a.Used / a.Usable)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// whatIf shows what changing one thing brings, as a chart and a table.
func whatIf(r *report.Result, w *report.WhatIf, i int) (*Chart, *Table) {
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
	value, rate := scaleOf(w.Unit, float64(w.Now)), scaleOf("B/s", rates...)
	axis := w.Name + " (times what it is)"
	if w.Unit != "" {
		axis = value.scale.Heading(w.Name)
	}
	chart := &Chart{ID: id, Title: "Throughput against the " + w.Name + ", predicted", X: Axis{Name: axis, Log: true},
		Y: Axis{Name: rate.scale.Heading("throughput")}}
	table := &Table{ID: id + "-table", Title: "The same in numbers", Columns: []Column{{Name: axis, Unit: w.Unit,
		Number: true}}, Note: "The row that stands out is as it is now.", Folded: true}
	x := make([]float64, len(values))
	for j, v := range values {
		x[j] = value.scale.Of(v)
		row := Row{Hot: j == len(values)/2, Cells: []Cell{value.cell(report.Number(v))}}
		if row.Hot {
			row.Cells[0] = row.Cells[0].marked(w.Origin)
		}
		table.Rows = append(table.Rows, row)
	}
	var seen [][]report.Number
	for c, list := range w.Throughput {
		if c >= len(r.Candidates) {
			break
		}
		same := slices.ContainsFunc(seen, func(s []report.Number) bool { return slices.Equal(s, list) })
		if same {
			continue // one line says it for both
		}
		seen = append(seen, list)
		label := "mapping " + r.Candidates[c].Name
		y := make([]float64, len(list))
		table.Columns = append(table.Columns, rate.column(label))
		for j, v := range list {
			y[j] = rate.of(v)
			table.Rows[j].Cells = append(table.Rows[j].Cells, rate.cell(v))
		}
		chart.Series = append(chart.Series, Series{Name: label, Kind: Line, X: x, Y: y})
	}
	now := len(values) / 2
	if len(w.Throughput) > 0 && now < len(w.Throughput[0]) {
		chart.Series = append(chart.Series, Series{Name: "as it is", Kind: Markers, X: []float64{x[now]},
			Y: []float64{rate.of(w.Throughput[0][now])}, Labels: []string{"as it is"}})
	}
	return chart, table
}
