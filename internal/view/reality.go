package view

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"xopt/internal/report"
)

// reality holds predictions against runs (Beard 2013, Figs. 14-20).
func reality(r *report.Result) Section {
	s := Section{ID: "reality", Title: "Prediction against reality"}
	v := r.Validation
	if v == nil {
		return s
	}
	if v.Simulated {
		s.Intro = "Mappings that need an FPGA ran in virtual time: kernels on cores natively, those on FPGAs in RTL " +
			"simulation."
	}
	s.Parts = append(s.Parts, Part{Table: errors(v)}, Part{Table: cases(v)}, Part{Table: worst(v)})
	s.Parts = append(s.Parts, Part{Chart: scatter(v, "throughputs", "Throughput of each mapping")},
		Part{Chart: scatter(v, "flows", "Flow on every edge of every mapping")}, Part{Chart: errorHistogram(v)})
	if t := shares(v); t != nil {
		s.Parts = append(s.Parts, Part{Table: t})
	}
	if t := queues(v); t != nil {
		s.Parts = append(s.Parts, Part{Table: t})
	}
	return s
}

func errors(v *report.Validation) *Table {
	x := &v.Summary
	t := &Table{ID: "errors", Title: fmt.Sprintf("Errors over %d mappings", x.Cases), Columns: []Column{name("of"),
		number("mean", ""), number("median", ""), number("95 %", ""), number("worst", ""), number("R²", ""),
		number("Kendall τ", ""), number("first choice slower than the best by", "")}}
	p := func(f float64) Cell { return percent(report.Number(f)) }
	n := func(f float64) Cell { return Cell{Text: fmt.Sprintf("%.5f", f), Value: f, Valued: true} }
	t.Rows = []Row{
		{Cells: []Cell{text("throughput"), p(x.Mean), p(x.Median), p(x.P95), p(x.Worst), text(""), n(x.Kendall),
			p(x.Regret)}},
		{Cells: []Cell{text("flows on edges"), text(""), p(x.EdgeMedian), p(x.EdgeP95), text(""), n(x.RSquare),
			text(""), text("")}},
		{Cells: []Cell{text("throughput under equal sharing"), p(x.EqualMean), p(x.EqualMedian), p(x.EqualP95),
			p(x.EqualWorst), n(x.EqualRSquare), text(""), text("")}},
	}
	return t
}

