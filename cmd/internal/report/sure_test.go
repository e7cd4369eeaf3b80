package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"xopt/cmd/faults"
	"xopt/internal/fault"
	"xopt/mapper/copies"
	mapperfaults "xopt/mapper/faults"
	"xopt/mapper/result"
)

// TestRunHeadline checks that a run names the most utilized part, including a bus, with its prediction, and that
// failed assertions are in its headline.
func TestRunHeadline(t *testing.T) {
	r := &result.Result{Measured: &result.Measured{Simulated: "federated simulation", Throughput: 75e6,
		Used: []result.MeasuredUse{{Name: "proc", Sharers: 2, Utilization: 0.55, Busiest: "top.sum"},
			{Name: "bus", IsLink: true, Sharers: 3, Utilization: 0.94, Rate: 188e6, Bandwidth: 200e6,
				Origin: "published"}},
		Assertions: []result.Assertion{{Name: "a1", Frames: 10, Failed: 4},
			{Name: "a2", Holds: true, Frames: 10}}},
		Prediction: &result.Candidate{Throughput: 80e6,
			Bottlenecks: []result.Step{{Limits: []result.Limit{{Name: "bus"}}}},
			Links:       []result.Share{{Name: "bus", Utilization: 1}}}}
	facts := make(map[string]string)
	for _, f := range Of(r).Facts {
		facts[f.Label] = f.Value + ": " + f.Note
	}
	for label, want := range map[string]string{
		"Bottleneck": "bus: in use for 94 % of the run, more than any other resource or link; bus carried 188 MB/s " +
			"of its bandwidth of 200 MB/s (published); predicted: bus",
		"Assertions": "1 of 2 FAILED: a1 failed in 4 of 10 frames",
	} {
		if facts[label] != want {
			t.Errorf("%s: %q, want %q", label, facts[label], want)
		}
	}
	table := runUsed(r.Measured, r.Prediction)
	if row := table.Rows[1]; !row.Hot || table.Rows[0].Hot || row.Cells[2].Text != "94" ||
		row.Cells[3].Text != "100" {
		t.Errorf("the bus in the table: %+v", row)
	}
	if !strings.Contains(table.Title, "simulated") {
		t.Errorf("a simulation is called %q", table.Title)
	}
	r.Prediction.Throughput, r.Prediction.FlowBound = 60e6, 80e6 // with the buffers of the run
	if got := runUsed(r.Measured, r.Prediction).Rows[1].Cells[3].Text; got != "75" {
		t.Errorf("%s %% are predicted at 3/4 of the flow bound", got)
	}
}

// TestOneBottleneck checks that headline, drawing, table and guidance name the same bottleneck of a run: the recorded
// one, whichever kernel was busiest.
func TestOneBottleneck(t *testing.T) {
	r := &result.Result{Architecture: []result.Resource{{Name: "proc"}, {Name: "fpga"}},
		Links: []result.Link{{Name: "bus", Bandwidth: 200e6}},
		Measured: &result.Measured{Place: []result.Placement{{Kernel: "top.a", Resource: "proc"},
			{Kernel: "top.b", Resource: "fpga"}},
			Kernels: []result.MeasuredKernel{{Kernel: "top.a", Process: "proc", Utilization: 0.6},
				{Kernel: "top.b", Process: "fpga", Utilization: 0.93}},
			Used: []result.MeasuredUse{{Name: "proc", Sharers: 1, Utilization: 0.6, Busiest: "top.a"},
				{Name: "fpga", Sharers: 1, Utilization: 0.93, Busiest: "top.b"},
				{Name: "bus", IsLink: true, Sharers: 1, Utilization: 0.98, Rate: 196e6, Bandwidth: 200e6,
					Origin: "published"}}}}
	var cards []string
	for _, f := range Of(r).Facts {
		if f.Label == "Bottleneck" || f.Label == "Busiest" {
			cards = append(cards, f.Value)
		}
	}
	if got := strings.Join(cards, "; "); got != "bus" {
		t.Errorf("the headline says %q", got)
	}
	if m := placedRun(r); strings.Join(m.limit, " ") != "bus" || !m.links[0].limits || m.resources[1].limits {
		t.Errorf("the drawing marks %v", m.limit)
	}
	for _, row := range runUsed(r.Measured, nil).Rows {
		if row.Hot != (row.Cells[0].Text == "bus") {
			t.Errorf("the table marks %s: %v", row.Cells[0].Text, row.Hot)
		}
	}
	var seen []string
	for _, x := range found(r) {
		if strings.Contains(x.seen, "limited the throughput") {
			seen = append(seen, x.seen)
		}
	}
	if len(seen) != 1 || !strings.HasPrefix(seen[0], "bus was in use for 98 %") {
		t.Errorf("guidance says %q", seen)
	}
}

