package xsim_test

import (
	"cmp"
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
	"xopt/internal/testkit"
)

// slowV consumes a word in 8 cycles, and adds one to it.
const slowV = `module slow (input wire clk, input wire rst,
    input wire [31:0] s_axis_x_tdata, input wire s_axis_x_tvalid, output wire s_axis_x_tready,
    output reg [31:0] m_axis_y_tdata, output reg m_axis_y_tvalid, input wire m_axis_y_tready);
    reg [2:0] left;
    assign s_axis_x_tready = left == 0 && (!m_axis_y_tvalid || m_axis_y_tready);
    always @(posedge clk) begin
        if (m_axis_y_tready) m_axis_y_tvalid <= 1'b0;
        if (left != 0) left <= left - 1'b1;
        if (s_axis_x_tvalid && s_axis_x_tready) begin
            m_axis_y_tdata <= s_axis_x_tdata + 1'b1;
            m_axis_y_tvalid <= 1'b1;
            left <= 3'd7;
        end
        if (rst) begin m_axis_y_tvalid <= 1'b0; left <= 3'd0; end
    end
endmodule
`

// row is a chain of kernels, each on its own FPGA with its own clock, on a switch.
type row struct {
	ppm     []float64
	phase   []string
	network string // the configs of the switch
	source  string // the rate of the source; "" for 4 GB/s
	stall   time.Duration
}

// design returns the design of the row, for the given number of words.
func (r row) design(t *testing.T) *design.Design {
	t.Helper()
	var blocks, edges, resources, places, names strings.Builder
	from := "g.y"
	for i := range r.ppm {
		fmt.Fprintf(&blocks, "Slow k%d; ", i)
		fmt.Fprintf(&edges, "e%d: %s -> k%d.x; ", i, from, i)
		from = fmt.Sprintf("k%d.y", i)
		fmt.Fprintf(&resources, "resource f%d is HDL_Part (ppm=%g, phase=%q);\n", i, r.ppm[i], r.phase[i])
		fmt.Fprintf(&places, "map { top.k%d } to f%d;\n", i, i)
		fmt.Fprintf(&names, ", f%d", i)
	}
	text := fmt.Sprintf(`#include "std.x"
block G { config SIGNED64 elements = 1; output UNSIGNED32 y; };
block Slow { input UNSIGNED32 x; output UNSIGNED32 y; };
block S { config STRING output = ""; input UNSIGNED32 x; };
block top { G g; S s; %s %s out: %s -> s.x; };
use top;
platform HDL_Part: HDL { config STRING family = "xc7"; config STRING clock = "100MHz"; };
platform C { impl G (src="g.c"); impl S (src="s.c"); };
platform HDL { impl Slow (src="slow.v", top="slow"); };
resource proc[2] is C;
%sresource net is switch ({ proc%s }, duplex="full", %s);
impl G on C (mu=%q, scv=0); impl S on C (mu="4GB/s", scv=0);
impl Slow on HDL (mu="50MB/s", gain=1, lut=1);
map { top.g } to proc[1]; map { top.s } to proc[2];
%s`, blocks.String(), edges.String(), from, resources.String(), names.String(), r.network,
		cmp.Or(r.source, "4GB/s"), places.String())
	d := flowtest.X{Dir: testkit.Files(t, map[string]string{"app.x": text, "slow.v": slowV, "g.c": loopFiles["g.c"],
		"s.c": loopFiles["s.c"]}) + "/", Files: []string{"app.x"}}.Design(t, design.Options{Purpose: design.ForCheck})
	if d.Mapping == nil {
		t.Fatal(d.Unmapped)
	}
	return d
}