func cases(v *report.Validation) *Table {
	var rates []float64
	for i := range v.Cases {
		rates = append(rates, float64(v.Cases[i].Predicted), float64(v.Cases[i].Measured))
	}
	rate := scaleOf("B/s", rates...)
	t := &Table{ID: "cases", Title: "Mappings", Columns: []Column{name("mapping"), rate.column("predicted"),
		rate.column(verb(v)), number("error", ""), number("busiest", ""), name("predicted bottleneck"),
		name("most used"), name("deviates most")}}
	for i := range v.Cases {
		c := &v.Cases[i]
		row := Row{Cells: []Cell{text(c.Name), rate.cell(c.Predicted), text("failed"), text("-"), text("-"),
			text(strings.Join(c.Bottleneck, ", ")), text("-"), text(c.Fail)}}
		if c.Candidate >= 0 {
			row.Link = candidateID(c.Candidate)
		}
		if c.Fail == "" {
			most := c.MostUsed
			if !c.Holds {
				most += " (not as predicted)"
			}
			slow := ""
			if c.Slow != "" {
				slow = fmt.Sprintf("%s took %.2f times its μ", c.Slow, float64(c.SlowRatio))
			}
			row.Cells[2], row.Cells[3], row.Cells[4], row.Cells[6], row.Cells[7] = rate.cell(c.Measured),
				signed(c.Error()), percent(c.Busiest), text(most), text(slow)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// shownWorst is how many of the greatest errors are explained.
const shownWorst = 10

func measuredCases(v *report.Validation) []*report.ValidatedCase {
	var list []*report.ValidatedCase
	for i := range v.Cases {
		if c := &v.Cases[i]; c.Fail == "" && c.Measured > 0 {
			list = append(list, c)
		}
	}
	return list
}

// worst are the greatest errors, with the assumption that fails.
func worst(v *report.Validation) *Table {
	list := measuredCases(v)
	sort.SliceStable(list, func(i, j int) bool { return math.Abs(list[i].Error()) > math.Abs(list[j].Error()) })
	t := &Table{ID: "worst", Title: "The greatest errors, and which assumption fails",
		Columns: []Column{name("mapping"), number("error", ""), name("why")}}
	for _, c := range list[:min(len(list), shownWorst)] {
		why := c.Reason
		if why == "" {
			why = "below 3 %: not looked for"
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{text(c.Name), signed(c.Error()), text(why)}})
	}
	return t
}

// scatter draws what was predicted against what was measured.
func scatter(v *report.Validation, id, title string) *Chart {
	var predicted, measured []float64
	var labels []string
	for _, c := range measuredCases(v) {
		if id == "throughputs" {
			predicted, measured, labels = append(predicted, float64(c.Predicted)),
				append(measured, float64(c.Measured)), append(labels, c.Name)
			continue
		}
		for _, e := range c.Edges {
			if e.Measured > 0 && e.Predicted > 0 {
				predicted, measured, labels = append(predicted, float64(e.Predicted)),
					append(measured, float64(e.Measured)), append(labels, c.Name+", "+e.Edge)
			}
		}
	}
	rate := scaleOf("B/s", append(slices.Clone(predicted), measured...)...)
	s := Series{Name: "mappings", Kind: Points, Labels: labels}
	for i := range predicted {
		s.X, s.Y = append(s.X, rate.scale.Of(measured[i])), append(s.Y, rate.scale.Of(predicted[i]))
	}
	if id == "flows" {
		s.Name = "edges"
		title += fmt.Sprintf(", R² = %.5f", v.Summary.RSquare)
	}
	return &Chart{ID: "scatter-" + id, Title: title, X: Axis{Name: rate.scale.Heading(verb(v))},
		Y: Axis{Name: rate.scale.Heading("predicted")}, Diagonal: true, Series: []Series{s}}
}

// errorHistogram has the axes of Beard 2013, Figs. 15 and 18.
func errorHistogram(v *report.Validation) *Chart {
	const width = 0.02
	counts := make(map[int]float64)
	low, high, n := 0, 0, 0.0
	for _, c := range measuredCases(v) {
		if e := c.Error(); !math.IsInf(e, 0) && !math.IsNaN(e) {
			bin := int(math.Floor(math.Max(-1, math.Min(1, e))/width + 0.5))
			counts[bin]++
			low, high, n = min(low, bin), max(high, bin), n+1
		}
	}
	c := &Chart{ID: "error-histogram", Title: "Errors of the throughput", X: Axis{Name: "(predicted - " + verb(v) +
		") / " + verb(v) + " (%)"}, Y: Axis{Name: "mappings"}}
	s := Series{Name: "mappings", Kind: Bars}
	for bin := low - 1; bin <= high+1; bin++ {
		c.X.Categories = append(c.X.Categories, fmt.Sprintf("%+.0f", 100*width*float64(bin)))
		s.X, s.Y = append(s.X, float64(len(s.X))), append(s.Y, counts[bin])
	}
	c.Series = []Series{s}
	return c
}

func shares(v *report.Validation) *Table {
	t := &Table{ID: "shares", Title: "Where the error comes from",
		Note: "Cores: kernels took another time than their figures say; links; FPGAs, queues and all else.",
		Columns: []Column{name("mapping"), number("error", ""), number("cores", ""), number("links", ""),
			number("FPGAs, queues", "")}}
	for _, c := range measuredCases(v) {
		if c.Shares != nil {
			t.Rows = append(t.Rows, Row{Cells: []Cell{text(c.Name), signed(c.Error()), signed(c.Shares.Cores),
				signed(c.Shares.Links), signed(c.Shares.FPGA)}})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// queues compares the sizes of Eq. 8 with the most that was seen, of the first mapping.
func queues(v *report.Validation) *Table {
	list := measuredCases(v)
	if len(list) == 0 || len(list[0].Queues) == 0 {
		return nil
	}
	t := &Table{ID: "queues", Title: "Queues of " + list[0].Name + ", in elements: the M/M/1 size (Beard 2013, Eq. " +
		"8) and the most that was seen in looks every 10 ms", Columns: []Column{name("before"), number("predicted", ""),
		number(verb(v), ""), number("buffer", ""), number("ρ", ""), name("")}}
	for _, q := range list[0].Queues {
		if q.Predicted == 0 {
			continue
		}
		note := ""
		if q.Measured > q.Predicted {
			note = "above"
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{text(q.Kernel), whole(float64(q.Predicted)),
			whole(float64(q.Measured)), whole(float64(q.Buffer)), bar(q.Utilization), text(note)}})
	}
	return t
}
