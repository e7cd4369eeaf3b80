package report_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/bench/micro"
	"xopt/bench/paper"
	"xopt/calibrate"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/markdown"
	"xopt/deploy/timetrial"
	"xopt/deploy/validate"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/internal/testkit"
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// shownOf contains the displayed parts of something.
type shownOf struct {
	name  string
	parts []report.Part
}

// everyTable returns all tables of the package: of examples, predicted and searched, and of runs, validations, sweeps
// and measurements with all fields set.
func everyTable(t *testing.T) []shownOf {
	t.Helper()
	var list []shownOf
	add := func(name string, parts ...report.Part) { list = append(list, shownOf{name, parts}) }
	both := func(name string, r *result.Result) {
		add(name+", page", pageParts(r)...)
		add(name+", terminal", report.Terminal(r)...)
	}
	for _, x := range examples() {
		d := x.design(t)
		add(x.folder+", check", report.Overview(d, "search")...)
		both(x.folder, x.result(t, d))
	}
	r := full()
	both("everything", r)
	r.Prediction = &r.Candidates[0]
	for _, kind := range []timetrial.Type{timetrial.Rate, timetrial.Latency, timetrial.Occupancy, timetrial.Util} {
		r.Measured.Queries = append(r.Measured.Queries, result.Query{Name: kind.String(), Type: kind.String(),
			Total: result.QueryValue{Value: number(0.0123456)}})
	}
	for _, v := range virtualQueues() {
		r.Measured.Queries = append(r.Measured.Queries, result.Query{Name: "virtual", Type: "occupancy",
			Statistic: "hist", Total: result.QueryValue{Value: number(68.2)}, VirtualQueue: v})
	}
	both("a run beside its prediction", r)
	add("a validation", report.Validation(r)...)
	race := full()
	race.Validation.Verdict = &result.Verdict{Standings: []result.Standing{result.Fastest, ""}}
	race.Validation.Race = &result.Race{Order: []int{0}, Alike: []int{0}, Racers: make([]result.Racer, 2)}
	both("a race", race)
	add("a sweep", report.Sweep(swept())...)
	add("a calibration", report.Calibration(measuredProfile())...)
	for _, x := range measured() {
		add(x.ID, report.Part{Table: x})
	}
	return list
}

// virtualQueues returns one that is estimated, one that is refuted, and one that is unknown.
func virtualQueues() []*result.VirtualQueue {
	seen := result.SubQueue{Measured: 31.49, Predicted: 31.5, Distance: 0.0012, Max: 0.0503}
	estimated := &result.VirtualQueue{Link: "bus", Bulk: 64, Ahead: seen, Behind: seen, Distance: number(0.0568),
		Estimated: &result.QueueEstimate{Mean: 66.9, P99: 98}, True: &result.QueueEstimate{Mean: 68.1, P99: 101},
		GapCorrelation: 0.0085, Sharers: 2}
	refuted := *estimated
	refuted.Estimated, refuted.Distance, refuted.Refuted = nil, nil, []string{"gaps have a correlation of 0.3"}
	return []*result.VirtualQueue{estimated, &refuted, {Unknown: "it crosses 2 links, and the model has one"}}
}

func pageParts(r *result.Result) []report.Part {
	var parts []report.Part
	for _, s := range report.Of(r).Sections {
		parts = append(parts, s.Parts...)
	}
	return parts
}

// example is one of the examples: scored if it has a mapping, otherwise searched.
type example struct {
	folder string
	files  []string
	mapped bool
	goal   mapper.Goal
}

func examples() []example {
	return []example{
		{folder: "beard-fig7", files: []string{"app.x", "arch.x", "map.x"}, mapped: true},
		{folder: "lancaster-blastn", files: []string{"run1.x", "arch.x", "map.x"}, mapped: true},
		{folder: "gayen-veritas", files: []string{"pipes2.x", "arch_slow.x"}},
		{folder: "gayen-veritas", files: []string{"pipes1.x", "arch_slow.x"}, goal: mapper.Goal{
			Objectives: []mapper.Objective{mapper.Throughput, mapper.Cores, mapper.Latency, mapper.Buffers}}},
	}
}