// TestPartialHeadline checks that a long reason for the end of a run is short in the headline, and complete below.
func TestPartialHeadline(t *testing.T) {
	reason := "deadlock:\n" + strings.Repeat("top.a waits for space on top.e, which holds 4\n", 30)
	for _, fault := range []string{"", "top.a"} {
		p := Of(&result.Result{Measured: &result.Measured{Throughput: 1e6, Partial: reason, FaultOf: fault}})
		if note := p.Facts[0].Note; len(note) > 100 || strings.Contains(note, "\n") ||
			!strings.Contains(note, "below") ||
			!strings.Contains(note, fault) {
			t.Errorf("the headline says %q", note)
		}
		complete := false
		for _, s := range p.Sections {
			for _, x := range s.Parts {
				complete = complete || x.Code != nil && x.Code.Text == reason
			}
		}
		if !complete {
			t.Error("the reason is not told below")
		}
	}
	p := Of(&result.Result{Measured: &result.Measured{Throughput: 1e6, Partial: "stopped after 2 s, as asked"}})
	if note := p.Facts[0].Note; !strings.Contains(note, "partial: stopped after 2 s, as asked") {
		t.Errorf("the headline says %q", note)
	}
}

// TestTies checks that tied candidates are distinguished by their differences.
func TestTies(t *testing.T) {
	of := func(name string, latency result.Number) result.Candidate {
		return result.Candidate{Name: name, Throughput: 5e6, Latency: &result.Latency{Seconds: latency}}
	}
	r := &result.Result{Search: &result.Search{}, Candidates: []result.Candidate{of("1", 3e-3), of("2", 2e-3),
		{Name: "3", Throughput: 4e6}}}
	ties := func() (seen, gains []string) {
		for _, f := range found(r) {
			if strings.Contains(f.seen, " tie ") {
				seen, gains = append(seen, f.seen), append(gains, f.gain)
			}
		}
		return seen, gains
	}
	seen, gains := ties()
	if len(seen) != 1 || seen[0] != "candidates 1 and 2 tie in throughput" ||
		gains[0] != "candidate 2 gains a latency of 2 ms, not 3 ms" {
		t.Errorf("%q, %q", seen, gains)
	}
	p := Of(r)
	for _, f := range p.Facts { // only the fact on certainty has it on the first screen
		if got := strings.Contains(f.Label+f.Value+f.Note, "candidates 1 and 2 tie"); got != (f.Label == "How sure") {
			t.Errorf("ties are reported at the wrong place: %+v", f)
		}
	}
	r.Candidates[1].Throughput = 4.9e6
	if seen, _ := ties(); len(seen) > 0 {
		t.Errorf("no tie: %q", seen)
	}
}

