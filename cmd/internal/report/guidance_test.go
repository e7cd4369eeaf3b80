package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"xopt/cmd/faults"
	runfaults "xopt/deploy/faults"
	"xopt/internal/fault"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// TestFindings checks that each finding is reported with its action, and nothing for a good result.
func TestFindings(t *testing.T) {
	t.Parallel()
	for _, x := range slices.Concat(predictedFindings(), robustFindings(), otherFindings()) {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			r := wellResult()
			x.change(r)
			for _, f := range found(r) {
				if f.severity == x.severity && strings.Contains(f.seen, x.seen) && strings.Contains(f.do, x.does) &&
					strings.Contains(f.gain, x.gain) {
					return
				}
			}
			t.Errorf("not among %+v", found(r))
		})
	}
	if list := found(wellResult()); len(list) != 1 {
		t.Errorf("nothing is wrong, and there are %+v", list)
	}
	if x := guidance(&result.Result{}); x != nil {
		t.Errorf("a table of nothing: %+v", x)
	}
}

// findingCase is a change of a good result, with the expected finding.
type findingCase struct {
	name             string
	change           func(r *result.Result)
	severity         severity
	seen, does, gain string
}

// wellResult returns a prediction with a bottleneck and no other findings.
func wellResult() *result.Result {
	return &result.Result{Candidates: []result.Candidate{{Name: "1", Throughput: 30e6,
		Bottlenecks: []result.Step{{Throughput: 30e6, Limits: []result.Limit{{Name: "top.a on proc[1]"}}},
			{Throughput: 40e6, Limits: []result.Limit{{Name: "bus"}}}},
		Stations: []result.Station{{Name: "top.a", On: "proc[1]", TenPercent: 0.1, Origin: "measured"},
			{Name: "top.b", On: "proc[2]", Origin: "assumed"}},
		Resources: []result.Share{{Name: "proc[1]", Members: 1, Utilization: 0.6, TenPercent: 0.1},
			{Name: "proc[2]", Members: 1, Utilization: 0.6}},
		Links: []result.Share{{Name: "bus", Utilization: 0.75, Origin: "published"}}}}}
}

// atCopiesWith makes a result that of a run with two copies of a kernel, with the given utilizations. A writer waited
// for space on the edge to the first copy.
func atCopiesWith(second, first float64) func(*result.Result) {
	return func(r *result.Result) {
		runOf(result.Measured{
			Edges: []result.MeasuredEdge{{Edge: "top.e#1", Backpressure: 0.3, Utilization: first},
				{Edge: "top.e#2", Backpressure: 0.3, Utilization: second}},
			Kernels: []result.MeasuredKernel{{Kernel: "top.s"}, {Kernel: "top.a#1", Utilization: first},
				{Kernel: "top.a#2", Utilization: second}},
		})(r)
		r.Kernels = []result.Kernel{{Name: "top.s"}, {Name: "top.a#1", CopyOf: "top.a"},
			{Name: "top.a#2", CopyOf: "top.a"}}
		r.Edges = []result.Edge{{Name: "top.e#1", From: "top.s", To: "top.a#1"},
			{Name: "top.e#2", From: "top.s", To: "top.a#2"}}
	}
}

// runOf makes a result that of a run.
func runOf(m result.Measured) func(*result.Result) {
	return func(r *result.Result) { r.Candidates, r.Measured = nil, &m }
}