func (x *example) design(t *testing.T) *design.Design {
	t.Helper()
	o := design.Options{Purpose: design.ForSearch}
	if x.mapped {
		o.Purpose = design.ForMapping
	}
	return flowtest.X{Dir: filepath.Join(testkit.Root(t), "configs", "examples", x.folder), Files: x.files}.Design(t, o)
}

// result predicts the mapping, or searches briefly.
func (x *example) result(t *testing.T, d *design.Design) *result.Result {
	t.Helper()
	ctx := context.Background()
	r := predict.Describe(d)
	mappings := []*flow.Mapping{d.Mapping}
	var found *mapper.Result
	if !x.mapped {
		var err error
		if found, err = mapper.Search(ctx, d.Problem, d.Constraints, mapper.Options{Seed: 1, Threads: 1,
			MaxEvals: 2000, Goal: x.goal}); err != nil {
			t.Fatal(err)
		}
		r.Search = &result.Search{Method: found.Method.String(), Status: found.Status.String(), Seed: found.Seed,
			Placements: found.Space.String(), Evals: found.Evals, Bound: result.Number(found.Bound)}
		for _, o := range x.goal.Objectives {
			r.Search.Objectives = append(r.Search.Objectives, o.String())
		}
		mappings = nil
		for i := range found.Candidates {
			mappings = append(mappings, found.Candidates[i].Mapping)
		}
	}
	for i, m := range mappings {
		c, err := predict.Mapping(ctx, d, m, flow.Fast{}, fmt.Sprint(i+1))
		if err != nil {
			t.Fatal(err)
		}
		if found != nil {
			c.Measures = &found.Candidates[i].Measures
		}
		r.Candidates = append(r.Candidates, *c)
	}
	if len(r.Candidates) == 0 {
		t.Fatalf("%s: no mapping was found", x.folder)
	}
	if err := predict.Complete(ctx, ctx, r, slices.Repeat([]*design.Design{d}, len(mappings)), mappings); err != nil {
		t.Fatal(err)
	}
	return r
}

func swept() *result.Sweep {
	return &result.Sweep{Objective: mapper.Latency.String(), Mappings: []string{"p: a b", "p: a; q: b"},
		Varied: []result.Varied{{Name: "PCI.bandwidth", Unit: "B/s", Values: []string{"1000000", "20000000"}},
			{Name: "top.n", Values: []string{"1", "2"}}},
		Points: []result.SweptPoint{
			{Values: []string{"1000000", "1"}, Throughput: 1e6, Objective: "1 ms", Proof: "optimal", Bottleneck: "PCI"},
			{Values: []string{"1000000", "2"}, Throughput: 1.25e6, Objective: "1 ms", Proof: "optimal", Bottleneck: "q",
				Mapping: 1, Stale: 2},
			{Values: []string{"20000000", "1"}, Throughput: 0, Proof: "none", Mapping: -1}}}
}

func measuredProfile() *profile.Profile {
	f := func(v float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 9, CI95: [2]float64{0.97 * v, 1.02 * v}}
	}
	bound := f(3.3e9)
	bound.AtLeast = true
	return &profile.Profile{Schema: profile.Schema, Kernels: []profile.Kernel{
		{Block: "A", Instance: "top.a", Platform: "C", ServiceRate: f(2.345678e6), FiringBytes: f(8),
			ServiceSCV: f(0.01), Gain: f(1.5), CoLocationCost: f(1e-8)},
		{Block: "B", Instance: "top.b", Platform: "C", ServiceRate: bound, FiringBytes: f(4096), Gain: f(0.018)},
		{Block: "C", Instance: "top.c", Platform: "HDL", How: "in simulation", ServiceRate: f(400e6), Gain: f(1),
			MaxClock: f(123.456e6)}},
		Links: []profile.Link{{Linktype: "mem", Bandwidth: f(3.2e9), TransferCost: f(1.7e-7),
			Samples: []profile.LinkSample{{Bytes: 64, Seconds: 1.9e-7, Fitted: 1.8e-7},
				{Bytes: 65536, Seconds: 2.1e-5, Fitted: 2e-5}}}},
		Sharing: []profile.Sharing{{Platform: "C", Model: "conserving", Error: 0.034, SwitchCost: f(3.1e-7)}}}
}

