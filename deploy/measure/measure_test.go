package measure_test

import (
	"context"
	"math"
	"testing"
	"time"

	"xopt/deploy/measure"
	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/timetrial"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// load reads the chain with elements of one word.
func load(t *testing.T, mapping string) *design.Design {
	t.Helper()
	return flowtest.X{Dir: testkit.App(t, "chain"), More: mapping,
		Set: map[string]string{"top.words": "1", "top.most": "1"}}.Design(t, design.Options{Purpose: design.ForCheck})
}

const (
	oneCore  = "map { top } to core[1];"
	twoCores = "map { top.source, top.pass[1..5] } to core[1]; map { top.pass[6..9], top.sink } to core[2];"
	elements = 40000
)

// deployChain deploys the chain with statements.
func deployChain(t *testing.T, mapping, statements string, o measure.Options,
	frame time.Duration) (map[string]measure.Answer,
	map[string]measure.Verdict, *run.Measurement) {
	t.Helper()
	d := load(t, mapping)
	q, err := timetrial.Parse("test", statements, d.Program)
	if err != nil {
		t.Fatal(err)
	}
	p, err := measure.New(q, d.Program, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := program.New(context.Background(), d, program.Options{CPUs: 2, Elements: elements, Taps: p.Taps(),
		Conditions: p.Conditions()}, "")
	if err != nil {
		t.Fatal(err)
	}
	r := p.NewRecorder(nil)
	m, err := run.Once(context.Background(), prog, run.Options{Frame: frame, OnFrame: r.OnFrame})
	if rerr := prog.Remove(); rerr != nil {
		t.Error(rerr)
	}
	if err != nil || m.Failure != nil {
		t.Fatal(err, m.Failure)
	}
	list, verdicts := r.Finish(m)
	answers, judged := make(map[string]measure.Answer), make(map[string]measure.Verdict)
	for _, a := range list {
		answers[a.Measurement.Label] = a
	}
	for _, v := range verdicts {
		judged[v.Assertion.Label] = v
	}
	return answers, judged, m
}

// TestAgainstTrace compares statistics, conditions and assertions with those computed from a full trace of the
// same elements.
func TestAgainstTrace(t *testing.T) {
	a, v, m := deployChain(t, twoCores, `
all: measure trace(100000) latency at e6
the_mean: measure mean latency at e6
least: measure min latency at e6
most: measure max latency at e6
the_sum: measure sum latency at e6
bins: measure hist(bins=100, width=10us) latency at e6
slow: measure sum latency at e6 when latency at e6 > 20us
quick: measure sum latency at e6 when !(latency at e6 > 20us)
never: measure mean latency at e6 when latency at e6 < 0
held: measure trace(100000) occupancy at e6
few: measure sum occupancy at e6 when occupancy at e6 <= 10
a1: assert latency at e6 <= 20us
a2: assert occupancy at e6 < 4096
a3: assert latency at e6 >= 0 & occupancy at e6 >= 0`, measure.Options{Every: 1}, 0)
	checkStatistics(t, a, v)
	few := 0.0
	for _, e := range a["held"].Entries {
		if e.Value <= 10 {
			few += e.Value
		}
		if e.Value > float64(m.Edges[5].Capacity) {
			t.Errorf("an element found %g before it", e.Value)
		}
	}
	nearly(t, "few", a["few"].Total.Number, few)
	a2, a3 := v["a2"], v["a3"]
	if !a2.IsMet() && m.Edges[5].Capacity < 4096 || !a3.IsMet() || a3.Tested != 2*elements {
		t.Errorf("a2 %+v, a3 %+v", a2, a3)
	}
}

// checkStatistics works the statistics of TestAgainstTrace out from the trace.
func checkStatistics(t *testing.T, a map[string]measure.Answer, v map[string]measure.Verdict) {
	t.Helper()
	trace := a["all"].Entries
	if len(trace) != elements || a["all"].Lost != 0 {
		t.Fatalf("the trace has %d elements, %d lost, want %d", len(trace), a["all"].Lost, elements)
	}
	sum, slow, quick, minimum, maximum, late := 0.0, 0.0, 0.0, math.Inf(1), 0.0, 0.0
	bins, above := make([]float64, 100), 0.0
	for i, e := range trace {
		if e.Index != uint64(i) || !(e.Value >= 0) {
			t.Fatalf("entry %d is element %d with %g s", i, e.Index, e.Value)
		}
		sum += e.Value
		minimum, maximum = min(minimum, e.Value), max(maximum, e.Value)
		if e.Value > 20e-6 {
			slow += e.Value
			late++
		} else {
			quick += e.Value
		}
		if b := int(e.Value / 10e-6); b < len(bins) {
			bins[b]++
		} else {
			above++
		}
	}
	nearly(t, "mean", a["the_mean"].Total.Number, sum/elements)
	nearly(t, "min", a["least"].Total.Number, minimum)
	nearly(t, "max", a["most"].Total.Number, maximum)
	nearly(t, "sum", a["the_sum"].Total.Number, sum)
	if slow > 0 {
		nearly(t, "slow", a["slow"].Total.Number, slow)
	}
	if quick > 0 {
		nearly(t, "quick", a["quick"].Total.Number, quick)
	}
	if !math.IsNaN(a["never"].Total.Number) {
		t.Errorf("a condition that never holds gives %g", a["never"].Total.Number)
	}
	h := a["bins"].Total.Summary
	for i, n := range bins {
		nearly(t, "a bin", h.Histogram[i], n)
	}
	nearly(t, "above", h.Above, above)
	nearly(t, "tested", v["a1"].Tested, elements)
	nearly(t, "wrong", v["a1"].Wrong, late)
	if a1 := v["a1"]; a1.IsMet() != (late == 0) {
		t.Errorf("a1 holds: %t, with %g late elements", a1.IsMet(), late)
	}
}

// nearly fails unless two numbers agree except for rounding.
func nearly(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s is %g, want %g", name, got, want)
	}
}

// TestCounts: the parts selected by conditions add up, rates are elements over time, and the latency of a path
// is the sum of its parts.
func TestCounts(t *testing.T) {
	a, _, m := deployChain(t, oneCore, `
the_rate: measure rate at e1
taken: measure rate at pass[1].x
the_util: measure util at pass[1]
back: measure backpressure at e1
through: measure sum latency at source.y ... sink.x
p1: measure sum latency at e1; p2: measure sum latency at e2; p3: measure sum latency at e3
p4: measure sum latency at e4; p5: measure sum latency at e5
p6: measure sum latency at e6; p7: measure sum latency at e7; p8: measure sum latency at e8
p9: measure sum latency at e9; p10: measure sum latency at e10
framed: measure rate at e1 when rate at e1 > 0
yes: measure mean value at e10 when rate at e1 > 0
no: measure mean value at e10 when rate at e1 < 0
the_value: measure mean value at e10`, measure.Options{Every: 1}, 0)
	if got := a["the_rate"].Total.Number; math.Abs(got*m.Seconds-elements) > 1e-6*elements ||
		got != a["taken"].Total.Number || got != a["framed"].Total.Number {
		t.Errorf("rates %g, %g, %g in %g s", got, a["taken"].Total.Number, a["framed"].Total.Number, m.Seconds)
	}
	if got := a["the_util"].Total.Number; math.Abs(got-m.Kernels[1].Utilization) > 1e-9 {
		t.Errorf("util %g, want %g", got, m.Kernels[1].Utilization)
	}
	if got := a["back"].Total.Number; math.Abs(got-m.Edges[0].Backpressure) > 1e-9 {
		t.Errorf("backpressure %g, want %g", got, m.Edges[0].Backpressure)
	}
	// Between the release on one edge and the send on the next, the kernel works; the edges account for the
	// rest of the latency.
	parts := 0.0
	for _, p := range []string{"p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10"} {
		parts += a[p].Total.Number
	}
	if complete := a["through"].Total; complete.Summary.Weight != elements || !(complete.Number >= 0.1*parts) ||
		!(parts > 0) {
		t.Errorf("%g elements took %g s through the chain, and %g s on its edges", complete.Summary.Weight,
			complete.Number,
			parts)
	}
	if a["yes"].Total.Number != a["the_value"].Total.Number || !math.IsNaN(a["no"].Total.Number) {
		t.Errorf("with a condition on frames: %g and %g of %g", a["yes"].Total.Number, a["no"].Total.Number,
			a["the_value"].Total.Number)
	}
}

// TestDataFrames: each frame has the requested number of elements.
func TestDataFrames(t *testing.T) {
	a, v, _ := deployChain(t, twoCores, `
the_mean: measure mean value at e6
own: measure hist(frame=5000) occupancy at e7
the_rate: measure rate at e6
back: measure backpressure at e6
a1: assert value at e6 >= 0`, measure.Options{Every: 1, Frame: 3000}, 0)
	count := func(name string, size float64) {
		t.Helper()
		x, left := a[name], 0.0
		left = elements
		for i, f := range x.Frames {
			want := min(size, left)
			left -= want
			if f.Frame != uint64(i) || f.Summary.Weight != want {
				t.Errorf("%s: frame %d has %g elements, want %g", name, f.Frame, f.Summary.Weight, want)
			}
		}
		if x.Total.Summary.Weight != elements || left != 0 {
			t.Errorf("%s: %g elements, %g lack", name, x.Total.Summary.Weight, left)
		}
	}
	if a["the_mean"].Lost == 0 { // frames that pass before they are read are counted, not kept
		count("the_mean", 3000)
	}
	if a["own"].Lost == 0 {
		count("own", 5000)
	}
	for _, f := range a["the_rate"].Frames {
		if got := f.Number * (f.End - f.Start); math.Abs(got-3000) > 1e-6 {
			t.Errorf("a frame of the rate has %g elements", got)
		}
	}
	if n := len(a["the_rate"].Frames); n != elements/3000 || n != len(a["back"].Frames) {
		t.Errorf("%d frames, and %d", n, len(a["back"].Frames))
	}
	if a1 := v["a1"]; !a1.IsMet() {
		t.Errorf("a1 %+v", a1)
	}
}

// TestSampling: random samples represent all elements.
func TestSampling(t *testing.T) {
	a, _, _ := deployChain(t, twoCores, `
every: measure mean(every=1) value at e1
tenth: measure mean(every=10) value at e1
some: measure mean value at e1
yes: measure sum value at e1 when value at e1 < 20000
no: measure sum value at e1 when !(value at e1 < 20000)`, measure.Options{}, 0)
	for _, name := range []string{"every", "tenth", "some"} {
		s := a[name].Total.Summary
		if s.Weight > elements || s.Weight < float64(s.Samples) || s.Samples == 0 {
			t.Errorf("%s: %d samples stand for %g elements", name, s.Samples, s.Weight)
		}
	}
	if n := a["tenth"].Total.Summary.Samples; n < elements/10-2 || n > elements/10+2 {
		t.Errorf("one in ten: %d of %d", n, elements)
	}
	if yes, no := a["yes"].Total.Summary, a["no"].Total.Summary; yes.Samples+no.Samples == 0 ||
		yes.Weight+no.Weight > elements {
		t.Errorf("%+v and %+v", yes, no)
	}
}

// TestRefusals: each impossible measurement is refused with its reason.
func TestRefusals(t *testing.T) {
	d := load(t, oneCore)
	for _, c := range []struct {
		text  string
		frame uint64
		want  string
	}{
		{"measure util at pass[1]", 10, "t:1:1: cannot measure util at pass[1] in frames of elements (use time " +
			"frames, as in --frame 10ms)"},
		{"measure rate at e1 when occupancy at e1 > 3", 10, "t:1:1: cannot measure rate at e1 in frames of " +
			"elements under a condition (use time frames, as in --frame 10ms)"},
		{"measure mean value at e1 when rate at e1 > 3 tps", 10, "t:1:1: the condition uses values per frame, " +
			"which need time frames (use time frames, as in --frame 10ms)"},
		{"assert rate at e1 > 3 tps", 10, "t:1:1: the assertion uses values per frame, which need time frames " +
			"(use time frames, as in --frame 10ms)"},
		{"m: measure mean(frame=3) value at e1 assert m > 3", 0, "t:1:38: the assertion needs time frames, but m " +
			"has frames of elements (measure m without frame=…)"},
		{"assert value at e1 > 1 & (rate at e1 > 1 tps | rate at e2 > 2 tps | rate at e3 > 3 tps | rate at e4 > 4 " +
			"tps | rate at e5 > 5 tps)", 0,
			"t:1:1: the assertion mixes 5 values per frame with values per element (use at most 4 values per frame, " +
				"or split the assertion)"},
	} {
		q, err := timetrial.Parse("t", c.text, d.Program)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := measure.New(q, d.Program, nil, measure.Options{Frame: c.frame}); err == nil ||
			err.Error() != c.want {
			t.Errorf("%s gives\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
}