func predictedFindings() []findingCase {
	return []findingCase{
		{"bottleneck", func(*result.Result) {}, hint, "top.a on proc[1] limits the throughput to 30 MB/s",
			"make top.a on proc[1] faster, or move work away from it",
			"+10 % throughput if it is 10 % faster; at most +33.3 %, limited by bus"},
		{"cycle", func(r *result.Result) {
			r.Candidates[0].Bottlenecks[0].Limits[0].Cycle = &result.Cycle{MoreOn: "top.e", More: 45e6}
		}, hint, "limits the throughput", "add initial elements",
			"one more initial element on top.e would give a throughput of 45 MB/s"},
		{"link", func(r *result.Result) { r.Candidates[0].Links[0].Utilization = 0.95 }, hint,
			"bus is 95 % busy, close to its limit", "reduce the data on it", "no gain before"},
		{"copies", func(r *result.Result) {
			r.Candidates[0].Copies = &result.CopyAdvice{Kernel: "top.a", Resources: []string{"proc[1]", "proc[2]"},
				Throughput: 45e6}
		}, hint, "top.a on proc[1] limits the throughput to 30 MB/s", "map { top.a } to proc[1] & proc[2];",
			"+50 % throughput (predicted)"},
		{"a full copy", func(r *result.Result) {
			c := &r.Candidates[0]
			c.Resources[0].Utilization, c.Resources[1].Utilization, c.Stations[0].Name = 1, 0.2, "top.a#1"
		}, hint, "proc[1] is 100 % busy, but these resources have capacity left: proc[2] (20 % busy)",
			"add a copy of top.a", ""},
		{"long queues", func(r *result.Result) {
			p := &result.Candidate{Queues: []result.Queue{{Edge: "top.e",
				Recommended: &result.Recommendation{Estimate: result.Estimate{Elements: 20}}}}}
			edge := result.MeasuredEdge{Edge: "top.e", MeanOccupancy: 1500, ElementRate: 20e3}
			runOf(result.Measured{Edges: []result.MeasuredEdge{edge}})(r)
			r.Prediction = p
		}, hint, "data waited for 75 ms in queues", "--buffers tuned", ""}, // 1500 / 20e3, at most 20 / 20e3
		{"failed test of sharing", func(r *result.Result) {
			r.Candidates[0].Resources[0].Members, r.Candidates[0].Resources[0].SharingError = 2, 7.94
		}, caution, "wrong by 794 %", "xopt validate", ""},
		{"imbalance", func(r *result.Result) {
			r.Candidates[0].Resources[0].Utilization, r.Candidates[0].Resources[1].Utilization = 1, 0.2
		}, hint, "proc[1] is 100 % busy, but these resources have capacity left: proc[2] (20 % busy)",
			"only one kernel runs on proc[1]", ""},
		{"assumed", func(r *result.Result) { r.Candidates[0].Stations[0].Origin = "assumed" }, caution,
			"the assumed service rate of top.a on proc[1]", "xopt calibrate", "+10 % if it is 10 % higher"},
		{"stopped", func(r *result.Result) {
			r.Candidates[0].WithBuffers = &result.WithBuffers{Stopped: "top.a waits for top.b"}
		}, problem, "proven to deadlock: top.a waits for top.b", "enlarge", "the mapping runs"},
		{"buffers cost", func(r *result.Result) {
			r.Candidates[0].Limit(&result.WithBuffers{Throughput: 15e6, Sizes: "given",
				Edges: []result.BufferedEdge{{Edge: "top.e", Blocked: 0.4, Enlarged: 30e6}}})
		}, caution, "the given buffers cost 50 % of the throughput; the writer of top.e waits for 40 %",
			"enlarge top.e", "+100 % if it is 64 times as large"},
		{"oversized", func(r *result.Result) {
			r.Candidates[0].Queues = []result.Queue{{Edge: "top.e", ElementBytes: 4,
				Given: &result.Estimate{Elements: 1 << 20},
				Recommended: &result.Recommendation{Estimate: result.Estimate{Elements: 100, Bytes: 400},
					Level: "proven"}}}
		}, hint, "the buffer of top.e is 4.19 MB, but the recommended size is 400 B (proven)", "buffer { top.e } = " +
			"100;",
			"less memory"},
		{"tie", func(r *result.Result) {
			r.Search, r.Candidates[0].Latency = &result.Search{}, &result.Latency{Seconds: 2e-3}
			r.Candidates = append(r.Candidates, result.Candidate{Name: "2", Throughput: 30e6,
				Latency: &result.Latency{Seconds: 1e-3}})
		}, hint, "candidates 1 and 2 tie in throughput", "choose by their differences",
			"candidate 2 gains a latency of 1 ms, not 2 ms"},
	}
}

