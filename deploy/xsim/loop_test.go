package xsim_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/hdl"
	"xopt/internal/testkit"
)

// loopX is y[n] = x[n] + y[n-D], in two kernels with sources in C and in Verilog.
const loopX = `#include "std.x"
block G { config SIGNED64 elements = 1; output UNSIGNED32 y; };
block Add { input UNSIGNED32 x, back; join x, back; output UNSIGNED32 y; };
block Pass { input UNSIGNED32 x; output UNSIGNED32 y; };
block S { config STRING output = ""; input UNSIGNED32 x; };
block top {
	G g; Add add; Pass pass; S s;
	x: g.y -> add.x;
	sum: add.y -> pass.x;
	back: pass.y -> add.back (initial=D, values="start.bin");
	out: pass.y -> s.x;
};
use top;
platform HDL_Part: HDL { };
platform C { impl G (src="g.c"); impl Add (src="add.c"); impl Pass (src="pass.c"); impl S (src="s.c"); };
platform HDL { impl Add (src="add.v", top="add"); impl Pass (src="pass.v", top="pass"); };
resource proc[2] is C;
resource fpga is HDL_Part (lut=20800, ff=41600, bram=50, dsp=90, family="xc7", clock="100MHz");
resource mem is memory ({ proc }, bandwidth="10GB/s");
resource bus is bus ({ proc, fpga }, bandwidth="1GB/s");
impl Add on fpga (mu="800MB/s", gain=0.5, lut=1); impl Pass on fpga (mu="400MB/s", gain=1, lut=1);
`

func kernelC(block, push string) string {
	return fmt.Sprintf("#include \"X_%[1]s.h\"\nvoid X_%[1]s_init(X_%[1]s *d) { (void)d; }\n"+
		"void X_%[1]s_destroy(X_%[1]s *d) { (void)d; }\nvoid X_%[1]s_push(X_%[1]s *d) { %[2]s }\n", block, push)
}

var loopFiles = map[string]string{
	"g.c": `#include "X_G.h"
static uint32_t n;
void X_G_init(X_G *d) { (void)d; }
void X_G_destroy(X_G *d) { (void)d; }
int X_G_go(X_G *d) { *X_G_y(d, 1) = n * 2654435761u; X_G_y_send(d, 1); return ++n >= d->config.elements; }
`,
	"add.c": kernelC("Add", `while (X_Add_x_avail(d) && X_Add_back_avail(d)) {
		*X_Add_y(d, 1) = *X_Add_x(d) + *X_Add_back(d);
		X_Add_x_release(d, 1); X_Add_back_release(d, 1); X_Add_y_send(d, 1); }`),
	"pass.c": kernelC("Pass", `while (X_Pass_x_avail(d)) {
		*X_Pass_y(d, 1) = *X_Pass_x(d); X_Pass_x_release(d, 1); X_Pass_y_send(d, 1); }`),
	"s.c": `#include <stdio.h>
#include "X_S.h"
void X_S_init(X_S *d) { d->state = fopen(d->config.output, "wb"); if (!d->state) X_fail("cannot write"); }
void X_S_destroy(X_S *d) { fclose(d->state); }
void X_S_push(X_S *d) { while (X_S_x_avail(d)) { fwrite(X_S_x(d), 4, 1, d->state); X_S_x_release(d, 1); } }
`,
	"add.v": `module add (input wire clk, input wire rst,
    input wire [31:0] s_axis_x_tdata, input wire s_axis_x_tvalid, output wire s_axis_x_tready,
    input wire [31:0] s_axis_back_tdata, input wire s_axis_back_tvalid, output wire s_axis_back_tready,
    output wire [31:0] m_axis_y_tdata, output wire m_axis_y_tvalid, input wire m_axis_y_tready);
    assign m_axis_y_tdata = s_axis_x_tdata + s_axis_back_tdata;
    assign m_axis_y_tvalid = s_axis_x_tvalid && s_axis_back_tvalid;
    assign s_axis_x_tready = m_axis_y_tready && m_axis_y_tvalid;
    assign s_axis_back_tready = s_axis_x_tready;
endmodule
`,
	"pass.v": `module pass (input wire clk, input wire rst,
    input wire [31:0] s_axis_x_tdata, input wire s_axis_x_tvalid, output wire s_axis_x_tready,
    output reg [31:0] m_axis_y_tdata, output reg m_axis_y_tvalid, input wire m_axis_y_tready);
    assign s_axis_x_tready = !m_axis_y_tvalid || m_axis_y_tready;
    always @(posedge clk) begin
        if (s_axis_x_tready) m_axis_y_tdata <= s_axis_x_tdata;
        if (rst) m_axis_y_tvalid <= 1'b0;
        else if (s_axis_x_tready) m_axis_y_tvalid <= s_axis_x_tvalid;
    end
endmodule
`,
}