// TestNothingBusy checks that a run without anything busy for half of it has no bottleneck: on the first screen, in
// the table and in the drawing. Known reasons are stated.
func TestNothingBusy(t *testing.T) {
	m := &result.Measured{Place: []result.Placement{{Kernel: "top.a", Resource: "proc"}},
		Kernels: []result.MeasuredKernel{{Kernel: "top.a", Process: "proc", Utilization: 0.3}},
		Used:    []result.MeasuredUse{{Name: "proc", Sharers: 1, Utilization: 0.3, Busiest: "top.a"}},
		Edges:   []result.MeasuredEdge{{Edge: "top.e", Backpressure: 0.05}}}
	r := &result.Result{Architecture: []result.Resource{{Name: "proc"}}, Measured: m}
	card := func() string {
		for _, f := range Of(r).Facts {
			if f.Label == "Bottleneck" {
				return f.Value + ": " + f.Note
			}
		}
		return ""
	}
	if got := card(); got != "nothing was busy: a source or an unmeasured wait limits the throughput; the busiest "+
		"was proc, in use for 30 % of the run; used by top.a" {
		t.Errorf("the card says %q", got)
	}
	m.Edges[0].Backpressure = 0.4
	if got := card(); !strings.HasPrefix(got, "nothing was busy: waiting limits the throughput: the writer of top.e "+
		"waited for space for 40 % of the run") {
		t.Errorf("the card says %q", got)
	}
	if runUsed(m, nil).Rows[0].Hot {
		t.Error("the row stands out")
	}
	if l := placedRun(r); len(l.limit) > 0 {
		t.Errorf("the drawing marks %v", l.limit)
	}
	m.Used[0].Utilization = 0.6
	if got := card(); !strings.HasPrefix(got, "nothing was busy") {
		t.Errorf("the card says %q", got)
	}
	m.Used[0].Utilization = 0.8
	if got := card(); !strings.HasPrefix(got, "proc: in use for 80 %") {
		t.Errorf("the card says %q", got)
	}
	m.Partial, m.FaultOf = "top.a does not return", "top.a"
	if got := card(); got != "" {
		t.Errorf("a fault ended the run, and its bottleneck is %q", got)
	}
}

// TestRobustSure checks that the result of a robust ranking is one short line; the table has the rest.
func TestRobustSure(t *testing.T) {
	of := func(name string, same result.Number) result.Candidate {
		return result.Candidate{Name: name, Throughput: 5e6, Robustness: &result.Robustness{Low: 4e6, Same: same}}
	}
	r := &result.Result{Search: &result.Search{Robust: &result.Robust{Quantile: 0.05}},
		Candidates: []result.Candidate{of("1", 1), of("2", 0.99), of("3", 0.9), of("4", 0.1)}}
	if got := strings.Join(robustSure(r), "; "); got != "candidates 1, 2 and 3 cannot be distinguished; "+
		"at least 4 MB/s in 95 % of the draws of the profile" {
		t.Error(got)
	}
	r.Candidates[1].Robustness.Same, r.Candidates[2].Robustness.Same = 0, 0
	if got := strings.Join(robustSure(r), "; "); got != "at least 4 MB/s in 95 % of the draws of the profile" {
		t.Error(got)
	}
}

// TestRobustBound checks that a robust search shows no bound on the throughput beside "optimal", and that it names the
// order of the candidates.
func TestRobustBound(t *testing.T) {
	c := result.Candidate{Name: "1", Throughput: 5e6, Robustness: &result.Robustness{Low: 4e6}}
	r := &result.Result{Search: &result.Search{Robust: &result.Robust{Quantile: 0.05}, Bound: 6e6,
		Status: "optimal: all mappings were evaluated"}, Candidates: []result.Candidate{c}}
	p := &script{}
	p.shortSure(r)
	if len(p.parts) != 1 || p.parts[0].Lead == nil {
		t.Fatalf("%+v", p.parts)
	}
	if text := p.parts[0].Lead.Text; strings.Contains(text, "optimal") || !strings.Contains(text, "20 %") ||
		!strings.Contains(text, "5 % quantile") {
		t.Error(text)
	}
}