// measured returns the tables of benchmarks and comparisons.
func measured() []*report.Table {
	m := func(v float64) profile.Median { return profile.Median{Value: v, Low: 0.98 * v, High: 1.01 * v, N: 9} }
	ring := micro.RingCase{Bytes: 64, Batch: 8}
	for i := range ring.Rates {
		ring.Rates[i] = m(12.3456e6 / float64(i+1))
	}
	taps := micro.TapsCase{Bytes: 4096, Work: 1.5, Base: m(321.987e6), Kept: m(0.875)}
	for i := range taps.Loss {
		taps.Loss[i] = m(0.0123 * float64(i))
	}
	bus := paper.BusRun{Predicted: 10.4e6, Simulated: 10.1e6, Bottleneck: "PCI"}
	holding := calibrate.Holding{Kernel: "top.a", Old: profile.Figure{Value: 2e6, N: 9},
		New: profile.Figure{Value: 2.2e6, N: 9}, Change: 0.1}
	sharing := []calibrate.SharingCase{{Times: []float64{1, 2}, Rate: m(3.21e5), Conserving: 3.3e5, Equal: 2.5e5,
		Cost: 1.2e-7}, {Times: []float64{1}, Fail: "no privilege"}}
	sized, p99 := micro.BuffersCase{Name: "jpeg", Kernels: 15, Edges: 20}, 0.0123
	for i := range sized.Ways {
		sized.Ways[i] = micro.BuffersWay{Rate: m(20e6), Memory: m(5.3e6 / float64(i+1)), RateOver: m(0.987),
			MemoryOver: m(1 / float64(i+1)), P99: &p99, Grown: i}
	}
	sized.Ways[2].P99Over = &p99
	sizes := []micro.BuffersCase{sized, {Name: "des", Fail: "it hangs"}}
	return []*report.Table{
		report.SizedBuffers(sizes, 9, time.Second),
		report.SizedBuffersInAll(sizes),
		report.Rings([]micro.RingCase{ring}, 9, time.Second),
		report.Taps([]micro.TapsCase{taps}, 9, time.Second),
		report.QueuesByTheory([]micro.QueueCase{{Name: "M/M/1", Samples: 100, ServiceTime: 2.5e-6, Utilization: 0.9,
			ArrivalSCV: 1, ServiceSCV: 1, Mean: micro.Interval{Value: 9.1, Low: 9, High: 9.2}, Theory: 9,
			Distance: 0.0123}}, 1e6),
		report.SharedCores(sharing, 9, time.Second),
		report.OverTheBus([]paper.BusPoint{{Pipes: 2, Bandwidth: 100e6, A: bus, B: bus}}),
		report.Speeds([]paper.SimulationSpeed{{What: "a pipe", Cycles: 12345678, Elements: 9876, Seconds: 3.21}}),
		report.Differences("a", "b", []profile.Difference{{Kernel: "top.a", What: "service rate",
			A: holding.Old, B: holding.New}}),
		report.MeasuredAgain("a", []calibrate.Holding{holding}),
		report.Changes("changes", "Changes", []report.Change{{What: "throughput", Before: 1.5e6, After: 2.5e9,
			Spread: [2]string{"± 2 %", "± 1 %"}, Change: "~", Confidence: "p = 0.3, 9 and 9"}}),
		report.Learned(&validate.Refinement{Ran: 5, Learned: []validate.Learned{{Kernel: "top.a", Platform: "C",
			Was: 2e-9, Is: 3e-9, Low: 2.9e-9, High: 3.1e-9}, {Platform: "C", Part: flow.Switching, Is: 1e-7}}}),
	}
}