// loopDesign returns the loop in a mapping, and its initial numbers.
func loopDesign(t *testing.T, initial int, mapping string) (*design.Design, []uint32) {
	t.Helper()
	delayed, values := make([]uint32, initial), &bytes.Buffer{}
	for i := range delayed {
		delayed[i] = uint32(i)*0x9e3779b9 + 17
	}
	_ = binary.Write(values, binary.LittleEndian, delayed) // a buffer takes all
	files := map[string]string{"start.bin": values.String(),
		"app.x": strings.Replace(loopX, "initial=D", fmt.Sprintf("initial=%d", initial), 1)}
	for name, text := range loopFiles {
		files[name] = text
	}
	d := flowtest.X{Dir: testkit.Files(t, files) + "/", Files: []string{"app.x"}, More: mapping}.Design(t,
		design.Options{Purpose: design.ForCheck})
	if d.Mapping == nil {
		t.Fatal(d.Unmapped)
	}
	return d, delayed
}

// TestLoop: a loop on simulated cores, on an FPGA, and across its border computes the same as a plain program. It
// ends with its initial elements on it, and its time is the same in every run.
func TestLoop(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	const elements = 400
	cores := "map { top.g, top.pass, top.s } to proc[1]; map { top.add } to proc[2]; " +
		"map { top.x, top.sum, top.back } to mem;"
	inside := "map { top.g, top.s } to proc[1]; map { top.add, top.pass } to fpga;"
	across := "map { top.g, top.pass, top.s } to proc[1]; map { top.add } to fpga;"
	back := "map { top.g, top.add, top.s } to proc[1]; map { top.pass } to fpga;"
	for _, c := range []struct {
		mapping string
		initial int
		options program.Options
		long    bool
	}{
		{cores, 3, program.Options{}, false},
		{inside + "buffer { top.back } = 5;", 5, program.Options{}, false},
		{inside, 1, program.Options{Exact: true}, true},
		{across, 4, program.Options{}, true},
		{back + "buffer { top.back, top.x } = 2;", 2, program.Options{Exact: true}, true},
	} {
		name := fmt.Sprintf("%s %d", c.mapping, c.initial)
		t.Run(name, func(t *testing.T) {
			if c.long {
				testkit.Long(t, "the others hold what is the same")
			}
			t.Parallel()
			d, delayed := loopDesign(t, c.initial, c.mapping)
			o := c.options
			o.Elements, o.Output, o.CPUs = elements, filepath.Join(t.TempDir(), "out"), 2
			o.Taps = program.StandardTaps(d.Program, 1)
			recorded := len(o.Taps)
			for e := range d.Program.Edges {
				o.Taps = append(o.Taps, program.Tap{Kind: program.Record, Edge: e, Bytes: 1 << 16})
			}
			prog, _, err := xsim.Build(context.Background(), d, o, xsim.Options{Seed: 1}, "")
			if err != nil {
				t.Fatal(err)
			}
			m, err := run.Once(context.Background(), prog, run.Options{Stall: 5 * time.Minute})
			if rerr := prog.Remove(); rerr != nil {
				t.Error(rerr)
			}
			if err != nil {
				t.Fatal(err)
			}
			if m.Failure != nil {
				t.Fatal(m.Failure)
			}
			var sent, want []byte
			for n := range uint32(elements) {
				sent = binary.LittleEndian.AppendUint32(sent, n*2654435761)
				y := n*2654435761 + delayed[0]
				delayed = append(delayed[1:], y)
				want = binary.LittleEndian.AppendUint32(want, y)
			}
			if got, err := os.ReadFile(o.Output); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes of output are not the %d wanted, %v", len(got), len(want), err)
			}
			for i, e := range m.Edges {
				edge := &d.Program.Edges[i]
				if e.Elements != elements || e.Left != uint64(edge.Initial) || e.Consumed() != elements {
					t.Errorf("edge %s carried %+v", edge.Name, e)
				}
				if e.Looks != 0 || e.MaxOccupancy == 0 || !(e.MeanOccupancy > 0 &&
					e.MeanOccupancy <= float64(e.MaxOccupancy)) {
					t.Errorf("edge %s held %+v, and every change was seen", edge.Name, e)
				}
				all := want
				if edge.Name == "top.x" {
					all = sent
				}
				checkRecorded(t, d, i, m.Taps[recorded+i].Recorded, all)
			}
			checkQueues(t, d, m)
		})
	}
}