// TestHowSure checks that the first screen has one fact on certainty. Its value is the most serious doubt, and a
// proof does not outrank it.
func TestHowSure(t *testing.T) {
	t.Parallel()
	failed := &result.Measured{Assertions: []result.Assertion{{Name: "a", Frames: 2, Failed: 1}}, Disturbed: "spins"}
	for _, c := range []struct {
		name        string
		r           result.Result
		value, note string // "" for no such fact
	}{
		{"proven", result.Result{Search: &result.Search{Optimal: true, Status: "optimal: all mappings were evaluated"}},
			"proven optimal for these figures", "all mappings were evaluated"},
		{"proven, not simulated", result.Result{Search: &result.Search{Optimal: true}, Candidates: []result.Candidate{
			{Name: "1", Throughput: 1e6, Queues: []result.Queue{{Edge: "e"}}}}},
			"proven optimal for these figures, with unlimited buffers", ""},
		{"proven, less with buffers", result.Result{Search: &result.Search{Optimal: true},
			Candidates: []result.Candidate{{Name: "1", Throughput: 1e6, FlowBound: 2e6,
				WithBuffers: &result.WithBuffers{Throughput: 1e6}}}},
			"proven optimal for these figures, with unlimited buffers", ""},
		{"proven, the same with buffers", result.Result{Search: &result.Search{Optimal: true},
			Candidates: []result.Candidate{{Name: "1", Throughput: 1e6, Queues: []result.Queue{{Edge: "e"}},
				WithBuffers: &result.WithBuffers{Throughput: 1e6}}}}, "proven optimal for these figures", ""},
		{"disturbed", result.Result{ProfileDisturbed: "spins", Search: &result.Search{Optimal: true}},
			"disturbed profile", "proven optimal for these figures"},
		{"stale and disturbed", result.Result{ProfileDisturbed: "spins", Stale: []result.Doubted{{Kernel: "a"}}},
			"stale figures", "disturbed during calibration: spins"},
		{"front", result.Result{Search: &result.Search{Objectives: []string{"throughput", "cores"},
			Status: "stopped at the time limit"}}, "the front may be incomplete", "mappings may be missing"},
		{"too short", result.Result{Search: &result.Search{TooShort: true, Evals: 3, Placements: "4096"}},
			"too short a search", "3 of 4096 mappings"},
		{"unlimited buffers", result.Result{ProfileDisturbed: "spins", Candidates: []result.Candidate{{Name: "1",
			Throughput: 1e6, Warnings: []fault.Note{mapperfaults.BuffersNotSimulated.Notef("time up")}}}},
			"disturbed profile", "unlimited buffers: time up"},
		{"sizes unchecked", result.Result{Search: &result.Search{Optimal: true}, Candidates: []result.Candidate{
			{Name: "1", Throughput: 1e6, Warnings: []fault.Note{mapperfaults.BuffersUnchecked.Notef("time up")}}}},
			"unlimited buffers", "proven optimal"},
		{"failed test of sharing", result.Result{Search: &result.Search{Optimal: true}, Candidates: []result.Candidate{
			{Name: "1", Throughput: 1e6, Resources: []result.Share{{Members: 2, SharingError: 7.94}}}}},
			"failed test of core sharing", "wrong by 794 %"},
		{"unused test of sharing", result.Result{Search: &result.Search{Optimal: true}, Candidates: []result.Candidate{
			{Name: "1", Throughput: 1e6, Resources: []result.Share{{Members: 1, SharingError: 7.94}}}}},
			"proven optimal for these figures", ""},
		{"failed", result.Result{Measured: failed, ProfileDisturbed: "profile"}, "assertions failed",
			"a failed in 1 of 2 frames; the machine was disturbed during the run"},
		{"run", result.Result{Measured: &result.Measured{}, ProfileDisturbed: "profile"}, "", ""},
	} {
		if c.r.Measured == nil && c.r.Candidates == nil {
			c.r.Candidates = []result.Candidate{{Name: "1", Throughput: 1e6}}
		}
		list := howSure(&c.r)
		if len(list) == 0 && c.value == "" {
			continue
		}
		if len(list) != 1 || list[0].Value != c.value || !strings.Contains(list[0].Note, c.note) {
			t.Errorf("%s: %+v", c.name, list)
		}
		for _, f := range Of(&c.r).Facts {
			if f.Label == "Proof" || f.Label == "Profile" || f.Label == "Machine" {
				t.Errorf("%s: %+v stands beside it", c.name, f)
			}
		}
	}
}

