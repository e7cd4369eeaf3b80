package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/internal/report"
	"xopt/internal/units"
)

// candidateID is what rows and points of a candidate lead to.
func candidateID(i int) string { return fmt.Sprintf("candidate-%d", i+1) }

// worth of a candidate, beside its throughput: what a designer gives for it.
type price struct {
	id, title string
	axis      string
	unit      string
	of        func(r *report.Result, c *report.Candidate) float64 // NaN for none
}

func prices() []price {
	return []price{
		{"cores", "Cores in use", "cores", "", func(r *report.Result, c *report.Candidate) float64 {
			n := 0
			for _, s := range c.Resources {
				if s.Members > 0 && len(s.Area) == 0 {
					n++
				}
			}
			return float64(n)
		}},
		{"area", "FPGA area in use", "of what may be used, fullest kind and FPGA (%)", "", func(r *report.Result,
			c *report.Candidate) float64 {
			most, any := 0.0, false
			for _, s := range c.Resources {
				for _, a := range s.Area {
					if a.Usable > 0 && !math.IsInf(float64(a.Usable), 1) {
						any = true
						most = math.Max(most, 100*float64(a.Used/a.Usable))
					}
				}
			}
			if !any {
				return math.NaN()
			}
			return most
		}},
		{"buffers", "Buffer memory", "recommended size of all buffers", "B", func(r *report.Result,
			c *report.Candidate) float64 {
			return bufferBytes(c)
		}},
		{"latency", "Latency", "mean of the longest path at 90 % of the throughput, the filling of joins and " +
			"transfers included", "s", func(r *report.Result, c *report.Candidate) float64 {
			if c.Latency == nil {
				return math.NaN()
			}
			return float64(c.Latency.Seconds)
		}},
		{"energy", "Energy", "for each byte, by the powers stated", "J",
			stated(func(m *report.Measures) report.Number { return m.Energy })},
		{"price", "Price", "of the resources in use, as stated ($/h)", "",
			stated(func(m *report.Measures) report.Number { return m.Price })},
	}
}

// stated reads a measure that rests on what the files state; NaN where they do not.
func stated(of func(*report.Measures) report.Number) func(*report.Result, *report.Candidate) float64 {
	return func(_ *report.Result, c *report.Candidate) float64 {
		if c.Measures == nil || of(c.Measures) == 0 {
			return math.NaN()
		}
		return float64(of(c.Measures))
	}
}