// checkQueues compares the occupancies of edges inside an FPGA with the hardware's own counts of their queues.
func checkQueues(t *testing.T, d *design.Design, m *run.Measurement) {
	t.Helper()
	for _, h := range m.Hardware {
		if h.Tap.Kind != hdl.QueueTap {
			continue
		}
		size := uint64(d.Program.Kernels[d.Program.Edges[h.Tap.Edge].From].Outputs[0].ElementBytes)
		words, maximum := h.Max*uint64(h.Tap.Bytes), m.Edges[h.Tap.Edge].MaxOccupancy*size
		if maximum < words || maximum > words+size {
			t.Errorf("edge %d held %d bytes, and its queue counts %d", h.Tap.Edge, maximum, words)
		}
	}
}

// checkRecorded compares the stored elements of an edge with all that were sent on it. For elements from an FPGA the
// reader keeps a copy: all but those that remain on the edge. Inside an FPGA there is no copy.
func checkRecorded(t *testing.T, d *design.Design, e int, got, want []byte) {
	t.Helper()
	edge := &d.Program.Edges[e]
	from, to := design.IsFPGA(d.Program, d.Mapping.Place[edge.From]), design.IsFPGA(d.Program, d.Mapping.Place[edge.To])
	switch {
	case from && to:
		want = nil
	case from:
		want = want[:len(want)-4*edge.Initial]
	}
	if !bytes.Equal(got, want) {
		t.Errorf("of edge %s %d bytes were kept, which are not the %d sent", edge.Name, len(got), len(want))
	}
}

// TestLoopModel: with service times drawn from figures, the simulation of a loop agrees with the bound of the cycle:
// its elements over its time, with the latency of links. Beyond that, its slowest kernel is the limit.
func TestLoopModel(t *testing.T) {
	t.Parallel()
	const elements = 3000
	figures := `resource own[3] is C; resource ram is memory ({ own }, bandwidth="10GB/s", latency="2us");
impl G on C (time="1us", scv=0); impl Add on C (time="3us", gain=0.5, scv=0);
impl Pass on C (time="5us", gain=1, scv=0); impl S on C (time="1us", scv=0);
map { top.g, top.s } to own[1]; map { top.add } to own[2]; map { top.pass } to own[3];`
	for initial, want := range map[int]float64{1: 1 / 12e-6, 2: 2 / 12e-6, 4: 1 / 5e-6} {
		files := map[string]string{
			"app.x": strings.Replace(loopX, `initial=D, values="start.bin"`, fmt.Sprintf("initial=%d", initial), 1)}
		for name, text := range loopFiles {
			files[name] = text
		}
		d := flowtest.X{Dir: testkit.Files(t, files) + "/", Files: []string{"app.x"}, More: figures}.Design(t,
			design.Options{Purpose: design.ForCheck})
		if d.Mapping == nil {
			t.Fatal(d.Unmapped)
		}
		_, predicted := flowtest.Solve(t, d.Problem, d.Mapping)
		prog, _, err := xsim.Build(t.Context(), d, program.Options{Elements: elements, Output: os.DevNull},
			xsim.Options{Seed: 1, FromProfile: true}, "")
		if err != nil {
			t.Fatal(err)
		}
		m, err := run.Well(t.Context(), prog, run.Options{})
		if rerr := prog.Remove(); rerr != nil {
			t.Error(rerr)
		}
		if err != nil {
			t.Fatal(err)
		}
		const tolerance = 0.01 // for the start and end of the loop, and transfers of some ns
		for what, got := range map[string]float64{"predicted": predicted.Throughput / 4,
			"simulated": elements / m.Seconds} {
			if math.Abs(got/want-1) > tolerance {
				t.Errorf("%d initial elements: %s %.6g elements/s, want %.6g", initial, what, got, want)
			}
		}
	}
}