// TestOneFigure checks that a figure in several parts of a result is the same in all.
func TestOneFigure(t *testing.T) {
	for _, x := range examples() {
		r := x.result(t, x.design(t))
		tables := make(map[string]*report.Table)
		for _, p := range append(pageParts(r), report.Terminal(r)...) {
			if p.Heading == "Candidate 2" { // its tables have the same names as those of the first candidate
				break
			}
			if p.Table == nil {
				continue
			}
			if other := tables[p.Table.ID]; other != nil && p.Table.ID != "placement" {
				sameTable(t, other, p.Table)
			}
			tables[p.Table.ID] = p.Table
		}
		best := &r.Candidates[0]
		for _, id := range []string{"candidate-table", "bottlenecks"} {
			if tables[id] == nil && len(r.Candidates) > 1 {
				t.Errorf("%s: no table %s", x.folder, id)
			} else if tables[id] != nil {
				if v := cellOf(t, tables[id], 0, "throughput").Value; v != float64(best.Throughput) {
					t.Errorf("%s: throughput is %g in %s, %g in the answer", x.folder, v, id, float64(best.Throughput))
				}
			}
		}
		facts := make(map[string]string)
		for _, f := range report.Of(r).Facts {
			facts[f.Label] = f.Value
		}
		if err := sameValue(report.Column{Unit: "B/s"}, "", facts["Throughput"], fmt.Sprint(float64(best.Throughput)),
			""); err != nil {
			t.Errorf("%s: %v", x.folder, err)
		}
		coresAgree(t, x.folder, r, tables["candidate-table"])
		sharersAgree(t, x.folder, best, tables["resources"])
	}
}

// sameTable checks that a table is the same on a page and in a terminal.
func sameTable(t *testing.T, a, b *report.Table) {
	t.Helper()
	if a.Caption() != b.Caption() || len(a.Rows) != len(b.Rows) || len(a.Columns) != len(b.Columns) {
		t.Errorf("%s is %q, and elsewhere %q", a.ID, a.Caption(), b.Caption())
		return
	}
	for r := range a.Rows {
		for c := range a.Columns {
			if x, y := a.Rows[r].Cells[c].Marked(), b.Rows[r].Cells[c].Marked(); x != y {
				t.Errorf("%s, row %d, %s: %q, and elsewhere %q", a.ID, r+1, a.Columns[c].Heading(), x, y)
			}
		}
	}
}

// cellOf returns a cell by the name of its column.
func cellOf(t *testing.T, table *report.Table, row int, name string) *report.Cell {
	t.Helper()
	for i := range table.Columns {
		if table.Columns[i].Name == name {
			return &table.Rows[row].Cells[i]
		}
	}
	t.Fatalf("%s has no column %s", table.ID, name)
	return nil
}

// coresAgree checks that the table's cores in use are those that the search counted, without FPGAs.
func coresAgree(t *testing.T, of string, r *result.Result, table *report.Table) {
	t.Helper()
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if table == nil || c.Measures == nil {
			continue
		}
		if v := cellOf(t, table, i, "cores").Value; v != float64(c.Measures.Cores) {
			t.Errorf("%s, candidate %d: %g cores in the table, %d counted", of, i+1, v, c.Measures.Cores)
		}
	}
}

// sharersAgree checks that the number of sharers of a resource is that of the kernels placed on it.
func sharersAgree(t *testing.T, of string, c *result.Candidate, table *report.Table) {
	t.Helper()
	placed := make(map[string]int)
	for _, p := range c.Place {
		placed[p.Resource]++
	}
	for i := range c.Links { // no table contains their members
		placed[c.Links[i].Name] = c.Links[i].Members
	}
	for r := range table.Rows {
		name := table.Rows[r].Cells[0].Text
		if v := cellOf(t, table, r, "sharers").Value; v != float64(placed[name]) {
			t.Errorf("%s: %g share %s, on which %d are", of, v, name, placed[name])
		}
	}
}

// otherFigures reports whether columns of this name have different meanings: differences, and parts of distributions.
func otherFigures(column string) bool {
	return slices.Contains([]string{"error", "samples", "mean", "p50", "p99", "least", "minimum", "maximum", "median",
		"at most", "distance", "cycles", "fraction", "part", "value", "from", "to", "frames", "ratio"}, column)
}

// rowName returns the text of the columns that name a row.
func rowName(table *report.Table, row *report.Row) string {
	var names []string
	for c := range row.Cells {
		if table.Columns[c].Number || row.Cells[c].IsFigure() {
			break
		}
		names = append(names, row.Cells[c].Text)
	}
	return strings.Join(names, "|")
}

