package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestRunsTold checks that search and eval, on terminals and pages, show the range expected of runs with the figures'
// intervals and the machine's repeatability, and all possible bottlenecks.
func TestRunsTold(t *testing.T) {
	repeats := result.Number(0.08)
	r := &result.Result{ProfileRepeatability: &repeats, Search: &result.Search{Placements: "4"},
		Candidates: []result.Candidate{{Name: "1", Throughput: 105e6, Interval: &[2]result.Number{101e6, 109e6},
			GoodInterval: &[2]result.Number{99e6, 111e6},
			RunInterval:  &[2]result.Number{95e6, 116e6}, Figures: []result.OriginCount{{Origin: "measured", Count: 2}},
			Bottlenecks: []result.Step{{Throughput: 105e6, Limits: []result.Limit{{Name: "core[2]"}},
				Possible: []string{"core[1]"}}}}}}
	const runs = "95 % of the runs on the profile's machine are expected to reach 95 to 116 MB/s (uncertainty of the " +
		"figures: 101 to 109 MB/s; error of the model: 5 %; repeatability of the machine: 8 %"
	const limits = "core[2] (or core[1]: the intervals overlap)"
	terminal := func() string {
		var b strings.Builder
		for _, p := range append(Terminal(r), Closing(r, nil)...) {
			if p.Lead != nil {
				b.WriteString(p.Lead.Word + ": " + p.Lead.Text + "\n")
			}
		}
		return b.String()
	}
	got := terminal()
	if !strings.Contains(got, runs) || strings.Count(got, limits) < 2 {
		t.Errorf("a search tells %q", got)
	}
	page := ""
	for _, f := range Of(r).Facts {
		page += f.Label + ": " + f.Value + ", " + f.Note + "\n"
	}
	if !strings.Contains(page, runs) || !strings.Contains(page, "Bottleneck: "+limits) {
		t.Errorf("its page tells %q", page)
	}
	var csv strings.Builder
	if err := WriteCSV(&csv, Of(r)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(csv.String(), "1,1.05e+08,1.01e+08,1.09e+08,9.9e+07,1.11e+08,9.5e+07,1.16e+08") {
		t.Errorf("the CSV has %q", csv.String())
	}
	r.Candidates[0].FarApart = 90e6
	if got := terminal(); !strings.Contains(got, runs+"; between distant cores: 90 MB/s") {
		t.Errorf("of a machine whose cores move apart it tells %q", got)
	}
	r.Candidates[0].FarApart = 0
	r.Candidates[0].Resources = []result.Share{{Members: 2, SharingError: 0.387}, {Members: 1, SharingError: 0.9},
		{Members: 2, SharingError: 0.01}}
	if got := terminal(); !strings.Contains(got, "but 38.7 % in the profile's test") || strings.Contains(got, "90 %") {
		t.Errorf("of a test of the model that failed on this machine it tells %q", got)
	}
	r.Candidates[0].Resources, r.Search = nil, nil
	if got := terminal(); !strings.Contains(got, "How sure: "+runs) ||
		!strings.Contains(got, "Bottleneck: "+limits) {
		t.Errorf("an evaluation tells %q", got)
	}
	r.ProfileRepeatability, r.Candidates[0].RunInterval, r.Candidates[0].Bottlenecks[0].Possible = nil, nil, nil
	if got := terminal(); strings.Contains(got, "How sure") || strings.Contains(got, "core[1]") {
		t.Errorf("without what the machine repeats it tells %q", got)
	}
}

// TestFiguresShown checks that no cell of a page has a figure that is not shown, and that no table of a simulated run
// calls its figures measured.
func TestFiguresShown(t *testing.T) {
	r := wellResult()
	c := &r.Candidates[0]
	c.Interval, c.GoodInterval, c.RunInterval = &[2]result.Number{20e6, 40e6}, &[2]result.Number{19e6, 41e6},
		&[2]result.Number{18e6, 42e6}
	r.Measured = &result.Measured{Simulated: "all", Seconds: 1, Throughput: 29e6,
		Kernels: []result.MeasuredKernel{{Kernel: "top.a", ServiceRate: 30e6, Utilization: 0.5}},
		Edges:   []result.MeasuredEdge{{Edge: "top.e", Rate: 30e6, Capacity: 4}},
		Frames: []result.MeasuredFrame{{Edges: []result.FrameEdge{{Rate: 29e6}}},
			{Edges: []result.FrameEdge{{Rate: 30e6}}}}}
	seen := make(map[string]bool)
	for _, s := range Of(r).Sections {
		for _, table := range TablesOf(s.Parts) {
			seen[table.ID] = true
			for _, row := range table.Rows {
				for i := range row.Cells {
					if c := &row.Cells[i]; c.Valued && c.Text == "" {
						t.Errorf("%s: %g of column %s is not shown", table.ID, c.Value, table.Columns[i].Name)
					}
				}
			}
			if strings.HasPrefix(table.ID, "run-") && strings.Contains(table.Title, "measured") {
				t.Errorf("a simulated run has a table %q", table.Title)
			}
		}
	}
	for _, id := range []string{"intervals", "run-kernels", "run-edges", "frame-boxes"} {
		if !seen[id] {
			t.Errorf("no table %s", id)
		}
	}
}

// TestMainCost checks that a large cost in the bottleneck's load is named first, with its part, and not confused with
// the work itself or assumed intervals.
func TestMainCost(t *testing.T) {
	c := &result.Candidate{Throughput: 1e6, Interval: &[2]result.Number{1e5, 2e6}, IntervalAssumed: 1,
		IntervalAssumedOf: []result.Assumed{{Name: "top.dct", Part: 0.75, Figures: []string{"send cost"}}},
		Bottlenecks: []result.Step{{Throughput: 1e6, Limits: []result.Limit{{Name: "core[1]",
			Members: []string{"top.dct", "top.rle"}, Parts: []result.Number{0.75, 0.25}}}}},
		Stations: []result.Station{
			{Name: "top.dct", On: "core[1]", Parts: []result.LoadPart{{Part: "compute", Value: 0.1},
				{Part: "send", Value: 0.6}}},
			{Name: "top.rle", On: "core[1]", Parts: []result.LoadPart{{Part: "compute", Value: 0.3}}},
			{Name: "top.vle", On: "core[2]", Parts: []result.LoadPart{{Part: "send", Value: 0.9}}}}}
	got := rests(c)
	cost, interval := strings.Index(got, "60 % of the load of core[1] is the send cost of top.dct"),
		strings.Index(got, "top.dct (send cost, 75 % of the load of core[1])")
	if cost < 0 || interval < cost {
		t.Errorf("it rests on %q", got)
	}
	bottleneck := func() string {
		for _, p := range Short(&result.Result{Candidates: []result.Candidate{*c}}, nil) {
			if p.Lead != nil && p.Lead.Word == "Bottleneck" {
				return p.Lead.Text
			}
		}
		return ""
	}
	if got := bottleneck(); !strings.Contains(got, "60 % of the load of core[1] is the send cost of top.dct") {
		t.Errorf("the short answer has the bottleneck %q", got)
	}
	c.Stations[0].Parts[1].Value = 0.4
	c.Stations[1].Parts = append(c.Stations[1].Parts, result.LoadPart{Part: "send", Value: 0.2})
	if got := bottleneck(); !strings.Contains(got, "60 % of the load of core[1] is the send cost of its kernels") {
		t.Errorf("the short answer has the bottleneck %q", got)
	}
	c.Stations[0].Parts[1].Value, c.Stations[1].Parts = 0.1, c.Stations[1].Parts[:1]
	if got := bottleneck(); strings.Contains(got, "cost") {
		t.Errorf("the short answer names a small cost: %q", got)
	}
	if got := mainCost(c, largeCost); got != "" {
		t.Errorf("a small cost is named: %q", got)
	}
}

// TestNoErrorOfShortRuns checks that a run without a throughput has no error in any row, including those of edges and
// kernels.
func TestNoErrorOfShortRuns(t *testing.T) {
	c := &wellResult().Candidates[0]
	c.Queues = []result.Queue{{Edge: "top.e", Flow: 30e6}}
	for _, short := range []string{"", "the run is not steady"} {
		m := &result.Measured{Throughput: 10e6, Kernels: []result.MeasuredKernel{{Kernel: "top.a", Utilization: 0.5,
			ServiceRate: 20e6}}, Edges: []result.MeasuredEdge{{Edge: "top.e", Rate: 10e6}},
			Steady: &result.SteadyPart{Short: short, Throughput: 10e6}}
		table, errs := runBesideOf(c, m), 0
		for i := range table.Rows {
			if table.Rows[i].Cells[table.column("error")].IsFigure() {
				errs++
			}
		}
		if len(table.Rows) < 2 || short == "" && errs < 2 || short != "" && (errs > 0 || offBecause(c, m) != "") {
			t.Errorf("%q: %d errors in %d rows", short, errs, len(table.Rows))
		}
	}
}

// TestNextGain checks that the limit named after the gain of a faster kernel is not below that gain.
func TestNextGain(t *testing.T) {
	for next, named := range map[result.Number]bool{30.3e6: false, 33e6: true, 40e6: true} {
		r := wellResult()
		r.Candidates[0].Bottlenecks[1].Throughput = next
		f := &findings{}
		f.bottleneck(&r.Candidates[0])
		if len(f.list) != 1 || strings.Contains(f.list[0].gain, "at most") != named {
			t.Errorf("next at %g: %+v", float64(next), f.list)
		}
	}
}

// TestOneThroughput checks that the short answers of search and eval have one throughput if buffers reduce it: that
// with these buffers, with its interval. The full answer and the page begin with it, too, and name the others.
func TestOneThroughput(t *testing.T) {
	r := &result.Result{Search: &result.Search{Status: "stopped at the time limit", Bound: 900e6,
		Copies: &result.CopiesCompared{Kernels: []string{"top.f"}, Chosen: true, ByForms: true,
			Copied: result.PlanRates{Predicted: 830e6, Buffered: 802e6},
			Alone:  result.PlanRates{Predicted: 300e6, Buffered: 289.3e6}}},
		Candidates: []result.Candidate{{Name: "1", Throughput: 830e6, Interval: &[2]result.Number{800e6, 860e6},
			Bottlenecks: []result.Step{{Throughput: 830e6, Limits: []result.Limit{{Name: "core[1]"}}}},
			Figures:     []result.OriginCount{{Origin: "measured", Count: 3}}}}}
	r.Candidates[0].Limit(&result.WithBuffers{Throughput: 794.3e6, Interval: &[2]result.Number{792e6, 797e6},
		Sizes: "recommended", Level: "simulated"})
	text := func(parts []Part) string {
		var b strings.Builder
		for _, p := range parts {
			if p.Lead != nil {
				fmt.Fprintf(&b, "%s: %s\n", p.Lead.Word, p.Lead.Text)
			}
			if p.Table != nil {
				fmt.Fprintf(&b, "%s %v\n", p.Table.Title, p.Table.Rows)
			}
		}
		return b.String()
	}
	for _, search := range []bool{true, false} {
		if !search {
			r.Search = nil
		}
		got := text(slices.DeleteFunc(Short(r, nil), func(p Part) bool { return p.Table != nil }))
		if strings.Count(got, "794") != 1 || !strings.Contains(got, "794 MB/s (766 to 823)") ||
			strings.Contains(got, "830") || strings.Contains(got, "802") {
			t.Errorf("search %v: the short answer is\n%s", search, got)
		}
	}
	if got := headline(&r.Candidates[0]); !strings.Contains(got, "794 MB/s with the recommended buffers") ||
		!strings.Contains(got, "unlimited buffers: 830 MB/s") {
		t.Errorf("the full answer begins with %s", got)
	}
	if got := facts(r)[0]; got.Value != "794 MB/s" || !strings.Contains(got.Note, "unlimited buffers: 830 MB/s") {
		t.Errorf("the page begins with %+v", got)
	}
	if got := Terminal(r); !strings.Contains(text(got), "Throughput: 794 MB/s with the recommended buffers") {
		t.Errorf("the tables begin with\n%s", text(got))
	}
}

// TestRankingFirst checks that an undetermined ranking is the first doubt of a search everywhere, before a disturbed
// profile, and that the short answer states it once, and has the next doubt and the proof, too.
func TestRankingFirst(t *testing.T) {
	r := &result.Result{Search: &result.Search{Placements: "4", Optimal: true, Status: "optimal: all mappings were " +
		"evaluated"}, ProfileDisturbed: "other programs used the processors"}
	for _, v := range []result.Number{100e6, 98e6} {
		r.Candidates = append(r.Candidates, result.Candidate{Name: fmt.Sprint(len(r.Candidates) + 1), Throughput: v,
			Interval:    &[2]result.Number{90e6, 110e6},
			Robustness:  undecided(),
			Figures:     []result.OriginCount{{Origin: "measured", Count: 2}},
			Bottlenecks: []result.Step{{Throughput: v, Limits: []result.Limit{{Name: "core[1]"}}}}})
	}
	sure := func(parts []Part) string {
		for _, p := range parts {
			if p.Lead != nil && p.Lead.Word == "How sure" {
				return p.Lead.Text
			}
		}
		return ""
	}
	const inside = "the order of candidates 1 and 2"
	short := Short(r, nil)
	if text := strings.Join(leadLines(short), "\n"); strings.Count(text, "candidates 1 and 2") != 1 {
		t.Errorf("the short answer states the candidates more than once:\n%s", text)
	}
	if got := sure(short); !strings.HasPrefix(got, unrankedWords(r, 2)+": "+ruleOfOrder+"; predicted from 2 ") ||
		!strings.Contains(got, "profile disturbed: "+quietProfile+"; proven optimal") {
		t.Errorf("the short answer: %q", got)
	}
	if got := sure(append(Terminal(r), Closing(r, nil)...)); !strings.HasPrefix(got, inside) {
		t.Errorf("the full answer: %q", got)
	}
	if f := howSure(r)[0]; f.Value != "ranking undetermined" || !strings.HasPrefix(f.Note, inside) {
		t.Errorf("the page: %+v", f)
	}
}

// TestAssumedNamed checks that a short answer names up to two assumed figures, and never only "1 more".
func TestAssumedNamed(t *testing.T) {
	c := &result.Candidate{Figures: []result.OriginCount{{Origin: "measured", Count: 8}, {Origin: "assumed"}}}
	for n, want := range map[int]string{0: "", 1: "; assumed: a", 2: "; assumed: a, b", 3: "; assumed: a and 2 more",
		4: "; assumed: a, b and 2 more"} {
		names := []string{"a", "b", "c", "d"}[:n]
		c.Citations = []result.Citation{{Origin: "assumed", Figures: n, Of: names}}
		if got := assumedNames(c); got != want {
			t.Errorf("%d assumed figures: %q, want %q", n, got, want)
		}
	}
	if c.Figures = c.Figures[1:]; assumedNames(c) != "" {
		t.Errorf("mostly assumed figures: %q", assumedNames(c))
	}
}

// TestBusyBase checks that the line about the kernel with the largest deviation and the rows of kernels each name the
// throughput that their prediction refers to.
func TestBusyBase(t *testing.T) {
	c := &result.Candidate{Throughput: 50e6, Resources: []result.Share{{Name: "core", Sharing: "conserving"}},
		Stations: []result.Station{{Name: "top.slow", On: "core", ServiceRate: 100e6, ArrivalRate: 50e6}}}
	m := &result.Measured{Throughput: 10e6, Steady: &result.SteadyPart{Throughput: 10e6},
		Kernels: []result.MeasuredKernel{{Kernel: "top.slow", Utilization: 0.4, ServiceRate: 25e6}}}
	line, note := offBecause(c, m), ""
	for _, p := range Short(&result.Result{Measured: m, Prediction: c}, nil) {
		if p.Table != nil {
			note += p.Table.Note
		}
	}
	if !strings.Contains(line, "busy for 40 % of the run, instead of the 10 % predicted for the bytes") ||
		!strings.Contains(note, "predicted for 50 MB/s") {
		t.Errorf("%q and %q", line, note)
	}
}

// leadLines returns the leading lines of an answer.
func leadLines(parts []Part) []string {
	var list []string
	for _, p := range parts {
		if p.Lead != nil {
			list = append(list, p.Lead.Text)
		}
	}
	return list
}
