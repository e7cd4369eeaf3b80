package elsewhere_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"xopt/calibrate/elsewhere"
	"xopt/deploy/trace"
	"xopt/deploy/xeval"
	"xopt/flow/flowtest"
	"xopt/internal/fault"
	"xopt/internal/testkit"
)

// app has a kernel that runs elsewhere: it takes two elements of 100 bytes together, and sends one of 30 bytes on y,
// or one of 10 on z.
const app = `#include "std.x"
block S { output UNSIGNED8[100] y; misc { testpoint "src"; }; };
block K { input UNSIGNED8[100] x; output UNSIGNED8[30] y; output UNSIGNED8[10] z; join 2 x; };
block A { input UNSIGNED8[30] x; };
block B { input UNSIGNED8[10] x; };
block top { S s; K k; A a; B b; s.y -> k.x; k.y -> a.x; k.z -> b.x; };
use top;
platform GPU { impl K (src="k.cu"); };
platform C { impl S (src="s.c"); impl A (src="a.c"); impl B (src="b.c"); };
resource gpu is GPU;
resource proc[2] is C;
resource bus1 is bus ({ gpu, proc });
`

const rules = `block k
    port k.x in_port
        event k_x_avl.ts avl_event
        event k_x_in.ts in_event
    port k.y out_port
        event k_y_out.ts out_event
    port k.z out_port
        event k_z_out.ts out_event
    rule 2 k.x -> k.y or k.z
block s
    port s.src in_port
        event s_src_tpt.ts avl_event
        event s_src_tpt.ts in_event
    port s.y out_port
        event s_y_out.ts out_event
    rule s.src -> s.y
`

// runs returns a trace in which K runs eight times, for 10 and 30 us in turn and 5 us after its input, and
// sends on z each fourth time. S needs 4 us for each element.
func runs(t *testing.T) trace.Table {
	t.Helper()
	port := func(kernel, name string) trace.Port { return trace.Port{Kernel: kernel, Name: name} }
	h := &trace.Header{Series: []trace.Series{{Name: "x", To: port("k", "x")}, {Name: "y", From: port("k", "y")},
		{Name: "z", From: port("k", "z")}, {Name: "s.src", Point: port("s", "src")},
		{Name: "s.y", From: port("s", "y")}}}
	const us = 1_000_000
	var list []trace.Event
	var sent [5]uint64
	put := func(series int32, kind trace.Kind, at int64) {
		n := sent[series]
		if kind != trace.Available {
			sent[series]++
		}
		list = append(list, trace.Event{Time: at * us, Series: series, Kind: kind, Index: n})
	}
	for i := range int64(8) {
		at := 100 * i
		for _, later := range []int64{0, 1} {
			put(3, trace.Point, at+10*later)
			put(4, trace.Out, at+10*later+4)
			put(0, trace.Available, at+20+later)
			put(0, trace.In, at+25+later)
		}
		elapsed, to := int64(10), int32(1)
		if i%2 == 1 {
			elapsed = 30
		}
		if i%4 == 3 {
			to = 2
		}
		put(to, trace.Out, at+26+elapsed)
	}
	w, err := trace.CreateTemp()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(list), w.Finish(h)); err != nil {
		t.Fatal(errors.Join(err, w.Abort()))
	}
	table, err := w.OpenTemp()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	})
	return table
}

func figures(t *testing.T, rules string, o elsewhere.Options) ([]elsewhere.Figures, []fault.Note, error) {
	t.Helper()
	return figuresOf(t, runs(t), rules, o)
}