func robustFindings() []findingCase {
	return []findingCase{
		{"robust", func(r *result.Result) {
			r.Search = &result.Search{Robust: &result.Robust{Quantile: 0.05}}
			r.Candidates = append(r.Candidates, result.Candidate{Name: "2", Throughput: 29e6,
				Robustness: &result.Robustness{Behind: .7, Decide: &result.Doubt{Block: "A", Platform: "C", Part: .8}}})
		}, caution, "the figures do not distinguish mappings 1 and 2: mapping 1 is better in 70 % of the draws",
			"measure A on C more precisely", "this figure causes 80 % of the uncertainty of the order"},
		{"the third alike, the second not", func(r *result.Result) { // without a robust ranking
			r.Search = &result.Search{}
			r.Candidates = append(r.Candidates,
				result.Candidate{Name: "2", Throughput: 25e6, Robustness: &result.Robustness{Behind: .97}},
				result.Candidate{Name: "3", Throughput: 24e6, Robustness: &result.Robustness{Behind: .7,
					Decide: &result.Doubt{Block: "A", Platform: "C", Part: .8}}})
		}, caution, "the figures do not distinguish mappings 1 and 3: mapping 1 is better in 70 % of the draws",
			"measure A on C more precisely", "this figure causes 80 % of the uncertainty of the order"},
	}
}

func otherFindings() []findingCase {
	return []findingCase{
		{"a violated emit", func(r *result.Result) {
			r.Measured, r.Warnings = &result.Measured{}, []fault.Note{{ID: runfaults.EmitDiffers, Text: "top.f sent 3"}}
		}, caution, "top.f sent 3", "correct the emit", ""},
		{"a stall", func(r *result.Result) {
			r.Measured = &result.Measured{}
			r.Warnings = []fault.Note{{ID: runfaults.RunStalled, Text: "it stood still"}}
		}, caution, "it stood still", "on a quiet machine", ""},
		{"a long ramp", func(r *result.Result) {
			r.Measured = &result.Measured{}
			r.Warnings = []fault.Note{{ID: runfaults.LongRamp, Text: "it rose"}}
		}, caution, "it rose", "with more --elements", ""},
		{"a long ramp with --time", func(r *result.Result) {
			r.Measured = &result.Measured{Partial: "stopped after 2s, as asked"}
			r.Warnings = []fault.Note{{ID: runfaults.LongRamp, Text: "it rose"}}
		}, caution, "it rose", "with a longer --time", ""},
		{"a long ramp, interrupted", func(r *result.Result) {
			r.Measured = &result.Measured{Partial: "interrupted"}
			r.Warnings = []fault.Note{{ID: runfaults.LongRamp, Text: "it rose"}}
		}, caution, "it rose", "run again, and let the run end by itself", ""},
		{"disturbed profile", func(r *result.Result) { r.ProfileDisturbed = "spins varied" }, caution, "disturbed",
			"calibrate again", "intervals"},
		{"stale", func(r *result.Result) {
			r.Stale, r.Remeasure = []result.Doubted{{Kernel: "top.a", Resources: []string{"proc[1]"},
				Why: "a.c changed"}},
				"xopt calibrate app.x"
		}, problem, "top.a on proc[1] are stale: a.c changed", "xopt calibrate app.x", "sources"},
		{"assertion", runOf(result.Measured{Assertions: []result.Assertion{{Name: "a1", Frames: 3, Failed: 1,
			Failures: []result.Breach{{Text: "frame 2: 3 ktps"}}}}}), problem, "assertion a1 failed in 1 of 3 frames",
			"frame 2: 3 ktps", ""},
		{"fault", runOf(result.Measured{Partial: "it crashed", FaultOf: "top.a"}), problem,
			"a fault of top.a ended the run",
			"correct top.a", ""},
		{"long reason", runOf(result.Measured{Partial: strings.Repeat("it hung, ", 40) + "\nand more"}), hint,
			"by itself: it hung", "up to its end", ""},
		{"busy", runOf(result.Measured{Used: []result.MeasuredUse{{Name: "proc[1]", Utilization: 0.97, Sharers: 1,
			Busiest: "top.a"}}}), hint, "proc[1] was in use for 97 % of the run and limited the throughput",
			"make top.a faster", ""},
		{"shared", runOf(result.Measured{Used: []result.MeasuredUse{{Name: "proc[1]", Utilization: 0.97, Sharers: 2,
			Busiest: "top.a"}}}), hint, "proc[1] was in use for 97 % of the run", "starting with top.a", ""},
		{"full link", runOf(result.Measured{Used: []result.MeasuredUse{{Name: "proc[1]", Utilization: 0.8},
			{Name: "bus", IsLink: true, Utilization: 0.95}}}), hint, "bus was in use for 95 % of the run", "reduce",
			""},
		{"disproved link", runOf(result.Measured{Used: []result.MeasuredUse{{Name: "proc[1]", Utilization: 0.2},
			{Name: "bus", IsLink: true, Rate: 1.329e9, Bandwidth: 125e6, Origin: "assumed", Exceeded: 10.632}}}),
			caution,
			"bus carried 1.33 GB/s, 10.6 times its bandwidth of 125 MB/s, so this bandwidth (assumed)",
			"correct the bandwidth of bus", ""},
		{"backpressure", runOf(result.Measured{Edges: []result.MeasuredEdge{{Edge: "top.full", Backpressure: 0.9,
			Utilization: 1}, {Edge: "top.e", Backpressure: 0.3, Utilization: 0.5}}}), hint,
			"the writer of top.e waited for space for 30 % of the run", "enlarge its buffer", ""},
		{"uneven copies", atCopiesWith(0.95, 0.4), hint, "the writer of top.e#1 waited for space for 30 % of the run",
			"a larger buffer does not help: the copies of top.a take turns, so all wait for top.a#2 (busy for 95 % " +
				"of the run; top.a#1 was busy for 40 %). Change their turns", ""},
		{"other turns", func(r *result.Result) {
			atCopiesWith(0.06, 0.02)(r)
			r.Measured.Kernels[1].Firings, r.Measured.Kernels[2].Firings = 1000, 3000
		}, hint, "the writer of top.e#1 waited", "a larger buffer does not help: the copies of top.a take turns, so " +
			"all wait for top.a#2 (busy for 6 % of the run; top.a#1 was busy for 2 %). Change their turns", ""},
		{"even copies", atCopiesWith(0.5, 0.48), hint, "the writer of top.e#1 waited", "buffer { top.e } = …;", ""},
		{"grown at copies", runOf(result.Measured{Buffers: &result.MeasuredBuffers{Grown: []result.GrownBuffer{{
			Edge: "top.e#2.1", From: 4, To: 16}}}}), hint, "buffer of top.e#2.1 grew", "buffer { top.e } = 16;", ""},
		{"grown", runOf(result.Measured{Buffers: &result.MeasuredBuffers{Grown: []result.GrownBuffer{{Edge: "top.e",
			From: 4, To: 16}}}}), hint, "the buffer of top.e grew", "buffer { top.e } = 16;", "no growth"},
		{"missed", func(r *result.Result) {
			r.Prediction, r.Measured = &r.Candidates[0], &result.Measured{Throughput: 20e6}
			r.Prediction.Queues = []result.Queue{{Edge: "top.e", Recommended: &result.Recommendation{
				Estimate: result.Estimate{Elements: 10}}}}
			r.Measured.Edges = []result.MeasuredEdge{{Edge: "top.e", MaxOccupancy: 20}}
			r.Candidates = nil
		}, caution, "the predicted throughput, 30 MB/s, is 50 % above the measured value", "xopt validate", ""},
	}
}