// TestUnlimitedBuffers checks that terminal, JSON and page state that a throughput is with unlimited buffers. A
// candidate that was simulated has no such doubt.
func TestUnlimitedBuffers(t *testing.T) {
	t.Parallel()
	r := wellResult()
	doubtful := func() bool {
		return slices.ContainsFunc(allSure(r), func(x fault.Note) bool {
			return x.ID == mapperfaults.BuffersNotSimulated
		})
	}
	if doubtful() {
		t.Error("nothing was reported missing")
	}
	c := &r.Candidates[0]
	c.WithBuffers, c.Warnings = nil, []fault.Note{mapperfaults.BuffersNotSimulated.Notef("time up")}
	if !doubtful() {
		t.Errorf("certain of %v", allSure(r))
	}
	if c.WithBuffers = (&result.WithBuffers{Throughput: 1}); doubtful() {
		t.Error("it was simulated")
	}
}

// TestOrderOfFindings checks that cautions precede hints.
func TestOrderOfFindings(t *testing.T) {
	t.Parallel()
	r := wellResult()
	r.ProfileDisturbed = "spins"
	r.Candidates[0].Blocks = []result.Block{{Name: "A", Platform: "C", Instances: 3, TenPercent: 0.2}}
	list := found(r)
	if len(list) != 2 || list[0].severity != caution || !list[1].limits {
		t.Fatalf("%+v", list)
	}
	if x := list[1]; x.do != "make all 3 kernels of block A on C faster, or move work away from it" ||
		x.gain != "+20 % throughput if they are 10 % faster" {
		t.Errorf("not what brings most: %+v", x)
	}
}

// TestCopiesLeftOpen checks for a statement if the interval of a plan with copies contains the throughput of the plan
// without.
func TestCopiesLeftOpen(t *testing.T) {
	for low, open := range map[result.Number]bool{290e6: true, 380e6: false} {
		r := &result.Result{Search: &result.Search{Copies: &result.CopiesCompared{Kernels: []string{"a"}, Chosen: true,
			Copied: result.PlanRates{Predicted: 415e6, Buffered: 415e6}, Alone: result.PlanRates{Predicted: 366e6,
				Buffered: 366e6}}}}
		r.Candidates = []result.Candidate{{Throughput: 415e6, Interval: &[2]result.Number{low, 450e6}}}
		for _, s := range []string{copiesWords(r), copiesVerdict(r)} {
			if strings.Contains(s, "do not decide") != open || strings.Contains(s, "may be faster") != open ||
				strings.Contains(s, "are faster") == open {
				t.Errorf("from %g: %s", float64(low), s)
			}
		}
	}
}

// TestProvenWithoutCopies checks that a proof for the mappings without copies is reported beside the bound with copies.
func TestProvenWithoutCopies(t *testing.T) {
	for name, x := range map[string]struct {
		s    result.Search
		id   fault.ID
		text []string
	}{
		"proven": {result.Search{AloneBound: 10e6, AloneProven: true, Bound: 18e6}, faults.ProvenAlone,
			[]string{"18 MB/s"}},
		"bounded": {result.Search{AloneBound: 11e6, Bound: 18e6}, faults.BoundAbove, []string{"10 %", "18 MB/s"}},
		"no time": {result.Search{AloneBound: 10e6, AloneProven: true, CopiesLeft: copies.NotTried},
			faults.ProvenAlone, []string{copies.NotTried}},
		"buffered": {result.Search{AloneBound: 12e6, AloneProven: true, Bound: 18e6}, faults.ProvenAlone,
			[]string{"12 MB/s", "18 MB/s"}},
		"copies": {result.Search{AloneBound: 5e6, AloneProven: true, Bound: 18e6,
			Copies: &result.CopiesCompared{Chosen: true}},
			faults.BoundAbove, []string{"80 %"}},
		"not supported": {result.Search{Optimal: true, Bound: 10e6, WithoutCopies: true}, faults.ProvenBest,
			[]string{"without copies"}},
		"bounded, not supported": {result.Search{Bound: 18e6, WithoutCopies: true}, faults.BoundAbove,
			[]string{"without copies", "80 %"}},
	} {
		r := &result.Result{Search: &x.s, Candidates: []result.Candidate{{Throughput: 10e6}}}
		id, text, _ := proofOf(r)
		if id != x.id {
			t.Errorf("%s: id %s, want %s", name, id, x.id)
		}
		for _, w := range x.text {
			if !strings.Contains(text, w) {
				t.Errorf("%s: %q lacks %q", name, text, w)
			}
		}
	}
}