// TestTablesOfAResultAgree checks that tables of one result show the same value for a figure of the same name.
// Intervals are ordered and contain their estimate, a page has one bound, and a box has one utilization.
func TestTablesOfAResultAgree(t *testing.T) {
	results := map[string]*result.Result{"everything": full()}
	for i, x := range examples() {
		results[fmt.Sprintf("%s %d", x.folder, i)] = x.result(t, x.design(t))
	}
	bounded := full()
	bounded.Search.Bound = 1.5 * bounded.Candidates[0].Throughput
	bounded.Search.Certificate = &result.Certificate{Throughput: 2 * bounded.Search.Bound}
	results["a weaker certificate"] = bounded
	for of, r := range results {
		oneFigure(t, of, r)
		oneBound(t, of, r)
		oneUtilization(t, of, r)
	}
}

// oneFigure compares the tables of a result.
func oneFigure(t *testing.T, of string, r *result.Result) {
	t.Helper()
	seen := make(map[string]*report.Table)
	values := make(map[string]float64)
	for _, table := range report.Tables(r) {
		for i := range table.Rows {
			row := &table.Rows[i]
			name := rowName(table, row)
			for c := range row.Cells {
				cell, column := &row.Cells[c], &table.Columns[c]
				if x := cell.Interval; x != nil && !(x[0] <= cell.Value && cell.Value <= x[1]) {
					t.Errorf("%s, %s of %s: %g lies outside of %v", of, column.Name, name, cell.Value, *x)
				}
				if name == "" || !cell.IsFigure() || otherFigures(column.Name) {
					continue
				}
				key := name + "|" + column.Name + "|" + column.Unit
				v, ok := values[key]
				if ok && seen[key] != table && math.Abs(v-cell.Value) > 1e-9*math.Abs(v) {
					t.Errorf("%s: %s is %g in %s, and %g in %s", of, key, v, seen[key].ID, cell.Value, table.ID)
				}
				values[key], seen[key] = cell.Value, table
			}
			if table.ID == "intervals" {
				at := row.Cells[1].Value
				for c := 2; c+1 < len(row.Cells); c += 2 {
					from, to := &row.Cells[c], &row.Cells[c+1]
					if from.IsFigure() && !(from.Value <= at && at <= to.Value) {
						t.Errorf("%s: mapping %s of %g lies outside of %g to %g", of, name, at, from.Value, to.Value)
					}
				}
			}
		}
	}
	if len(values) < 10 {
		t.Errorf("%s: %d figures", of, len(values))
	}
}

// oneBound checks that a page has one upper bound on throughput.
func oneBound(t *testing.T, of string, r *result.Result) {
	t.Helper()
	var page strings.Builder
	if err := markdown.Write(&page, report.Of(r)); err != nil {
		t.Fatal(err)
	}
	bounds := make(map[string]bool)
	exceeds := regexp.MustCompile(`no mapping exceeds ([0-9.]+ .?B/s)( for these figures)?`)
	for _, m := range exceeds.FindAllStringSubmatch(page.String(), -1) {
		if bounds[m[1]] = true; m[2] == "" {
			t.Errorf("%s: a bound without its condition: %s", of, m[0])
		}
	}
	if len(bounds) > 1 {
		t.Errorf("%s: the page has the bounds %v", of, slices.Sorted(maps.Keys(bounds)))
	}
}

// oneUtilization checks that no box or link of a drawing has two utilizations.
func oneUtilization(t *testing.T, of string, r *result.Result) {
	t.Helper()
	ofMost := regexp.MustCompile(`[0-9] of [0-9.]+ .?B/s`)
	for _, s := range report.Of(r).Sections {
		for _, p := range s.Parts {
			if p.Drawing == nil {
				continue
			}
			var labels []string
			for _, n := range p.Drawing.Graph.Nodes {
				labels = append(labels, strings.Join(n.Lines, " "))
			}
			for _, l := range p.Drawing.Graph.Links {
				labels = append(labels, l.Label)
			}
			for _, label := range labels {
				if strings.Count(label, "% busy") > 1 || ofMost.MatchString(label) {
					t.Errorf("%s: %q has two figures of its use", of, label)
				}
			}
		}
	}
}