// TestMoreMemory checks that xopt buffers is advised only if large buffers give more throughput.
func TestMoreMemory(t *testing.T) {
	t.Parallel()
	for large, want := range map[result.Number]string{27e6: "", 29.9e6: "xopt buffers"} {
		r := wellResult()
		c := &r.Candidates[0]
		c.Limit(&result.WithBuffers{Throughput: 0.9 * c.Throughput, Sizes: "given", Large: large / 30e6 *
			c.Throughput, Interval: &[2]result.Number{0.89 * c.Throughput, 0.91 * c.Throughput}})
		advised := slices.ContainsFunc(found(r), func(f finding) bool {
			return f.id == faults.BuffersCost && strings.Contains(f.do, "xopt buffers")
		})
		if advised != (want != "") {
			t.Errorf("large buffers give %g of %g: advised %t", large, c.Unlimited(), advised)
		}
	}
}

// TestWaitedInDoubt checks that a writer that waited in a disturbed run, or behind a kernel whose fault ended the
// run, is no reason for a larger buffer.
func TestWaitedInDoubt(t *testing.T) {
	t.Parallel()
	enlarges := func(change func(m *result.Measured)) bool {
		m := result.Measured{Edges: []result.MeasuredEdge{{Edge: "top.e", Backpressure: 0.9, Utilization: 0.1}}}
		change(&m)
		r := wellResult()
		runOf(m)(r)
		return slices.ContainsFunc(found(r), func(f finding) bool { return strings.Contains(f.do, "enlarge") })
	}
	if !enlarges(func(*result.Measured) {}) {
		t.Error("an undisturbed run does not advise a larger buffer")
	}
	if enlarges(func(m *result.Measured) { m.Disturbed = "other programs used 1.5 of 2 processors" }) {
		t.Error("a disturbed run advises a larger buffer")
	}
	if enlarges(func(m *result.Measured) {
		m.Disturbed, m.Simulated = "other programs used 1.5 of 2 processors", "cores"
	}) {
		t.Error("a run in virtual time with disturbed times advises a larger buffer")
	}
	if enlarges(func(m *result.Measured) { m.Simulated, m.Steady = "cores", &result.SteadyPart{Short: "too short"} }) {
		t.Error("a run without a throughput advises a larger buffer")
	}
	if enlarges(func(m *result.Measured) {
		m.Used = []result.MeasuredUse{{Name: "bus", IsLink: true, Utilization: 0.99}}
	}) {
		t.Error("a run that a full link limits advises a larger buffer")
	}
	if enlarges(func(m *result.Measured) {
		m.Used = []result.MeasuredUse{{Name: "core[1]", Sharers: 3, Utilization: 0.98, Busiest: "top.c"}}
	}) {
		t.Error("a run that a shared core limits advises a larger buffer")
	}
	if enlarges(func(m *result.Measured) { m.FaultOf, m.Partial = "top.k", "no progress" }) {
		t.Error("a run that a fault ended advises a larger buffer")
	}
}

