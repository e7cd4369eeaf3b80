package xsim_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/deploy/xsim"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/fault"
	"xopt/internal/testkit"
)

// passV hands each word on, one in every cycle.
const passV = `module pass (input wire clk, input wire rst,
    input wire [31:0] s_axis_x_tdata, input wire s_axis_x_tvalid, output wire s_axis_x_tready,
    output reg [31:0] m_axis_y_tdata, output reg m_axis_y_tvalid, input wire m_axis_y_tready);
    assign s_axis_x_tready = !m_axis_y_tvalid || m_axis_y_tready;
    always @(posedge clk) begin
        if (s_axis_x_tready) begin
            m_axis_y_tdata <= s_axis_x_tdata;
            m_axis_y_tvalid <= s_axis_x_tvalid;
        end
        if (rst) m_axis_y_tvalid <= 1'b0;
    end
endmodule
`

// ownClocks returns a chain of three kernels on one FPGA: the one in the middle has its own clock, the others
// that of the FPGA, 100 MHz.
func ownClocks(t *testing.T, source, clock string) *design.Design {
	t.Helper()
	text := fmt.Sprintf(`#include "std.x"
block G { config SIGNED64 elements = 1; output UNSIGNED32 y; };
block Pass { input UNSIGNED32 x; output UNSIGNED32 y; };
block Own { input UNSIGNED32 x; output UNSIGNED32 y; };
block S { config STRING output = ""; input UNSIGNED32 x; };
block top { G g; Pass a; Own k; Pass b; S s; e1: g.y -> a.x; e2: a.y -> k.x; e3: k.y -> b.x; e4: b.y -> s.x; };
use top;
platform C { impl G (src="g.c"); impl S (src="s.c"); };
platform HDL { impl Pass (src="pass.v", top="pass"); impl Own (src="%s.v", top="%[1]s", clock=%[2]q); };
resource proc[2] is C;
resource fpga is HDL (family="xc7", clock="100MHz", lut=20800, ff=41600);
resource bus is bus ({ proc, fpga }, bandwidth="100GB/s");
impl G on C (mu="100GB/s", scv=0); impl S on C (mu="100GB/s", scv=0);
impl Pass on HDL (mu="400MB/s", gain=1, lut=1); impl Own on HDL (mu="50MB/s", gain=1, lut=1);
buffer { top.e1, top.e4 } = 4096;
map { top.a, top.k, top.b } to fpga; map { top.g } to proc[1]; map { top.s } to proc[2];
`, source, clock)
	d := flowtest.X{Dir: testkit.Files(t, map[string]string{"app.x": text, "slow.v": slowV, "pass.v": passV,
		"g.c": loopFiles["g.c"], "s.c": loopFiles["s.c"]}) + "/", Files: []string{"app.x"}}.Design(t,
		design.Options{Purpose: design.ForCheck})
	if d.Mapping == nil {
		t.Fatal(d.Unmapped)
	}
	return d
}

// playOwn runs a design with the given number of words.
func playOwn(t *testing.T, d *design.Design, elements uint64) (string, *run.Measurement, []fault.Note) {
	t.Helper()
	o := program.Options{Elements: elements, Output: filepath.Join(t.TempDir(), "out"), CPUs: 2}
	prog, notes, err := xsim.Build(t.Context(), d, o, xsim.Options{Seed: 1, FromProfile: true}, "")
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
	return testkit.Read(t, o.Output), m, notes
}

// TestOwnClocks: a kernel with its own clock receives and sends every word once and in order. Its clock is slower or
// faster than the FPGA's, with no simple ratio. The rate is that of its clock, or of the FPGA's where that limits the
// words. Its cycles are counted completely, in its own clock.
func TestOwnClocks(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	t.Parallel()
	const few, many = 2000, 12_000
	cases := []struct {
		source, clock string
		hertz, words  float64 // of its clock; words/s
	}{
		{"slow", "37.3MHz", 37.3e6, 37.3e6 / 8}, {"slow", "250MHz", 250e6, 250e6 / 8}, {"pass", "233MHz", 233e6, 100e6},
		{"pass", "61MHz", 61e6, 61e6}, {"slow", "1.1MHz", 1.1e6, 1.1e6 / 8}, {"pass", "100MHz", 100e6, 100e6},
	}
	if testing.Short() {
		cases = cases[:1]
	}
	for _, c := range cases {
		t.Run(c.source+" "+c.clock, func(t *testing.T) {
			d := ownClocks(t, c.source, c.clock)
			var want []byte
			add := uint32(0)
			if c.source == "slow" {
				add = 1
			}
			for i := range uint32(many) {
				want = binary.LittleEndian.AppendUint32(want, i*2654435761+add)
			}
			half, short, _ := playOwn(t, d, few)
			complete, long, notes := playOwn(t, d, many)
			if half != string(want[:4*few]) || complete != string(want) {
				t.Error("what comes out is not what was sent")
			}
			// FPGA and cores exchange data every 64 cycles of 10 ns, which delays the end of a kernel by up to
			// that time.
			elapsed := long.Seconds - short.Seconds
			tolerance := 2*64*10e-9/elapsed + 1e-3
			if rate := (many - few) / elapsed; math.Abs(rate/c.words-1) > tolerance {
				t.Errorf("%.6g words/s, want %.6g", rate, c.words)
			}
			if !strings.Contains(fmt.Sprint(notes),
				"own clocks: top.k at "+strings.TrimSuffix(c.clock, "MHz")+" MHz") {
				t.Errorf("the notes tell nothing of its clock: %v", notes)
			}
			own := slices.IndexFunc(long.Spent, func(s run.KernelSpent) bool { return s.Kernel == 2 })
			other := slices.IndexFunc(long.Spent, func(s run.KernelSpent) bool { return s.Kernel == 1 })
			cycles, fpga := float64(long.Spent[own].Total()), float64(long.Spent[other].Total())
			if math.Abs(cycles/fpga/(c.hertz/100e6)-1) > 1e-3 {
				t.Errorf("%g cycles of its own and %g of the FPGA", cycles, fpga)
			}
			for _, n := range long.Spent[own].Moved {
				if n != many {
					t.Errorf("%d words moved at a stream of it, want %d", n, many)
				}
			}
		})
	}
}