// candidates compares them.
func candidates(r *report.Result) Section {
	s := Section{ID: "candidates", Title: "Candidates", Intro: "Every figure is predicted."}
	if len(r.Candidates) < 2 {
		return s
	}
	best := &r.Candidates[0]
	var rates, sizes, times []float64
	latency, rounds := false, false // rounds: whether some elements wait longer than the mean for others
	for i := range r.Candidates {
		c := &r.Candidates[i]
		rates, sizes = append(rates, float64(c.Throughput)), append(sizes, bufferBytes(c))
		if c.Latency != nil {
			latency = true
			times = append(times, float64(c.Latency.Seconds))
			rounds = rounds || c.Latency.Worst > c.Latency.Seconds*(1+1e-9)
		}
	}
	rate, size, time := scaleOf("B/s", rates...), scaleOf("B", sizes...), scaleOf("s", times...)
	list := prices()
	area := list[1].of(r, best)
	t := &Table{ID: "candidate-table", Title: "Candidates, best first", Columns: []Column{name("mapping"),
		rate.column("throughput"), number("below the best", ""), name("bottleneck"), number("cores", "")}}
	if !math.IsNaN(area) {
		t.Columns = append(t.Columns, number("area (%)", "%"))
	}
	t.Columns = append(t.Columns, size.column("buffers"))
	if latency {
		t.Columns = append(t.Columns, time.column("latency at 90 %"))
	}
	if rounds {
		t.Columns = append(t.Columns, time.column("of who waits longest"))
	}
	var more []price // that rest on what the files state
	for _, p := range list[4:] {
		if v := p.of(r, best); !math.IsNaN(v) {
			more = append(more, p)
			t.Columns = append(t.Columns, number(p.id, p.unit))
		}
	}
	robust := r.Search != nil && r.Search.Robust != nil
	if robust {
		t.Title = "Candidates, by what is sure of their throughput"
		t.Columns = append(t.Columns,
			rate.column(fmt.Sprintf("%.3g %% quantile", 100*float64(r.Search.Robust.Quantile))),
			number("behind the best, of draws", ""))
	}
	if r.Search != nil && len(r.Search.Objectives) > 1 {
		t.Title = "Front, by " + r.Search.Objectives[0]
	}
	t.Columns = append(t.Columns, name("unlike the best"))
	for i := range r.Candidates {
		c := &r.Candidates[i]
		row := Row{Link: candidateID(i), Hot: i == 0, Cells: []Cell{text(c.Name), rate.cell(c.Throughput),
			signed(float64(c.Throughput/best.Throughput) - 1), text(report.LimitNames(c.Bottlenecks, 0)),
			whole(list[0].of(r, c))}}
		if !math.IsNaN(area) {
			row.Cells = append(row.Cells, compact(list[1].of(r, c)))
		}
		row.Cells = append(row.Cells, size.cell(report.Number(bufferBytes(c))))
		if latency {
			if c.Latency != nil {
				row.Cells = append(row.Cells, time.cell(c.Latency.Seconds))
			} else {
				row.Cells = append(row.Cells, text("-"))
			}
		}
		if rounds {
			if c.Latency != nil {
				row.Cells = append(row.Cells, time.cell(c.Latency.Worst))
			} else {
				row.Cells = append(row.Cells, text("-"))
			}
		}
		for _, p := range more {
			if v := p.of(r, c); p.id == "energy" {
				row.Cells = append(row.Cells, Cell{Text: units.Energy(v) + "/B", Value: v, Valued: true})
			} else {
				row.Cells = append(row.Cells, Cell{Text: fmt.Sprintf("%.4g $/h", v), Value: v, Valued: true})
			}
		}
		if x := c.Robustness; robust && x != nil {
			row.Cells = append(row.Cells, rate.cell(x.Low), percent(x.Behind))
		} else if robust {
			row.Cells = append(row.Cells, text("-"), text("-"))
		}
		row.Cells = append(row.Cells, text(c.Moved(best)))
		t.Rows = append(t.Rows, row)
	}
	s.Parts = append(s.Parts, Part{Table: t})
	for _, p := range list {
		if chart := pareto(r, p, rate); chart != nil {
			s.Parts = append(s.Parts, Part{Chart: chart})
		}
	}
	for i := range r.Candidates {
		if c := &r.Candidates[i]; c.Code != "" {
			s.Parts = append(s.Parts, Part{Code: &Code{ID: candidateID(i), Title: fmt.Sprintf("Mapping %s, %s", c.Name,
				units.Rate(float64(c.Throughput))), Text: c.Code, Folded: true}})
		}
	}
	return s
}

// pareto draws throughput against what it costs; those that no other beats in both stand
// out.
func pareto(r *report.Result, p price, rate scaledColumn) *Chart {
	var costs []float64
	for i := range r.Candidates {
		v := p.of(r, &r.Candidates[i])
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		costs = append(costs, v)
	}
	if slices.Min(costs) == slices.Max(costs) {
		return nil // it costs the same whatever the mapping
	}
	cost := scaleOf(p.unit, costs...)
	axis := p.axis
	if p.unit != "" {
		axis = cost.scale.Heading(p.axis)
	}
	all, front := Series{Name: "others", Kind: Points}, Series{Name: "no other has more for as little", Kind: Markers}
	for i := range r.Candidates {
		beaten := false
		for j := range r.Candidates {
			a, b := r.Candidates[j].Throughput, r.Candidates[i].Throughput
			beaten = beaten || a >= b && costs[j] <= costs[i] && (a > b || costs[j] < costs[i])
		}
		to := &front
		if beaten {
			to = &all
		}
		to.X, to.Y = append(to.X, cost.scale.Of(costs[i])), append(to.Y, rate.of(r.Candidates[i].Throughput))
		to.Labels, to.Links = append(to.Labels, "mapping "+r.Candidates[i].Name), append(to.Links, candidateID(i))
	}
	return &Chart{ID: "pareto-" + p.id, Title: "Throughput against " + lower(p.title) + ", predicted",
		X: Axis{Name: axis}, Y: Axis{Name: rate.scale.Heading("throughput")}, Series: []Series{front, all}}
}

func lower(s string) string {
	if len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