// TestEmitFirst checks that a kernel that sends other numbers of elements than declared precedes a disturbance, and
// that buffers that filled because of it are not to be enlarged.
func TestEmitFirst(t *testing.T) {
	t.Parallel()
	r := wellResult()
	runOf(result.Measured{Disturbed: "other programs used 1.5 of 2 processors",
		Edges:   []result.MeasuredEdge{{Edge: "top.e", Backpressure: 0.9, Utilization: 0.1}},
		Buffers: &result.MeasuredBuffers{Grown: []result.GrownBuffer{{Edge: "top.e", From: 4, To: 16}}}})(r)
	if text := shortText(r); !strings.Contains(text, "buffer { top.e } = 16;") {
		t.Errorf("a buffer that grew: %s", text)
	}
	r.Warnings = []fault.Note{{ID: runfaults.EmitDiffers, Text: "top.f sent 3: sizes do not hold; correct it"}}
	for _, f := range found(r) {
		if f.id == faults.BufferGrew || f.id == faults.WriterWaited {
			t.Errorf("advice about a buffer: %+v", f)
		}
	}
	if id := found(r)[0].id; id != runfaults.EmitDiffers {
		t.Errorf("the first finding is %s", id)
	}
	if text := shortText(r); strings.Contains(text, "buffer {") ||
		!strings.Contains(text, "To do: top.f sent 3; correct the emit") {
		t.Errorf("the short answer: %s", text)
	}
}

// shortText returns the words of the short answer of a run.
func shortText(r *result.Result) string {
	p := &script{}
	p.shortRun(r)
	text := ""
	for _, x := range p.parts {
		if x.Lead != nil {
			text += x.Lead.Word + ": " + x.Lead.Text + "\n"
		}
	}
	return text
}

