package xeval

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xopt/deploy/trace"
)

// The worked example of Gayen 2008, §3.3.2, §4.2 and Table 3.1: every event of a run of test1, in us. The
// figure with the events of gen2.src is lost; these are the ones that yield the table.
type column struct {
	port trace.Port
	kind trace.Kind
	us   []int64
}

func workedColumns(top string) []column {
	p := func(kernel, name string) trace.Port { return trace.Port{Kernel: top + "." + kernel, Name: name} }
	return []column{
		{p("gen1", "src"), trace.Point, []int64{0, 11, 23}},
		{p("gen2", "src"), trace.Point, []int64{5, 18, 28}},
		{p("gen1", "y0"), trace.Out, []int64{5, 17, 28}},
		{p("gen2", "y0"), trace.Out, []int64{11, 23, 33}},
		{p("sum", "x0"), trace.Available, []int64{10, 22, 33}},
		{p("sum", "x0"), trace.In, []int64{10, 22, 33}},
		{p("sum", "x1"), trace.Available, []int64{16, 28, 38}},
		{p("sum", "x1"), trace.In, []int64{16, 28, 38}},
		{p("sum", "y0"), trace.Out, []int64{17, 29, 39}},
		{p("half", "x0"), trace.Available, []int64{22, 34, 44}},
		{p("half", "x0"), trace.In, []int64{22, 42, 63}},
		{p("half", "y0"), trace.Out, []int64{26, 46, 67}},
		{p("store", "src"), trace.Point, []int64{26, 46, 67}},
		{p("store", "sink"), trace.Point, []int64{42, 63, 83}},
	}
}

const us = 1_000_000 // ps

