package xsim_test

import (
	"context"
	"errors"
	"testing"

	"xopt/internal/deploy/build"
	"xopt/internal/deploy/run"
	"xopt/internal/design"
	"xopt/internal/testkit"
	"xopt/internal/trace"
	"xopt/internal/xsim"
)

// recorded runs a design with its events recorded.
func recorded(t *testing.T, d *design.Design, virtual, drawn bool, o build.Options) (*run.Measurement, *trace.Memory) {
	t.Helper()
	o.Events, o.CPUs = true, 2
	var prog *build.Program
	var err error
	if virtual {
		prog, _, err = xsim.Build(t.Context(), d, o, xsim.Options{FromProfile: drawn, Seed: 3}, "")
	} else {
		prog, err = build.New(t.Context(), d, o, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	table := new(trace.Memory)
	m, err := run.Once(context.Background(), prog, run.Options{Stall: atEase, Events: table})
	if err = errors.Join(err, prog.Remove()); err != nil {
		t.Fatal(err)
	}
	if m.Failure != nil || m.EventsError != nil {
		t.Fatal(m.Failure, m.EventsError)
	}
	if err := table.Finish(m.Events); err != nil {
		t.Fatal(err)
	}
	return m, table
}

func stream(t *testing.T, table trace.Table, series int, kind trace.Kind) []trace.Event {
	t.Helper()
	r, err := table.Open(trace.Stream{Series: int32(series), Kind: kind})
	if err != nil {
		t.Fatal(err)
	}
	list, err := trace.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// checkEvents compares a trace with what the counters of the run say: every element is there once, sent, arrived and
// taken in this order, and no kernel takes what has not arrived.
func checkEvents(t *testing.T, m *run.Measurement, table *trace.Memory) {
	t.Helper()
	for e := range m.Edges {
		out, available, in := stream(t, table, e, trace.Out), stream(t, table, e, trace.Available),
			stream(t, table, e, trace.In)
		initial := m.Edges[e].Initial
		if uint64(len(out)) != m.Edges[e].Elements || uint64(len(available)) < m.Edges[e].Taken() ||
			uint64(len(in)) != m.Edges[e].Taken() {
			t.Fatalf("edge %d: %d sent, %d arrived, %d taken; the counters say %d and %d", e, len(out), len(available),
				len(in), m.Edges[e].Elements, m.Edges[e].Taken())
		}
		for i := range in {
			if in[i].Index != uint64(i) || available[i].Index != uint64(i) || in[i].Time < available[i].Time {
				t.Fatalf("edge %d: element %d arrived at %d ps and was taken at %d", e, i, available[i].Time,
					in[i].Time)
			}
		}
		for i := range out {
			if n := initial + uint64(i); out[i].Index != n || n < uint64(len(available)) &&
				available[n].Time < out[i].Time {
				t.Fatalf("edge %d: element %d was sent at %d ps and arrived before", e, n, out[i].Time)
			}
		}
	}
	if n := len(m.Events.Left); n > 0 {
		t.Errorf("%d streams are not whole: %v", n, m.Events.Left)
	}
}

const oneMapped = "map { top } to proc[1];"

// TestEvents: runs record what happens, on cores and in virtual time, drawn or measured, with and without loops and
// broadcasts.
func TestEvents(t *testing.T) {
	for _, app := range []struct {
		name, mapping string
		elements      uint64
	}{
		{"test1", "map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store } to proc[2];", 300},
		{"broadcast", "", 300}, {"iir", "", 300},
	} {
		x := testkit.X{Dir: testkit.App(t, app.name), More: app.mapping}
		if app.mapping == "" {
			x.Files = []string{"app.x", "arch.x", "map.x"}
		}
		d := x.Design(t, design.Options{Purpose: design.ForCheck})
		for name, virtual := range map[string]bool{"native": false, "virtual": true} {
			t.Run(app.name+" "+name, func(t *testing.T) {
				m, table := recorded(t, d, virtual, false, build.Options{Elements: app.elements})
				checkEvents(t, m, table)
				if app.name == "test1" {
					checkPoints(t, table)
				}
			})
		}
	}
}

// checkPoints looks at the testpoints of test1: each array passes each of them, STORE's src before its sink.
func checkPoints(t *testing.T, table *trace.Memory) {
	t.Helper()
	h := table.Header()
	if len(h.Unpassed) > 0 {
		t.Errorf("never passed: %v", h.Unpassed)
	}
	at := func(kernel, name string) []trace.Event {
		streams := h.At(trace.Port{Kernel: kernel, Name: name}, trace.Point)
		if len(streams) != 1 {
			t.Fatalf("%s.%s: %v", kernel, name, streams)
		}
		return stream(t, table, int(streams[0].Series), trace.Point)
	}
	made, out := at("top.gen1", "src"), stream(t, table, 0, trace.Out)
	began, ended, in := at("top.store", "src"), at("top.store", "sink"), stream(t, table, 3, trace.In)
	if len(made) != len(out) || len(began) != len(in) || len(ended) != len(in) {
		t.Fatalf("%d, %d and %d testpoints for %d arrays", len(made), len(began), len(ended), len(in))
	}
	for i := range in {
		if made[i].Time > out[i].Time || began[i].Time > ended[i].Time || ended[i].Time < in[i].Time {
			t.Fatalf("array %d: made from %d to %d ps, taken at %d, stored from %d to %d", i, made[i].Time, out[i].Time,
				in[i].Time, began[i].Time, ended[i].Time)
		}
	}
}

// TestEventsMost: a bound keeps the first events of each series, and what is left out is told.
func TestEventsMost(t *testing.T) {
	d := testkit.X{Dir: testkit.App(t, "test1"), More: oneMapped}.Design(t, design.Options{Purpose: design.ForCheck})
	m, table := recorded(t, d, true, false, build.Options{Elements: 50, EventsMost: 7})
	for e := range m.Edges {
		for _, k := range []trace.Kind{trace.Out, trace.Available, trace.In} {
			if list := stream(t, table, e, k); len(list) != 7 || list[6].Index != 6 {
				t.Errorf("edge %d: %d %v, want the first 7", e, len(list), k)
			}
		}
	}
	if len(m.Events.Left) != 3*4+4 || m.Events.Left[0].Events != 43 {
		t.Errorf("left out: %v", m.Events.Left)
	}
}

// TestEventsDrawn: where service times are drawn without variation, the times of events are those of a machine with
// these times, to the ps: an array of a kernel that takes 10 us is sent 10 us after it was taken.
func TestEventsDrawn(t *testing.T) {
	const figures = `
impl GENERATE on C (mu="400MB/s", scv=0); impl SUM on C (mu="800MB/s", gain=0.5, scv=0);
impl HALF on C (mu="400MB/s", gain=1, scv=0); impl STORE on C (mu="200MB/s", scv=0);
map { top.gen1 } to proc[1]; map { top.gen2, top.sum, top.half, top.store } to proc[2];`
	dir := testkit.App(t, "test1")
	d := testkit.X{Dir: dir, Files: []string{"app.x"}, More: `#include "std.x"
resource proc[2] is C; resource mem is memory ({ proc }, bandwidth="1000GB/s");` + figures}.Design(t,
		design.Options{Purpose: design.ForMapping})
	m, table := recorded(t, d, true, true, build.Options{Elements: 40})
	checkEvents(t, m, table)
	in, out := stream(t, table, 2, trace.In), stream(t, table, 3, trace.Out)
	for i := range in {
		if took := out[i].Time - in[i].Time; took != 10_000_000 {
			t.Errorf("HALF took %d ps for array %d, want 10 us", took, i)
		}
	}
	h := table.Header()
	sink := h.At(trace.Port{Kernel: "top.store", Name: "sink"}, trace.Point)[0]
	for i, e := range stream(t, table, int(sink.Series), trace.Point) {
		if took := e.Time - stream(t, table, 3, trace.In)[i].Time; took != 20_000_000 {
			t.Errorf("STORE took %d ps for array %d, want 20 us", took, i)
		}
	}
}

// TestEventsHardware: an FPGA tells its events cycle by cycle.
func TestEventsHardware(t *testing.T) {
	testkit.Long(t, "a simulation of hardware is built")
	testkit.Tools(t, "verilator", "yosys")
	x := testkit.X{Dir: testkit.App(t, "test1"), Files: []string{"app.x", "hybrid.x"},
		More: "map { top.gen1, top.gen2, top.sum } to proc[1]; map { top.half } to fpga; map { top.store } to proc[2];"}
	d := x.Design(t, design.Options{Purpose: design.ForCheck})
	m, table := recorded(t, d, true, false, build.Options{Elements: 50})
	checkEvents(t, m, table)
	const cycle = 10_000 // ps
	for i, e := range stream(t, table, 2, trace.In) {
		if out := stream(t, table, 3, trace.Out)[i]; e.Time%cycle != 0 || out.Time-e.Time < 1000*cycle {
			t.Fatalf("array %d of 1000 words: in at %d ps, out at %d", i, e.Time, out.Time)
		}
	}
}
