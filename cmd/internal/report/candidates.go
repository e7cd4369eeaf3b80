package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"xopt/deploy/validate"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/result"
)

// candidateID returns the anchor of a candidate, for links from rows and points.
func candidateID(i int) string { return fmt.Sprintf("candidate-%d", i+1) }

// price is a cost of a candidate that a designer weighs against throughput.
type price struct {
	id, title string
	axis      string
	unit      string
	column    Column
	cell      func(v float64) Cell
	of        func(r *result.Result, c *result.Candidate) float64 // NaN if the candidate has no such cost
}

// searchedLatency returns the latency column of a search. Its heading contains the load.
func searchedLatency(s *result.Search, c Column) Column {
	if c.Name = latencyHeading; s.MinThroughput > 0 {
		c.Name = "latency at " + units.Rate(float64(s.MinThroughput))
	}
	return c.about(latencyMeaning)
}

// latencyHeading is the heading of latencies at the default load.
const latencyHeading = "latency at 90 %"

const latencyMeaning = "mean critical-path latency at 90 % of the throughput, including join and transfer delays"

// wanted reports whether a price is an objective of the search. Objectives have a column of their own.
func (p *price) wanted(objectives []string) bool {
	name := p.id
	if name == "price" {
		name = mapper.Cost.String()
	}
	return slices.Contains(objectives, name)
}

// coresMeaning defines the number of cores.
const coresMeaning = "cores and FPGAs that run kernels"

func prices() []price {
	return []price{
		{"cores", "Resources in use", coresMeaning, "",
			number("cores").about(coresMeaning), integer[float64],
			func(_ *result.Result, c *result.Candidate) float64 { return float64(inUseCount(c)) }},
		{"area", "FPGA area in use", "utilization of the scarcest FPGA resource (%)", "", number("area"),
			func(v float64) Cell { return percent(v / 100) }, func(r *result.Result, c *result.Candidate) float64 {
				maximum, any := 0.0, false
				for _, s := range c.Resources {
					for _, a := range s.Area {
						if a.Usable > 0 && !math.IsInf(float64(a.Usable), 1) {
							any = true
							maximum = math.Max(maximum, 100*float64(a.Used/a.Usable))
						}
					}
				}
				if !any {
					return math.NaN()
				}
				return maximum
			}},
		{"buffers", "Buffer memory", "total of the recommended buffer sizes", "B", size("buffers"), figure[float64],
			func(_ *result.Result, c *result.Candidate) float64 { return c.BufferBytes() }},
		{"latency", "Latency", latencyMeaning, "s", time(latencyHeading).about(latencyMeaning),
			func(v float64) Cell { return some(&v) },
			func(_ *result.Result, c *result.Candidate) float64 {
				if c.Latency == nil {
					return math.NaN()
				}
				return float64(c.Latency.Seconds)
			}},
		{"energy", "Energy", "energy per byte, from the stated powers", "J", number("energy").in("J/B").own(),
			func(v float64) Cell { return objective(mapper.Energy.String(), v) },
			stated(func(m *result.Measures) result.Number { return m.Energy })},
		{"price", "Price", "price of the resources in use, from the stated prices " +
			"($/h)", "", number("price").in("$/h").own(),
			func(v float64) Cell { return objective(mapper.Cost.String(), v) },
			stated(func(m *result.Measures) result.Number { return m.Price })},
	}
}

// inUseCount returns the number of resources with kernels, as in the objective cores.
func inUseCount(c *result.Candidate) int {
	n := 0
	for i := range c.Resources {
		if c.Resources[i].Members > 0 {
			n++
		}
	}
	return n
}

// stated returns a function that returns a measure of a candidate. The measure depends on values that X files may
// state, and is NaN without these values.
func stated(of func(*result.Measures) result.Number) func(*result.Result, *result.Candidate) float64 {
	return func(_ *result.Result, c *result.Candidate) float64 {
		if c.Measures == nil || of(c.Measures) == 0 {
			return math.NaN()
		}
		return float64(of(c.Measures))
	}
}