// tableOf returns a table with the given events until the end of the test.
func tableOf(t testing.TB, h *trace.Header, list []trace.Event) trace.Table {
	t.Helper()
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

// worked returns the trace of the worked example; top is the name of the application.
func worked(t *testing.T, top string) trace.Table {
	t.Helper()
	h := &trace.Header{Application: top, Origin: "published Gayen 2008"}
	edge := func(name, from, out, to, in string) {
		h.Series = append(h.Series, trace.Series{Name: top + "." + name, Bytes: 4,
			From: trace.Port{Kernel: top + "." + from, Name: out}, To: trace.Port{Kernel: top + "." + to, Name: in}})
	}
	edge("e1", "gen1", "y0", "sum", "x0")
	edge("e2", "gen2", "y0", "sum", "x1")
	edge("e3", "sum", "y0", "half", "x0")
	edge("e4", "half", "y0", "store", "x0")
	columns := workedColumns(top)
	for _, c := range columns {
		if c.kind == trace.Point {
			h.Series = append(h.Series, trace.Series{Name: c.port.String(), Point: c.port})
		}
	}
	var list []trace.Event
	for _, c := range columns {
		for _, s := range h.At(c.port, c.kind) {
			for i, at := range c.us {
				list = append(list, trace.Event{Time: at * us, Index: uint64(i), Series: s.Series, Kind: s.Kind})
			}
		}
	}
	return tableOf(t, h, list)
}

// parsed returns a semantics file of testdata.
func parsed(t *testing.T, name string) *File {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// runsOf returns the runs of each block's first rule, with times in us: trigger, start, finish.
func runsOf(t *testing.T, f *File, table trace.Table) (map[string][][3]int64, *Result) {
	t.Helper()
	runs := make(map[string][][3]int64)
	r, err := Evaluate(t.Context(), f, table, Options{Each: func(r *Run) error {
		name := f.Blocks[r.Block].Name
		runs[name] = append(runs[name], [3]int64{r.Trigger / us, r.Start / us, r.Finish / us})
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return runs, r
}

// TestWorkedExample: every run, wait and execution of Tables 3.1 and 4.1.
func TestWorkedExample(t *testing.T) {
	runs, r := runsOf(t, parsed(t, "test1.smx"), worked(t, "top"))
	want := map[string][][3]int64{
		"gen1":  {{0, 0, 5}, {11, 11, 17}, {23, 23, 28}},
		"gen2":  {{5, 5, 11}, {18, 18, 23}, {28, 28, 33}},
		"sum":   {{16, 16, 17}, {28, 28, 29}, {38, 38, 39}},
		"half":  {{22, 22, 26}, {34, 42, 46}, {44, 63, 67}},
		"store": {{26, 26, 42}, {46, 46, 63}, {67, 67, 83}},
	}
	if d := cmp.Diff(want, runs); d != "" {
		t.Error(d)
	}
	means := map[string][2]float64{"gen1": {0, 16.0 / 3}, "gen2": {0, 16.0 / 3}, "sum": {0, 1}, "half": {9, 4},
		"store": {0, 49.0 / 3}}
	for _, b := range r.Blocks {
		m, x := means[b.Name], b.Rules[0]
		if x.Runs() != 3 || far(x.Wait.Mean, m[0]*1e-6) || far(x.Execution.Mean, m[1]*1e-6) {
			t.Errorf("%s: %d runs, mean wait %g, execution %g; want 3, %g us, %g us", b.Name, x.Runs(), x.Wait.Mean,
				x.Execution.Mean, m[0], m[1])
		}
	}
	if len(r.Notes) > 0 {
		t.Errorf("notes: %q", r.Notes)
	}
	if last := r.Blocks[4].Rules[0].Last; far(last, 83e-6) {
		t.Errorf("the run ends at %g s, want 83 us", last)
	}
}

// far reports whether two times differ by more than a ps.
func far(a, b float64) bool { return math.Abs(a-b) > 1e-12 }

// TestEndToEnd: Figs. 4.15 and 4.16, and the files that they make.
func TestEndToEnd(t *testing.T) {
	f := parsed(t, "endtoend.smx")
	dir := t.TempDir()
	rec, err := NewRecorder(dir, f, new(trace.Header))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Evaluate(t.Context(), f, worked(t, "app"), Options{Each: rec.Add})
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	x := r.Blocks[0].Rules[0]
	if far(x.Wait.Mean, 0) || far(x.Execution.Mean, 154e-6/3) || far(x.Last, 83e-6) {
		t.Errorf("wait %g, execution %g, last %g; want 0, 51.33 us, 83 us", x.Wait.Mean, x.Execution.Mean, x.Last)
	}
	ns := func(name string) (list []uint64) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for at := 512; at < len(text); at += 8 {
			list = append(list, binary.LittleEndian.Uint64(text[at:]))
		}
		return list
	}
	if d := cmp.Diff([]uint64{42000, 52000, 60000}, ns("top_rule1_exec.ts")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]uint64{0, 0, 0}, ns("top_rule1_wait.ts")); d != "" {
		t.Error(d)
	}
	index, err := os.ReadFile(filepath.Join(dir, "top_rule1_index.ts"))
	if err != nil || cmp.Diff(index[512:], []byte{1, 1, 1}) != "" {
		t.Errorf("index %v, %v; want 1, 1, 1", index, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 {
		t.Errorf("%d files, %v; want 3", len(left), err)
	}
}

// TestSubstitutedExample: replaying block proc2 of Fig. 4.17 into the trace reproduces the run.
func TestSubstitutedExample(t *testing.T) {
	const text = `block proc2
    port half.x0 in_port
        event top_half_x0_avl.ts avl_event
        event top_half_x0_in.ts in_event
    port store.sink out_port
        event top_store_sink_tpt.ts out_event
    rule half.x0 -> store.sink
`
	f, err := Parse("proc2.smx", text)
	if err != nil {
		t.Fatal(err)
	}
	table := worked(t, "top")
	times := recordedTimes(t, f, table)
	got := make(map[string][]int64)
	done, err := Substitute(t.Context(), &f.Blocks[0], table, times, func(p *Port, k Kind, time int64, n int) error {
		for range n {
			got[p.Name+" "+k.String()] = append(got[p.Name+" "+k.String()], time/us)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]int64{"half.x0 in_event": {22, 42, 63}, "store.sink out_event": {42, 63, 83}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if done.Last != 83*us || done.Runs[0] != 3 || done.Repeated > 0 {
		t.Errorf("%+v", done)
	}
}

// recordedTimes evaluates rules on a trace, and opens the times that it writes for the first block.
func recordedTimes(t *testing.T, f *File, table trace.Table) []*Times {
	t.Helper()
	dir := t.TempDir()
	rec, err := NewRecorder(dir, f, new(trace.Header))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Evaluate(t.Context(), f, table, Options{Each: rec.Add}); err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	var list []*Times
	for i, r := range f.Blocks[0].Rules {
		x, err := OpenTimes(dir, f.Blocks[0].Name, i, len(r.Outputs), 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = x.Close() })
		list = append(list, x)
	}
	return list
}