// TestGapOfHeadline checks that terminal, page and the table of seeds compare the bound with the printed throughput,
// which finite buffers reduce, with copies and without.
func TestGapOfHeadline(t *testing.T) {
	limited := func(s *result.Search) *result.Result {
		return &result.Result{Search: s, Candidates: []result.Candidate{{Name: "1", Throughput: 500e6, FlowBound: 550e6,
			WithBuffers: &result.WithBuffers{Throughput: 500e6, Sizes: "recommended"}}}}
	}
	r := limited(&result.Search{Bound: 600e6, Status: "stopped at the time limit"})
	alone := limited(&result.Search{AloneBound: 600e6, Bound: 700e6, Status: "stopped at the time limit"})
	for _, x := range []*result.Result{r, alone} {
		if _, proven, _ := proofOf(x); !strings.Contains(proven, "20 %") {
			t.Error(proven)
		}
	}
	facts := ""
	for _, p := range searched(r).Parts {
		if p.Table != nil && p.Table.ID == "search-facts" {
			for _, row := range p.Table.Rows {
				facts += row.Cells[0].Text + ": " + row.Cells[1].Text + "\n"
			}
		}
	}
	if !strings.Contains(facts, "bound: 20 %") {
		t.Error(facts)
	}
	for _, c := range Seeds([]*result.Result{r}, "throughput").Rows[0].Cells {
		facts += c.Text + "\n"
	}
	if !strings.Contains(facts, "within 20 %") {
		t.Error(facts)
	}
}

// TestHeadlineObjectives checks that the headlines of a search for several objectives contain their figures.
func TestHeadlineObjectives(t *testing.T) {
	r := &result.Result{Search: &result.Search{Objectives: []string{"latency", "cores"}},
		Candidates: []result.Candidate{{Name: "1", Throughput: 5e6,
			Measures: &result.Measures{Latency: 3e-3, Cores: 2}}}}
	var leads []string
	for _, p := range append(Short(r, nil), Closing(r, nil)...) {
		if p.Lead != nil && (p.Lead.Word == "Front" || p.Lead.Word == "Throughput") {
			leads = append(leads, p.Lead.Text)
		}
	}
	for _, f := range facts(r) {
		if f.Label == "Objectives" {
			leads = append(leads, f.Value)
		}
	}
	if len(leads) != 3 {
		t.Errorf("%d headlines, want 3", len(leads))
	}
	for _, s := range leads {
		if !strings.Contains(s, "3 ms") || !strings.Contains(s, "cores 2") {
			t.Errorf("%q lacks an objective", s)
		}
	}
}

// TestPossibleBottleneckLoads checks that a kernel on a possible bottleneck is not said to load none.
func TestPossibleBottleneckLoads(t *testing.T) {
	c := &result.Candidate{IntervalAssumed: 1,
		IntervalAssumedOf: []result.Assumed{{Name: "top.a", Figures: []string{"send cost"}}},
		Bottlenecks:       []result.Step{{Limits: []result.Limit{{Name: "core[2]"}}, Possible: []string{"core[1]"}}},
		Stations:          []result.Station{{Name: "top.a", On: "core[1]"}, {Name: "top.b", On: "core[2]"}}}
	if s := assumedIntervals(c); !strings.Contains(s, "core[1]") || strings.Contains(s, "does not load") {
		t.Errorf("%q contradicts the possible bottleneck core[1]", s)
	}
	c.Resources = []result.Share{{Name: "core[1]", Utilization: 0.158}}
	if s := bottleneckNames(c); !strings.Contains(s, "core[1], although in use for only 15.8 %") {
		t.Errorf("%q names a little used core as the bottleneck", s)
	}
	c.Figures = []result.OriginCount{{Origin: "measured", Count: 16}}
	if s := Basis(c); !strings.Contains(s, " of them with an assumed interval") {
		t.Errorf("%q counts no assumed intervals", s)
	}
	c.Bottlenecks[0].Possible = nil
	if s := assumedIntervals(c); !strings.Contains(s, "does not load") {
		t.Errorf("%q, want no load of the bottleneck", s)
	}
}