// candidates returns the section that compares the candidates.
func candidates(r *result.Result) Section {
	s := Section{ID: "candidates", Title: "Candidates", Intro: "Every figure is predicted."}
	if race := raceTable(r); race != nil {
		s.Intro = "Every figure is predicted, except in the table of the race."
		s.Parts = append(s.Parts, Part{Table: race})
	}
	if len(r.Candidates) < 2 {
		return s
	}
	s.Parts = append(s.Parts, Part{Table: candidateTable(r)})
	var rates []float64
	for i := range r.Candidates {
		rates = append(rates, float64(r.Candidates[i].Throughput))
	}
	var inFront []string // prices with a chart above
	if frontOf(r) != nil {
		inFront = r.Search.Objectives
	}
	for _, p := range prices() {
		if chart := pareto(r, p, scaleOf("B/s", rates...)); chart != nil && !p.wanted(inFront) {
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

// candidateColumn is a column of the table of candidates.
type candidateColumn struct {
	Column
	of func(i int, c *result.Candidate) Cell
}

// keepsFileOrder reports whether the candidates are in the order of their map files, and not sorted by throughput.
func keepsFileOrder(r *result.Result) bool {
	return r.Search == nil && !slices.IsSortedFunc(r.Candidates, func(a, b result.Candidate) int {
		return cmp.Compare(b.Throughput, a.Throughput)
	})
}

// greatest returns the candidate with the highest throughput. In a tie, it returns the first of the fastest candidates.
func greatest(list []result.Candidate) *result.Candidate {
	return &list[validate.FirstChoice(len(list), func(i int) float64 { return float64(list[i].Throughput) })]
}

// candidateTable lists the candidates, best first, or in the order of their map files.
func candidateTable(r *result.Result) *Table {
	t := &Table{ID: "candidate-table", Title: "Candidates, best first", Figures: "predicted"}
	switch s := r.Search; {
	case isRaced(r):
		t.Title = "Candidates, in the order of the race"
	case keepsFileOrder(r):
		t.Title = "Candidates, in the given order"
	case s == nil:
	case len(s.Objectives) > 1:
		t.Title = "Front, sorted by " + s.Objectives[0]
	case s.Robust != nil:
		t.Title = "Candidates, sorted by robust throughput"
	}
	t.Note = orderNote(r)
	columns := candidateColumns(r)
	for _, x := range columns {
		t.Columns = append(t.Columns, x.Column)
	}
	for i := range r.Candidates {
		row := t.add()
		row.Link = candidateID(i)
		for _, x := range columns {
			row.Cells = append(row.Cells, x.of(i, &r.Candidates[i]))
		}
	}
	return t.scaled()
}

// orderNote explains the order of candidates if their throughputs alone do not determine it; "" otherwise. The reason
// is that some candidates were not simulated with finite buffers, or that simulations do not distinguish candidates.
func orderNote(r *result.Result) string {
	if r.Search == nil || isRaced(r) || keepsFileOrder(r) || wanted(r.Search) != "" || r.Search.Robust != nil ||
		!slices.ContainsFunc(r.Candidates, func(c result.Candidate) bool { return c.Limited() }) {
		return ""
	}
	missing, unsorted, last := false, false, result.Number(math.Inf(1))
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if c.WithBuffers == nil {
			missing = true
			continue
		}
		unsorted, last = unsorted || c.Throughput > last, c.Throughput
	}
	var notes []string
	if missing {
		notes = append(notes, "-: not simulated with finite buffers within the time limit")
	}
	if unsorted {
		notes = append(notes, "if simulations do not decide the order, candidates are sorted by throughput with "+
			"unlimited buffers")
	}
	if len(notes) == 0 {
		return ""
	}
	return "(" + strings.Join(notes, "; ") + ")"
}

func candidateColumns(r *result.Result) []candidateColumn {
	best, fastest, against := &r.Candidates[0], greatest(r.Candidates), "1"
	if keepsFileOrder(r) {
		best, against = fastest, fastest.Name
	}
	list := []candidateColumn{
		{name("#"), func(_ int, c *result.Candidate) Cell { return text(c.Name) }},
		{rate("throughput"), func(_ int, c *result.Candidate) Cell { return figure(c.Throughput) }},
	}
	if slices.ContainsFunc(r.Candidates, func(c result.Candidate) bool { return c.Limited() }) {
		list[1].of = func(_ int, c *result.Candidate) Cell {
			if c.WithBuffers == nil {
				return dash() // not simulated, so not comparable
			}
			return figure(c.Throughput)
		}
		list = append(list, candidateColumn{rate("unlimited").spare(3).about("the throughput with unlimited buffers"),
			func(_ int, c *result.Candidate) Cell { return figure(c.Unlimited()) }})
	}
	wanted := objectiveColumns(r.Search)
	for _, o := range wanted {
		column := number(o).in(objectiveUnit(o)).own()
		if o == mapper.Latency.String() {
			column = searchedLatency(r.Search, column)
		}
		if o == mapper.Cores.String() {
			column = column.about(coresMeaning)
		}
		list = append(list, candidateColumn{column,
			func(_ int, c *result.Candidate) Cell { return objectiveOf(c, o) }})
	}
	if r.Search != nil && r.Search.Robust != nil {
		list = append(list, robustColumns(r.Search.Robust)...)
	}
	list = append(list, []candidateColumn{
		{name("bottleneck"), func(_ int, c *result.Candidate) Cell { return possibleLimits(c.Bottlenecks) }},
		{rate("next limit").spare(3).about("throughput after the bottleneck is removed"),
			func(_ int, c *result.Candidate) Cell {
				if len(c.Bottlenecks) < 2 {
					return dash()
				}
				return figure(c.Bottlenecks[1].Throughput)
			}},
		{name("in use").spare(2), func(_ int, c *result.Candidate) Cell { return text(inUse(c)) }},
		{name("moved vs " + against).fold(60).spare(4).about("kernels on other resources than in candidate " + against),
			func(_ int, c *result.Candidate) Cell { return text(moved(c, best)) }},
	}...)
	if slices.ContainsFunc(r.Candidates, func(c result.Candidate) bool { return c.File != "" }) {
		list = append(list, candidateColumn{name("map file").spare(1),
			func(_ int, c *result.Candidate) Cell { return text(c.File) }})
	}
	list = append(list, []candidateColumn{
		{number("below the best").detail().about("throughput relative to the fastest candidate, minus 1"),
			func(_ int, c *result.Candidate) Cell { return signed(c.Throughput/fastest.Throughput - 1) }},
	}...)
	for _, p := range prices() {
		if !math.IsNaN(p.of(r, best)) && !p.wanted(wanted) {
			list = append(list, candidateColumn{p.column.detail(), func(_ int, c *result.Candidate) Cell {
				return p.cell(p.of(r, c))
			}})
		}
	}
	rounds := func(c result.Candidate) bool { // a mean would hide that some elements wait longer
		return c.Latency != nil && c.Latency.Worst > c.Latency.Seconds*(1+result.TieTolerance)
	}
	if slices.ContainsFunc(r.Candidates, rounds) {
		longest := time("longest latency").detail().about("latency of the slowest elements")
		list = append(list, candidateColumn{longest,
			func(_ int, c *result.Candidate) Cell {
				if c.Latency == nil {
					return dash()
				}
				return figure(c.Latency.Worst)
			}})
	}
	return list
}

// robustColumns returns the columns of a ranking by --robust.
func robustColumns(s *result.Robust) []candidateColumn {
	return []candidateColumn{
		{rate(fmt.Sprintf("%.3g %% low", 100*float64(s.Quantile))).about("quantile of the throughput over the " +
			"draws, with unlimited buffers"),
			func(_ int, c *result.Candidate) Cell {
				if c.Robustness == nil {
					return dash()
				}
				return figure(c.Robustness.Low)
			}},
		{number("behind 1").about("share of the draws in which candidate 1 has a higher throughput, without ties"),
			func(i int, c *result.Candidate) Cell {
				if i == 0 || c.Robustness == nil {
					return dash()
				}
				return percent(c.Robustness.Behind)
			}},
		{number("ties with 1").about("share of the draws with equal throughput"),
			func(i int, c *result.Candidate) Cell {
				if i == 0 || c.Robustness == nil {
					return dash()
				}
				return percent(c.Robustness.Same)
			}},
	}
}

// pareto returns a chart of throughput against a price that highlights the Pareto-optimal candidates.
func pareto(r *result.Result, p price, scale units.Scale) *Chart {
	var costs []float64
	for i := range r.Candidates {
		v := p.of(r, &r.Candidates[i])
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		costs = append(costs, v)
	}
	if slices.Min(costs) == slices.Max(costs) {
		return nil // the price does not depend on the mapping
	}
	cost := scaleOf(p.unit, costs...)
	axis := p.axis
	if p.unit != "" {
		axis = cost.Heading(p.axis)
	}
	all := Series{Name: "dominated (in these two objectives)", Kind: Points}
	front := Series{Name: "Pareto-optimal (in these two objectives)", Kind: Markers}
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
		x, y := cost.Of(costs[i]), scale.Of(float64(r.Candidates[i].Throughput))
		if j := to.at(x, y); j >= 0 { // coincident points become one point with all names
			to.Labels[j] = strings.Replace(to.Labels[j], "mapping ", "mappings ", 1) + " = " + r.Candidates[i].Name
			continue
		}
		to.X, to.Y = append(to.X, x), append(to.Y, y)
		to.Labels, to.Links = append(to.Labels, "mapping "+r.Candidates[i].Name), append(to.Links, candidateID(i))
		to.Mappings = append(to.Mappings, i+1)
	}
	var limits []Limit
	if p.id == "area" {
		limits = append(limits, Limit{"usable area", 100, true})
	}
	series := []Series{front}
	if len(all.X) > 0 {
		series = append(series, all)
	}
	return &Chart{Limits: limits, ID: "pareto-" + p.id, Title: "Throughput versus " + lower(p.title) + ", predicted",
		X: Axis{Name: axis}, Y: Axis{Name: scale.Heading("throughput")}, Series: series}
}

// hidden is the relative distance below which two points coincide in a chart.
const hidden = 1e-6

// at returns the index of the point in the series that would hide the given point; -1 for none.
func (s *Series) at(x, y float64) int {
	for i := range s.X {
		if math.Abs(s.X[i]-x) <= hidden*math.Abs(x) && math.Abs(s.Y[i]-y) <= hidden*math.Abs(y) {
			return i
		}
	}
	return -1
}

func lower(s string) string {
	if len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// Change is one quantity before and after a change.
type Change struct {
	What   string        `json:"what"`
	Unit   string        `json:"unit,omitempty"` // unit of Before and After, such as B/s; "" for a count
	Before result.Number `json:"before"`
	After  result.Number `json:"after"`
	// Spread is the spread of the samples or predictions before and after, such as "± 2 %"; "" if unknown.
	Spread     [2]string `json:"-"`
	Change     string    `json:"change"`           // "~" if the samples or intervals show no difference
	Confidence string    `json:"confidence"`       // p and number of samples; for predictions, the figures' origin
	Origins    Origins   `json:"origins,omitzero"` // zero for predictions
}

// Origins are the origins of the values before and after a change: measured, simulated, or "" for no run.
type Origins struct {
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Changes returns a table of quantities before and after a change.
func Changes(id, title string, list []Change) *Table {
	const width = 60
	sure := name("how sure").fold(width)
	if slices.ContainsFunc(list, func(x Change) bool { return x.Spread[0] != "" }) {
		sure = sure.spare(1) // "~" and the intervals already show most of this column
	}
	t := &Table{ID: id, Title: title, Columns: []Column{name("").fold(width), number("before").own(),
		number("after").own(), number("change"), sure}}
	for _, x := range list {
		t.add(text(x.What), spread(x.Before, x.Unit, x.Spread[0]), spread(x.After, x.Unit, x.Spread[1]), text(x.Change),
			text(x.Confidence))
	}
	return t
}

// spread shows a value with the spread of its samples, or with its interval.
func spread(v result.Number, unit, by string) Cell {
	c := alone(v, unit)
	if by != "" {
		c.Aside = by
	}
	return c
}

// againMeaning defines the column with the repeatability of a mapping.
const againMeaning = "critical difference: in 95 % of pairs of repeated series of runs of one mapping, the two " +
	"medians differ by at most this fraction"

// repeatWords describes the repeatability of a case, and whether the error of its prediction exceeds it.
func repeatWords(c *result.ValidatedCase) (Cell, string) {
	again, beyond := dash(), "no"
	if c.Repeats != nil {
		again = percent(*c.Repeats)
	}
	switch {
	case c.Unsteady:
		beyond = "not steady"
	case (c.Significant || len(c.Parts) > 0) && 2*c.Disturbed > len(c.Runs) && float64(c.Predicted) > c.Measured:
		beyond = "disturbed"
	case c.Beyond():
		beyond = "yes"
	case c.Repeats == nil:
		beyond = "-"
	}
	return again, beyond
}

// repeatNote explains the repeatability columns.
func repeatNote(v *result.Validation) string {
	if v.Repeatability == nil {
		return "(repeats: repeatability is unknown because " + notRepeatable(v) + "; errors of 3 % or more count " +
			"as significant)"
	}
	note := "(repeats: " + againMeaning + "; beyond: \"yes\" if the error exceeds this difference (a significant " +
		"error) and the throughput is outside the interval of runs"
	if slices.ContainsFunc(v.Cases, func(c result.ValidatedCase) bool { return c.Disturbed > 0 }) {
		note += "; \"disturbed\": the error exceeds this difference, but is not significant, because other programs " +
			"slowed most of the runs; ≥: a lower bound of the throughput, for the same reason"
	}
	return note + ")"
}

// spreadWords defines repeatability and describes how xopt determined it.
func spreadWords(r *result.Repeatability) string {
	return fmt.Sprintf("Run-to-run spread of one mapping: %s (95 %% confidence interval %s to %s). It is the "+
		"standard deviation of the logarithm of the throughput, pooled over all mappings, with %s.",
		units.Percent(r.Spread),
		units.Percent(r.Interval[0]),
		units.Percent(r.Interval[1]), units.Counted(r.Freedom, "degree of freedom", "degrees of freedom"))
}

// notSignificant explains why an error is not divided into causes.
func notSignificant(c *result.ValidatedCase) string {
	if c.Repeats == nil {
		return "not analysed, because the error is below 3 %"
	}
	return fmt.Sprintf("not significant: the repeatability of the machine is %s", units.Percent(*c.Repeats))
}