func figuresOf(t *testing.T, table trace.Table, rules string, o elsewhere.Options) ([]elsewhere.Figures, []fault.Note,
	error) {
	t.Helper()
	p := flowtest.X{Dir: testkit.Files(t, map[string]string{"app.x": app}), Files: []string{"app.x"}}.Program(t)
	f, err := xeval.Parse("rules.smx", rules)
	if err != nil {
		t.Fatal(err)
	}
	r, err := xeval.Evaluate(t.Context(), f, table, xeval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return elsewhere.Kernels(p, table, f, r, o)
}

// TestKernels: rate, gain, routing, variation and waits equal hand-computed values.
func TestKernels(t *testing.T) {
	list, notes, err := figures(t, rules, elsewhere.Options{File: "gpu.csv", On: []elsewhere.Place{{Platform: "GPU"}}})
	if err != nil || len(notes) > 0 || len(list) != 2 {
		t.Fatal(list, notes, err)
	}
	k, s := &list[0], &list[1]
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	near("μ of K", k.ServiceRate.Value, 200/20e-6)                 // 200 bytes in 20 us on average
	near("gain of K", k.Gain.Value, (6*30.0+2*10)/(8*200))         // y six times, z twice
	near("routing of K.y", k.Routing["y"].Value, 6*30.0/(6*30+20)) // of bytes
	near("routing of K.z", k.Routing["z"].Value, 2*10.0/(6*30+20)) //
	near("scv of K", k.ServiceSCV.Value, 8.0/7*10*10/(20*20))      // 10 or 30 us, of eight samples
	near("bytes of a firing", k.FiringBytes.Value, 200)
	near("wait of K", k.Wait.Mean, 5e-6) // both are available at 21, and taken at 26
	near("μ of S", s.ServiceRate.Value, 100/4e-6)
	if s.Gain != nil || k.Instance != "top.k" || k.Block != "K" || k.Platform != "GPU" || k.Resource != "" ||
		k.Elsewhere != "measured elsewhere: gpu.csv" || k.Runs != 8 || s.Runs != 16 {
		t.Errorf("the entries are %+v and %+v", k, s)
	}
	low, high, ok := k.ServiceRate.Interval()
	if !ok || low > k.ServiceRate.Value || high < k.ServiceRate.Value {
		t.Errorf("the interval of μ is %g to %g, %v", low, high, ok)
	}
}

// TestKernelsRefused: blocks without a kernel are reported, and impossible figures are an error with the
// kernel's name.
func TestKernelsRefused(t *testing.T) {
	if _, _, err := figures(t, rules, elsewhere.Options{}); err == nil ||
		!strings.Contains(err.Error(), "kernel top.k: the trace does not state where the kernel ran") {
		t.Errorf("without a place: %v", err)
	}
	gpu := []elsewhere.Place{{Resource: "gpu", Platform: "GPU"}}
	if list, _, err := figures(t, rules, elsewhere.Options{On: gpu}); err != nil || list[0].Resource != "gpu" ||
		list[0].Platform != "GPU" {
		t.Errorf("on a resource: %v", errors.Join(err))
	}
	both := strings.ReplaceAll(rules, "block s\n", "") // one block of two kernels
	if list, notes, _ := figures(t, both, elsewhere.Options{On: gpu}); len(list) > 0 || len(notes) != 1 ||
		!strings.Contains(notes[0].Text, "the block has ports of k and s, but figures apply to a single kernel") {
		t.Errorf("a block of two kernels: %v, %v", list, notes)
	}
	fast := strings.ReplaceAll(rules, "k_y_out.ts", "k_x_in.ts")
	if _, _, err := figures(t, fast, elsewhere.Options{On: gpu}); err == nil {
		t.Error("runs that take no time were taken")
	}
}

// TestMisspelt: a block of rules, or a kernel in it, whose name is no kernel's is refused with the nearest name.
func TestMisspelt(t *testing.T) {
	gpu := []elsewhere.Place{{Resource: "gpu", Platform: "GPU"}}
	for _, c := range []struct{ rules, want string }{
		{strings.Replace(rules, "block k\n", "block kk\n", 1), "rules.smx:1:1: block kk of the rules: its ports " +
			"belong to kernel top.k"},
		{strings.NewReplacer("k.x", "kk.x", "k.y", "kk.y", "k.z", "kk.z").Replace(rules), "rules.smx:1:1: block k of " +
			"the rules: its ports name kernel kk, but the application has no kernel kk; did you mean k?"},
	} {
		if _, _, err := figures(t, c.rules, elsewhere.Options{On: gpu}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestSizes: elements whose size in the trace is not that in the application are an error that names both, and the
// line.
func TestSizes(t *testing.T) {
	const simple = "block s\n port s.y out_port\n event s_y_out.ts out_event\n port s.src in_port\n" +
		" event s_src_tpt.ts avl_event\n event s_src_tpt.ts in_event\n rule s.src -> s.y\n"
	p := flowtest.X{Dir: testkit.Files(t, map[string]string{"app.x": app}), Files: []string{"app.x"}}.Program(t)
	for bytes, want := range map[string]string{"100 100": "", " ": "",
		"1024 1024": "kernel top.s: events.csv:3: an element of s.y has 1024 bytes in the trace, but 100 in the " +
			"application, where port y of block S is UNSIGNED8[100]: correct the type or the trace",
		"100 64": "kernel top.s: events.csv:5: an element of s.y has 64 bytes in the trace, but 100 in the " +
			"application"} {
		first, second, _ := strings.Cut(bytes, " ")
		dir := testkit.Files(t, map[string]string{"events.csv": "time_us,kind,port,bytes\n0,point,s.src,\n" +
			"4,out,s.y," + first +
			"\n10,point,s.src,\n14,out,s.y," + second + "\n"})
		t.Chdir(dir)
		table, err := trace.OpenFile("events.csv")
		if err != nil {
			t.Fatal(err)
		}
		f, err := xeval.Parse("rules.smx", simple)
		if err != nil {
			t.Fatal(err)
		}
		r, err := xeval.Evaluate(t.Context(), f, table, xeval.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = elsewhere.Kernels(p, table, f, r, elsewhere.Options{On: []elsewhere.Place{{Platform: "C"}}})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n")) {
			t.Errorf("bytes %q: got %v, want %q", bytes, err, want)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPlacesOf: --on names a resource, an array or a platform, and the error for a wrong name suggests the
// nearest one.
func TestPlacesOf(t *testing.T) {
	p := flowtest.X{Dir: testkit.Files(t, map[string]string{"app.x": app}), Files: []string{"app.x"}}.Program(t)
	for name, want := range map[string][]elsewhere.Place{"": nil, "gpu": {{Resource: "gpu", Platform: "GPU"}},
		"proc[2]": {{Resource: "proc[2]", Platform: "C"}}, "GPU": {{Platform: "GPU"}},
		"proc": {{Resource: "proc[1]", Platform: "C"}, {Resource: "proc[2]", Platform: "C"}}} {
		if got, err := elsewhere.PlacesOf(p, name); !slices.Equal(got, want) || err != nil {
			t.Errorf("%s is %+v, %v; want %+v", name, got, err, want)
		}
	}
	for name, want := range map[string]string{"prok[2]": "unknown resource or platform prok[2]; did you mean proc[2]?",
		"prox": "unknown resource or platform prox; did you mean proc?", "nothing": "unknown resource or platform " +
			"nothing; available: gpu, proc, and the platforms "} {
		if _, err := elsewhere.PlacesOf(p, name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	list, _, err := figures(t, rules, elsewhere.Options{On: []elsewhere.Place{{Resource: "proc[1]", Platform: "C"},
		{Resource: "proc[2]", Platform: "C"}}, Name: "proc"})
	if err != nil {
		t.Fatal(err)
	}
	if e := list[0].Entries(); len(e) != 2 || e[0].Resource != "proc[1]" || e[1].Resource != "proc[2]" ||
		e[0].ServiceRate.Value != e[1].ServiceRate.Value || list[0].On != "proc" {
		t.Errorf("entries of an array: %+v", e)
	}
}

// TestOrigins: simulated or drawn times do not become measured ones.
func TestOrigins(t *testing.T) {
	gpu := elsewhere.Options{File: "run.xtrace", On: []elsewhere.Place{{Platform: "GPU"}}}
	for origin, want := range map[string]string{
		"":                                  "measured elsewhere: run.xtrace",
		"measured":                          "measured elsewhere: run.xtrace",
		"measured elsewhere: gpu.csv":       "measured elsewhere: run.xtrace",
		"simulated":                         "simulated elsewhere: run.xtrace",
		"simulated elsewhere: tb.vcd":       "simulated elsewhere: run.xtrace",
		"assumed, times drawn from figures": "assumed elsewhere: run.xtrace, times drawn from figures",
		"published, as drawn":               "published elsewhere: run.xtrace, as drawn",
	} {
		table := runs(t)
		table.Header().Origin = origin
		list, notes, err := figuresOf(t, table, rules, gpu)
		if err != nil || len(list) != 2 || list[0].Elsewhere != want || list[1].Elsewhere != want {
			t.Fatalf("%q: %v, %v; want %s", origin, list, err, want)
		}
		if reported := len(notes) > 0 && notes[0].ID == fault.TimesNotMeasured &&
			strings.Contains(notes[0].Text, "top.k, top.s"); reported == strings.HasPrefix(want, "measured") {
			t.Errorf("%q: %q", origin, notes)
		}
		table.Header().Origins = []trace.Origin{{Kernel: "top.s", Origin: "assumed"}}
		if list, _, _ := figuresOf(t, table, rules, gpu); list[0].Elsewhere != want ||
			list[1].Elsewhere != "assumed elsewhere: run.xtrace" {
			t.Errorf("%q, and of one kernel assumed: %s and %s", origin, list[0].Elsewhere, list[1].Elsewhere)
		}
	}
}

// TestUnfitRules: a rule that does not fit the kernel gives no figures. For a given rule this is an error with
// its name; for an implied rule the kernel is omitted.
func TestUnfitRules(t *testing.T) {
	gpu := elsewhere.Options{File: "gpu.csv", On: []elsewhere.Place{{Platform: "GPU"}}}
	wrong := strings.ReplaceAll(rules, "rule 2 k.x -> k.y or k.z", "rule k.x -> k.y")
	list, _, err := figures(t, wrong, gpu)
	if err == nil || !strings.Contains(err.Error(), "kernel top.k: rule1 (k.x -> k.y) does not fit the trace: the "+
		"rule was triggered 16 times and finished 6 times") {
		t.Errorf("%v, %v", list, err)
	}
	gpu.Implied = true
	list, notes, err := figures(t, wrong, gpu)
	if err != nil || len(list) != 1 || list[0].Instance != "top.s" || len(notes) != 1 ||
		!strings.HasPrefix(notes[0].Text, "kernel top.k is omitted: rule1 (k.x -> k.y) does not fit the trace") {
		t.Errorf("%v, %q, %v", list, notes, err)
	}
}
