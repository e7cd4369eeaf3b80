package xsim_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/trace"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// recorded runs a design with its events recorded.
func recorded(t *testing.T, d *design.Design, virtual, drawn bool, o program.Options) (*run.Measurement,
	trace.Table) {
	t.Helper()
	o.Events, o.CPUs = true, 2
	var prog *program.Program
	var err error
	if virtual {
		prog, _, err = xsim.Build(t.Context(), d, o, xsim.Options{FromProfile: drawn, Seed: 3}, "")
	} else {
		prog, err = program.New(t.Context(), d, o, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	w, err := trace.CreateTemp()
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Once(context.Background(), prog, run.Options{Stall: atEase, Events: w})
	if err = errors.Join(err, prog.Remove()); err != nil {
		t.Fatal(err)
	}
	if m.Failure != nil || m.EventsError != nil {
		t.Fatal(m.Failure, m.EventsError)
	}
	if err := w.Finish(m.Events); err != nil {
		t.Fatal(err)
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

// checkEvents compares a trace with the counters of the run. Every element occurs once, sent, arrived and consumed in
// this order, and no kernel consumes an element before its arrival.
func checkEvents(t *testing.T, m *run.Measurement, table trace.Table) {
	t.Helper()
	for e := range m.Edges {
		out, available, in := stream(t, table, e, trace.Out), stream(t, table, e, trace.Available),
			stream(t, table, e, trace.In)
		initial := m.Edges[e].Initial
		if uint64(len(out)) != m.Edges[e].Elements || uint64(len(available)) < m.Edges[e].Consumed() ||
			uint64(len(in)) != m.Edges[e].Consumed() {
			t.Fatalf("edge %d: %d sent, %d arrived, %d taken; the counters say %d and %d", e, len(out), len(available),
				len(in), m.Edges[e].Elements, m.Edges[e].Consumed())
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

// TestEvents: runs record events, on cores and in virtual time, drawn or measured, with and without loops and
// broadcasts.
func TestEvents(t *testing.T) {
	t.Parallel()
	for _, app := range []struct {
		name, mapping string
		elements      uint64
	}{
		{"test1", "map { top.gen1, top.gen2 } to proc[1]; map { top.sum, top.half, top.store } to proc[2];", 300},
		{"broadcast", "", 300}, {"iir", "", 300},
	} {
		x := flowtest.X{Dir: testkit.App(t, app.name), More: app.mapping}
		if app.mapping == "" {
			x.Files = []string{"app.x", "arch.x", "map.x"}
		}
		d := x.Design(t, design.Options{Purpose: design.ForCheck})
		for name, virtual := range map[string]bool{"native": false, "virtual": true} {
			t.Run(app.name+" "+name, func(t *testing.T) {
				m, table := recorded(t, d, virtual, false, program.Options{Elements: app.elements})
				checkEvents(t, m, table)
				if app.name == "test1" {
					checkPoints(t, table)
				}
			})
		}
	}
}

// checkPoints checks the testpoints of test1: each array passes each of them, STORE's src before its sink.
func checkPoints(t *testing.T, table trace.Table) {
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

// TestEventsMost: a limit keeps the first events of each series, and the omitted ones are reported.
func TestEventsMost(t *testing.T) {
	d := flowtest.X{Dir: testkit.App(t, "test1"), More: oneMapped}.Design(t, design.Options{Purpose: design.ForCheck})
	m, table := recorded(t, d, true, false, program.Options{Elements: 50, EventsMost: 7})
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

// TestEventsDrawn: where service times are drawn without variation, the times of events are exact to the ps. An array
// from a kernel with a service of 10 us is sent 10 us after its input was consumed.
func TestEventsDrawn(t *testing.T) {
	const figures = `
impl GENERATE on C (mu="400MB/s", scv=0); impl SUM on C (mu="800MB/s", gain=0.5, scv=0);
impl HALF on C (mu="400MB/s", gain=1, scv=0); impl STORE on C (mu="200MB/s", scv=0);
map { top.gen1 } to proc[1]; map { top.gen2, top.sum, top.half, top.store } to proc[2];`
	dir := testkit.App(t, "test1")
	d := flowtest.X{Dir: dir, Files: []string{"app.x"}, More: `#include "std.x"
resource proc[2] is C; resource mem is memory ({ proc }, bandwidth="1000GB/s");` + figures}.Design(t,
		design.Options{Purpose: design.ForMapping})
	m, table := recorded(t, d, true, true, program.Options{Elements: 40})
	checkEvents(t, m, table)
	in, out := stream(t, table, 2, trace.In), stream(t, table, 3, trace.Out)
	for i := range in {
		if elapsed := out[i].Time - in[i].Time; elapsed != 10_000_000 {
			t.Errorf("HALF took %d ps for array %d, want 10 us", elapsed, i)
		}
	}
	h := table.Header()
	sink := h.At(trace.Port{Kernel: "top.store", Name: "sink"}, trace.Point)[0]
	for i, e := range stream(t, table, int(sink.Series), trace.Point) {
		if elapsed := e.Time - stream(t, table, 3, trace.In)[i].Time; elapsed != 20_000_000 {
			t.Errorf("STORE took %d ps for array %d, want 20 us", elapsed, i)
		}
	}
}

// hardwareX is a kernel in Verilog between two in C. One of its two testpoints does not exist in hardware.
const hardwareX = `#include "std.x"
block S { config UNSIGNED64 elements = 100000; output UNSIGNED64 y; };
block F { input UNSIGNED64 x; output UNSIGNED64 y; misc { testpoint "odd"; testpoint "never"; }; };
block K { input UNSIGNED64 x; };
block top { config UNSIGNED64 elements = 1; S s (elements=elements); F f; K k; e1: s.y -> f.x; e2: f.y -> k.x; };
use top (elements=40);
platform C { impl S (src="s.c"); impl K (src="k.c"); };
platform HDL { impl F (src="f.v", top="f"); };
resource core is C;
resource fpga is HDL (lut=20800, ff=41600, bram=50, dsp=90, family="xc7", clock="100MHz");
resource lan is bus ({ core, fpga }, bandwidth="160MB/s");
map { top.s, top.k } to core;
map { top.f } to fpga;
`

const hardwareV = `module f (input wire clk, input wire rst,
    input wire [31:0] s_axis_x_tdata, input wire s_axis_x_tvalid,
    output wire s_axis_x_tready, output wire [31:0] m_axis_y_tdata, output wire m_axis_y_tvalid,
    input wire m_axis_y_tready, output wire tp_odd);
    reg half;
    assign {m_axis_y_tdata, m_axis_y_tvalid, s_axis_x_tready} = {s_axis_x_tdata, s_axis_x_tvalid, m_axis_y_tready};
    wire move = s_axis_x_tvalid && m_axis_y_tready;
    assign tp_odd = move && !half && s_axis_x_tdata[0];
    always @(posedge clk) half <= rst ? 1'b0 : half ^ move;
endmodule
`

// TestEventsHardware: an FPGA records its events and testpoints cycle by cycle; a dump of them reads back unchanged.
func TestEventsHardware(t *testing.T) {
	testkit.Tools(t, "verilator", "yosys")
	t.Parallel()
	dir := testkit.Files(t, map[string]string{"app.x": hardwareX, "s.c": bulkSource, "k.c": bulkServer,
		"f.v": hardwareV})
	d := flowtest.X{Dir: dir, Files: []string{"app.x"}}.Design(t, design.Options{Purpose: design.ForCheck})
	m, table := recorded(t, d, true, false, program.Options{})
	checkEvents(t, m, table)
	const cycle, elements = 10_000, 40 // ps
	in, out := stream(t, table, 0, trace.In), stream(t, table, 1, trace.Out)
	for i := range in { // of two words; the second goes out in the next cycle at the earliest
		if in[i].Time%cycle != 0 || out[i].Time-in[i].Time < cycle {
			t.Fatalf("element %d: in at %d ps, out at %d", i, in[i].Time, out[i].Time)
		}
	}
	h := table.Header()
	odd := stream(t, table, int(h.At(trace.Port{Kernel: "top.f", Name: "odd"}, trace.Point)[0].Series), trace.Point)
	if len(odd) != elements/2 || len(h.Unpassed) != 1 || h.Unpassed[0].Name != "never" {
		t.Fatalf("%d testpoints, want %d; never passed: %v", len(odd), elements/2, h.Unpassed)
	}
	for i, e := range odd { // the source counts down from 40: the second element is odd
		if e.Time != in[2*i+1].Time {
			t.Errorf("testpoint %d at %d ps, want %d, with its element", i, e.Time, in[2*i+1].Time)
		}
	}
	var text bytes.Buffer
	if err := trace.WriteVCD(&text, table, "test"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.vcd")
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	dump, err := trace.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dump.Close()
	for _, x := range []struct {
		kind trace.Kind
		name string
		want []trace.Event
	}{{trace.In, "x", in}, {trace.Out, "y", out}, {trace.Point, "odd", odd}} {
		r, err := dump.Open(dump.Header().At(trace.Port{Kernel: "top.f", Name: x.name}, x.kind)...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := trace.ReadAll(r)
		if err != nil || len(got) != len(x.want) {
			t.Fatalf("%s: %d events in the dump, want %d, %v", x.name, len(got), len(x.want), err)
		}
		for i := range got {
			if got[i].Time != x.want[i].Time {
				t.Errorf("%s %d is at %d ps in the dump, want %d", x.name, i, got[i].Time, x.want[i].Time)
			}
		}
	}
	if _, err := exec.LookPath("vcd2fst"); err == nil { // of gtkwave: another reader of dumps
		if out, err := exec.Command("vcd2fst", path, path+".fst").CombinedOutput(); err != nil {
			t.Errorf("vcd2fst: %v, %s", err, out)
		}
	}
}