// TestFrontWithin checks that a front names the members that the intervals do not order in throughput.
func TestFrontWithin(t *testing.T) {
	r := &result.Result{Search: &result.Search{Objectives: []string{"throughput", "cores"}}}
	r.Candidates = []result.Candidate{{Name: "1", Throughput: 100e6, Interval: &[2]result.Number{90e6, 110e6}},
		{Name: "2", Throughput: 95e6},
		{Name: "3", Throughput: 50e6}}
	if got := frontWithin(r); !strings.HasSuffix(got, " 1 and 2") || withinInterval(r) != got {
		t.Errorf("got %q", got)
	}
	r.Search.Merged = 4
	r.Candidates[0].Measures = &result.Measures{Cores: 2}
	if _, of := bestWords(r); !strings.HasSuffix(of, "(4 other mappings are equal or worse at the printed "+
		"precision)") || !strings.Contains(facts(r)[1].Note, "4 other mappings") {
		t.Errorf("%q on the terminal, %+v on the page", of, facts(r)[1])
	}
	r.Candidates[1].Throughput = 80e6
	if got := frontWithin(r); got != "" {
		t.Errorf("apart: got %q", got)
	}
}

// TestShortSure checks that the short answer counts its figures and has at most two statements on its certainty: the
// first doubt, and the proof with the reason why the search ended.
func TestShortSure(t *testing.T) {
	r := wellResult()
	r.ProfileDisturbed = "spins"
	r.Stale = []result.Doubted{{Kernel: "top.a", Resources: []string{"p"}, Why: "another source"}}
	r.Candidates[0].IntervalAssumed = 2
	r.Search = &result.Search{Bound: 2 * r.Candidates[0].Throughput, Status: "stopped at the time limit",
		Copies: &result.CopiesCompared{Kernels: []string{"top.a"}, Chosen: true, Why: "time limit reached"}}
	p := &script{}
	p.shortSure(r)
	text := p.parts[0].Lead.Text
	if list := strings.Split(text, "; "); len(list) != 3 || list[0] != Basis(&r.Candidates[0]) ||
		!strings.HasPrefix(list[1], "profile disturbed: ") ||
		!strings.HasSuffix(list[2], "(stopped at the time limit)") {
		t.Errorf("got %q", text)
	}
}

// TestShortChoice checks that a short answer names ties, and the quantile and the rivals of a robust ranking, whatever
// else makes it uncertain.
func TestShortChoice(t *testing.T) {
	r := wellResult()
	c := r.Candidates[0]
	c.Name, c.Interval = "1", &[2]result.Number{c.Throughput / 2, 2 * c.Throughput}
	second, third := c, c
	second.Name, third.Name = "2", "3"
	r.ProfileDisturbed, r.Candidates = "spins", []result.Candidate{c, second, third}
	r.Search = &result.Search{Objectives: []string{"throughput"}, Status: "stopped at the time limit",
		Bound: 2 * c.Throughput}
	text := func() (first, sure string) {
		p := &script{}
		p.shortSearch(r)
		return leadOf(p.parts, "Best"), leadOf(p.parts, "How sure")
	}
	if _, sure := text(); !strings.Contains(sure, "candidates 1 to 3 tie") || !strings.Contains(sure, "disturbed") {
		t.Errorf("no tie: %s", sure)
	}
	r.Search.Robust = &result.Robust{Quantile: 0.05}
	for i := range r.Candidates {
		r.Candidates[i].Robustness = &result.Robustness{Low: 4e6, Same: 0.9}
	}
	r.Candidates[1].Robustness.Decide = &result.Doubt{Block: "A", Platform: "C", Part: 0.7}
	first, sure := text()
	figures := regexp.MustCompile(`^\S+ \S+ \([^)]*\), at least 4 MB/s in 95 % of the draws.*candidates 1 to 3$`)
	if !figures.MatchString(first) || !strings.Contains(sure, "A on C") {
		t.Errorf("robust: %s\n%s", first, sure)
	}
}

// leadOf returns the text after a lead word; "" if no line has it.
func leadOf(parts []Part, word string) string {
	for _, p := range parts {
		if p.Lead != nil && p.Lead.Word == word {
			return p.Lead.Text
		}
	}
	return ""
}