// TestInOrder checks that, within a severity, the bottleneck comes first, then the finding with the largest gain.
func TestInOrder(t *testing.T) {
	t.Parallel()
	list := inOrder([]finding{{severity: hint, seen: "little", brings: 0.01}, {severity: hint, seen: "unknown"},
		{severity: hint, seen: "much", brings: 0.3}, {severity: hint, seen: "limit", limits: true, brings: 0.1},
		{severity: caution, seen: "grave"}, {severity: hint, seen: "first", first: true}})
	var got []string
	for _, x := range list {
		got = append(got, x.seen)
	}
	if want := "first grave limit much little unknown"; strings.Join(got, " ") != want {
		t.Errorf("in order: %v, want %s", got, want)
	}
	r := wellResult()
	r.Candidates[0].Stations = append(r.Candidates[0].Stations, result.Station{Name: "top.c", On: "proc[2]",
		TenPercent: 0.02, Origin: "assumed"})
	r.Candidates[0].Links[0].Origin, r.Candidates[0].Links[0].TenPercent = "assumed", 0.05
	if list := found(r); !strings.Contains(list[0].seen, "bandwidth of bus") {
		t.Errorf("the first of %+v", list)
	}
}

// TestUnfinished checks that a kernel whose fault ended a run, and its core, are not shown as idle.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	m := &result.Measured{FaultOf: "top.k", Partial: "no progress",
		Place:   []result.Placement{{Kernel: "top.k", Resource: "proc[1]"}, {Kernel: "top.s", Resource: "proc[2]"}},
		Kernels: []result.MeasuredKernel{{Kernel: "top.k"}, {Kernel: "top.s", Utilization: 0.1}},
		Used:    []result.MeasuredUse{{Name: "proc[1]"}, {Name: "proc[2]", Utilization: 0.1}}}
	for name, table := range map[string]*Table{"kernels": runKernels(m), "resources": runUsed(m, nil)} {
		var rows []string
		for _, row := range table.Rows {
			text := ""
			for _, c := range row.Cells {
				text += c.Text + "|"
			}
			rows = append(rows, text)
		}
		if !strings.Contains(rows[0], unfinished) || strings.Contains(rows[1], unfinished) {
			t.Errorf("%s: %q", name, rows)
		}
	}
	c := &result.Candidate{Stations: []result.Station{{Name: "top.k"}}}
	for _, b := range predict.Compare(c, m) {
		if b.What == predict.BusyOf("top.k") {
			t.Errorf("the kernel is compared: %+v", b)
		}
	}
}

// TestOrigins checks that tables, charts and words of a simulated run call its figures simulated.
func TestOrigins(t *testing.T) {
	t.Parallel()
	c := &result.Candidate{Throughput: 30e6}
	m := &result.Measured{Simulated: "all", Seconds: 1, Throughput: 20e6,
		Edges: []result.MeasuredEdge{{Edge: "top.e", Capacity: 9, Occupancy: &result.Distribution{Mean: 1, Max: 2,
			Samples: 9, Bins: []result.Bin{{From: 0, To: 1, Elements: 5}, {From: 1, To: 2, Elements: 4}}}}}}
	r := &result.Result{Prediction: c, Measured: m}
	printed := func() string {
		p := &script{}
		p.measured(r)
		text := runBesideOf(c, m).Title + " " + runBesideOf(c, m).Columns[2].Name
		for _, x := range append(append(runTables(m, c), histograms(m)...), p.parts...) {
			if x.Table != nil {
				text += " " + x.Table.Title
			}
			if x.Chart != nil {
				text += " " + x.Chart.Title
			}
			text += " " + x.Text
		}
		return text
	}
	if text := printed(); strings.Contains(strings.ToLower(text), "measured") || !strings.Contains(text, "simulated") {
		t.Errorf("a simulated run says %s", text)
	}
	m.Simulated = ""
	if text := printed(); strings.Contains(text, "simulated") ||
		!strings.Contains(text, "Predicted and measured values") {
		t.Errorf("a run says %s", text)
	}
}