// play runs the row with the given number of words, and returns the time, the output, and the measurement.
func (r row) play(t *testing.T, elements uint64, taps []program.Tap) (float64, string, *run.Measurement) {
	t.Helper()
	d := r.design(t)
	o := program.Options{Elements: elements, Output: filepath.Join(t.TempDir(), "out"), CPUs: 2, Taps: taps}
	prog, _, err := xsim.Build(t.Context(), d, o, xsim.Options{Seed: 1, FromProfile: true}, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.Once(context.Background(), prog, run.Options{Stall: cmp.Or(r.stall, 5*time.Minute)})
	if rerr := prog.Remove(); rerr != nil {
		t.Error(rerr)
	}
	if err != nil {
		t.Fatal(err)
	}
	if m.Failure != nil {
		t.Fatal(m.Failure)
	}
	return m.Seconds, testkit.Read(t, o.Output), m
}

// clocks returns a row of n FPGAs with different clock rates and start times.
func clocks(n int) (r row) {
	for i := range n {
		r.ppm = append(r.ppm, []float64{4000, -5000, 2500, -1000, 500, -8000}[i])
		r.phase = append(r.phase, []string{"0s", "3ns", "1.7us", "9.99ns", "123ns", "40us"}[i])
	}
	r.network = `bandwidth="1GB/s", latency="1us"`
	return r
}

// TestLongTurn: while a kernel on a core is in a turn of many million cycles, nothing moves for longer than the stall
// limit. That is no stall: Linux can make a turn as long, by running other programs meanwhile.
func TestLongTurn(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	testkit.Long(t, "the simulation of 6 million cycles")
	t.Parallel()
	r := clocks(1)
	r.source, r.stall = "66.7B/s", time.Second
	if seconds, out, _ := r.play(t, 1, nil); len(out) != 4 || seconds < 0.059 {
		t.Errorf("%d bytes of output after %v s of virtual time, want 4 bytes after 0.06 s", len(out), seconds)
	}
}

// TestFPGAs: two to six FPGAs, each with its own clock, exchange data over a switch. The output is correct, and equal
// in every run to the last ps. The rate is that of the slowest clock, as in the model.
func TestFPGAs(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	t.Parallel()
	const elements, more = 4000, 20_000
	counts := []int{2, 3, 4, 5, 6}
	if testing.Short() {
		counts = []int{2}
	}
	for _, n := range counts {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := clocks(n)
			var want []byte
			for i := range uint32(more) {
				want = binary.LittleEndian.AppendUint32(want, i*2654435761+uint32(n))
			}
			short, half, _ := r.play(t, elements, nil)
			long, complete, _ := r.play(t, more, nil)
			again, same, _ := r.play(t, elements, nil)
			if half != string(want[:4*elements]) || complete != string(want) {
				t.Errorf("%d and %d bytes of output are not those that were to be", len(half), len(complete))
			}
			if again != short || same != half {
				t.Errorf("one run took %v s, and the next %v s", short, again)
			}
			d := r.design(t)
			_, solution := flowtest.Solve(t, d.Problem, d.Mapping)
			slowest := 1 + slices.Min(r.ppm)*1e-6
			// FPGAs exchange every 64 cycles of 10 ns; the ends of two runs have that accuracy.
			tolerance := 2 * 64 * 10e-9 / (long - short)
			for what, rate := range map[string]float64{"the model has": solution.Throughput / 4,
				"the run has": (more - elements) / (long - short)} {
				if clock := 100e6 / 8 * slowest; math.Abs(rate/clock-1) > tolerance {
					t.Errorf("%s %.8g words/s, and the slowest clock %.8g", what, rate, clock)
				}
			}
		})
	}
}

// TestSwitchPorts: on a switch, edges wait for each other only at the port that both go to.
func TestSwitchPorts(t *testing.T) {
	d := clocks(3).design(t)
	var names []string
	for i := range d.Problem.Architecture.Links {
		names = append(names, d.Problem.Architecture.Links[i].Name)
	}
	const want = "net<cores net<f0 net<f1 net<f2 net>cores net>f0 net>f1 net>f2"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the ports are %s, want %s", got, want)
	}
	// 8 MB/s into a port that only one edge uses: other traffic on the switch has no influence.
	r := clocks(3)
	r.network = `bandwidth="8MB/s", latency="1us"`
	_, s := flowtest.Solve(t, r.design(t).Problem, r.design(t).Mapping)
	if math.Abs(s.Throughput/8e6-1) > 1e-3 {
		t.Errorf("%.6g B/s over ports of 8 MB/s each, want as much", s.Throughput)
	}
}