// TestWithinSimulation checks that a share that a simulation cannot distinguish from the complete throughput is 100
// %, and that a gain that it cannot distinguish from none is no loss.
func TestWithinSimulation(t *testing.T) {
	t.Parallel()
	w := &result.WithBuffers{Throughput: 100, Interval: &[2]result.Number{99, 101}, Level: "simulated"}
	for _, x := range []struct {
		larger result.Number
		exact  bool
		want   string
	}{
		{98.56, false, "within ± 1.44 %"}, {100.5, false, "within ± 1 %"}, {110, false, "+10"},
		{99.9999999, true, "0"}, {110, true, "+10"},
	} {
		of := *w
		if x.exact {
			of.Interval = nil
		}
		if c := enlargedGain(&of, &result.BufferedEdge{Enlarged: x.larger}); c.Text != x.want || c.Value < 0 {
			t.Errorf("%g if larger, exact %v: %q, %g", float64(x.larger), x.exact, c.Text, c.Value)
		}
	}
	c := &result.Candidate{Throughput: 99.6, WithBuffers: w}
	if note := withBuffersNotes(c)[0]; !strings.HasPrefix(note, "100 % of the flow bound") {
		t.Errorf("the note is %s", note)
	}
	f := &result.BufferFront{Level: "simulated", Keep: 0.99, Max: 100, Bound: 100, Low: 100.2, Seeds: 5,
		Points: []result.BufferPoint{{Memory: 1, Throughput: 100.4}}}
	if note := strings.Join(bufferFrontNotes(f), " "); !strings.Contains(note, "at least 100 %") {
		t.Errorf("of all of the throughput: %s", note)
	}
	if c := BufferFrontTable(f).Rows[0].Cells[2]; c.Text != "100" || c.Value != 1 {
		t.Errorf("of all of the throughput: %+v", c)
	}
}

// TestFindingsHaveIDs checks that each encoded finding, and each statement on certainty, has an identifier.
func TestFindingsHaveIDs(t *testing.T) {
	t.Parallel()
	searched := wellResult()
	searched.Search = &result.Search{Optimal: true, Status: "optimal: all mappings were evaluated"}
	for _, x := range []struct {
		r    *result.Result
		sure fault.ID
	}{{wellResult(), ""}, {searched, faults.ProvenBest}} {
		var b bytes.Buffer
		if err := Encoder(x.r)(&b); err != nil {
			t.Fatal(err)
		}
		var got result.Result
		if err := json.Unmarshal(b.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Findings) != 1 || got.Findings[0].ID != faults.Bottleneck || got.Findings[0].Do == "" {
			t.Errorf("findings are %+v", got.Findings)
		}
		if x.sure == "" && got.Sure != nil || x.sure != "" && (len(got.Sure) != 1 || got.Sure[0].ID != x.sure) {
			t.Errorf("how sure: %+v, want %q", got.Sure, x.sure)
		}
	}
	for _, x := range slices.Concat(predictedFindings(), robustFindings(), otherFindings()) {
		r := wellResult()
		x.change(r)
		for _, f := range found(r) {
			if f.id == "" {
				t.Errorf("%s: %q has no identifier", x.name, f.seen)
			}
		}
	}
}

// TestLargeBuffers checks that a search whose recommended buffers need much more than the least memory names the
// command that finds smaller ones, and that others do not.
func TestLargeBuffers(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		elements, minimum result.Number
		want              bool
	}{{2 << 20, 1e5, true}, {2 << 20, 1 << 20, false}, {1e5, 1e3, false}} {
		r := wellResult()
		r.Search = &result.Search{}
		r.Candidates[0].File = "app.1.map.x"
		r.Candidates[0].Queues = []result.Queue{{Edge: "e", ElementBytes: 1, Recommended: &result.Recommendation{
			Estimate: result.Estimate{Elements: x.elements, Bytes: x.elements}, Min: x.minimum}}}
		if got := slices.ContainsFunc(found(r), func(f finding) bool {
			return f.id == faults.BuffersLarge && strings.Contains(f.do, "app.1.map.x")
		}); got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
}

// TestWaitedWithoutGain checks that a run advises no larger buffer if the prediction found no gain from it.
func TestWaitedWithoutGain(t *testing.T) {
	t.Parallel()
	for large, want := range map[result.Number]bool{27e6: false, 29.9e6: true} {
		r := wellResult()
		r.Candidates[0].WithBuffers = &result.WithBuffers{Throughput: 27e6, Large: large,
			Interval: &[2]result.Number{26.9e6, 27.1e6}}
		r.Prediction, r.Candidates = &r.Candidates[0], nil
		r.Measured = &result.Measured{Throughput: 27e6,
			Edges: []result.MeasuredEdge{{Edge: "top.e", Backpressure: 0.3, Utilization: 0.5}}}
		advises := func(f finding) bool { return f.id == faults.WriterWaited }
		if got := slices.ContainsFunc(found(r), advises); got != want {
			t.Errorf("a gain to %g: advised %t", large, got)
		}
	}
}
