package rtl_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"xopt/hdl/rtl"
	"xopt/internal/testkit"
)

// slow consumes two words of x and one of y in a firing, and works for a number of cycles that depends on their values.
// It sends three words: the sum, the exclusive or, and the cycles. It holds back the last one until more of x arrives
// or it drains.
const slow = `module slow #(parameter MOST = 1) (input wire clk, input wire rst, input wire drain,
    input wire [31:0] s_axis_x_tdata, input wire s_axis_x_tvalid, output wire s_axis_x_tready,
    input wire [31:0] s_axis_y_tdata, input wire s_axis_y_tvalid, output wire s_axis_y_tready,
    output wire [31:0] m_axis_z_tdata, output wire m_axis_z_tvalid, input wire m_axis_z_tready);
    reg [31:0] a, b, c, left;
    reg [1:0] takes;
    reg has_y, may;
    reg [2:0] state; // 0 reads and works, then sends the first, the second and the third word
    wire [31:0] work = (a ^ b ^ c) >> 5 & MOST;
    assign s_axis_x_tready = takes != 0;
    assign s_axis_y_tready = !has_y;
    assign m_axis_z_tvalid = state == 1 || state == 2 || (state == 3 && may);
    assign m_axis_z_tdata = state == 1 ? a + b + c : state == 2 ? a ^ b ^ c : work;
    always @(posedge clk) begin
        if (rst) begin
            takes <= 2; has_y <= 0; state <= 0; left <= 0; may <= 0;
        end else begin
            if (s_axis_x_tvalid && s_axis_x_tready) begin
                takes <= takes - 1; a <= s_axis_x_tdata; b <= a;
            end
            if (s_axis_y_tvalid && s_axis_y_tready) begin
                has_y <= 1; c <= s_axis_y_tdata;
            end
            if (state == 0 && takes == 0 && has_y) begin
                left <= left + 1;
                if (left == work) state <= 1;
            end
            if (state == 3 && (drain || s_axis_x_tvalid)) may <= 1;
            if (m_axis_z_tvalid && m_axis_z_tready) begin
                state <= state == 3 ? 0 : state + 1;
                if (state == 3) begin
                    takes <= 2; has_y <= 0; left <= 0; may <= 0;
                end
            end
        end
    end
endmodule
`

// slowPorts returns the elements of a firing of a replica of slow.
func slowPorts() []rtl.CopyPort {
	return []rtl.CopyPort{{Port: "x", Input: true, Element: 4, Elements: 2}, {Port: "y", Input: true, Element: 4,
		Elements: 1}, {Port: "z", Element: 4, Elements: 3}}
}

// slowWork returns the inputs and outputs of a number of firings, and the cycles of work. A firing works at most
// maximum + 1 cycles.
func slowWork(firings, maximum uint32) (x, y, z []byte, cycles uint64) {
	word := binary.LittleEndian.AppendUint32
	for i := range firings {
		b, a, c := 2*i*2654435761, (2*i+1)*2246822519, i*3266489917
		x, y = word(word(x, b), a), word(y, c)
		work := (a ^ b ^ c) >> 5 & maximum
		z = word(word(word(z, a+b+c), a^b^c), work)
		cycles += uint64(work) + 1
	}
	return x, y, z, cycles
}

// TestCopies checks that replicas send the same bytes as a single kernel, however long each works and however its
// streams stall. More replicas must take fewer cycles while the work dominates.
func TestCopies(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	const firings, maximum = 3000, 63
	x, y, z, work := slowWork(firings, maximum)
	files := map[string]string{"x": write(t, "x", string(x)), "y": write(t, "y", string(y)),
		"z": write(t, "z", string(z))}
	cache := rtl.UserCache(t.Context())
	m, err := cache.Open(t.Context(), rtl.Source{Files: []string{write(t, "slow.v", slow)}, Top: "slow",
		Parameters: []rtl.Parameter{{Name: "MOST", Value: fmt.Sprint(maximum)}}})
	if err != nil {
		t.Fatal(err)
	}
	one := run(t, cache, m, files, [3]float64{})
	if one < work {
		t.Fatalf("one kernel took %d cycles, and works for %d", one, work)
	}
	for _, n := range []int{2, 3, 5} {
		if testing.Short() && n != 3 {
			continue
		}
		copies, err := m.Copies(n, slowPorts())
		if err != nil {
			t.Fatal(err)
		}
		for _, stalls := range [][3]float64{{}, {0.5, 0.1, 0}, {0, 0, 0.8}, {0.3, 0.6, 0.5}, {0.9, 0, 0}} {
			elapsed := run(t, cache, copies, files, stalls)
			if stalls != [3]float64{} {
				continue
			}
			// Firings are in turn, so that a replica waits for a slower one. The slowest of each round dominates. That
			// of n works for most·n/(n+1) on average, if the mean is most/2.
			mean := float64(one) / firings
			slowest := mean - float64(maximum)/2 + float64(maximum)*float64(n)/float64(n+1)
			limit := slowest / float64(n) * firings * 1.05
			if x := float64(elapsed); x > limit || x < mean/float64(n)*firings {
				t.Errorf("%d copies took %d cycles, want at most %.0f, and not less than a part of the %d of one", n,
					elapsed, limit, one)
			}
		}
	}
}

// run simulates a module whose output must equal a file. It returns the number of cycles until nothing moves. The last
// words of the last firings follow when the module drains.
func run(t *testing.T, cache *rtl.Cache, m *rtl.Module, files map[string]string, stalls [3]float64) uint64 {
	t.Helper()
	s, err := cache.Simulate(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), []rtl.Feed{
		{Port: "x", Input: true, Element: 4, Firing: 2, File: files["x"], Stall: stalls[0]},
		{Port: "y", Input: true, Element: 4, Follows: true, File: files["y"], Stall: stalls[1]},
		{Port: "z", Element: 4, File: files["z"], Stall: stalls[2]}}, rtl.Options{Once: true, Quiet: 1000, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Streams {
		if want := map[string]uint64{"x": 6000, "y": 3000, "z": 9000}[x.Name]; x.Wrong || x.Elements != want {
			t.Errorf("%s, with stalls %v: %+v", m.Top, stalls, x)
		}
	}
	return r.LastMove
}

// TestCopiesArea checks that the area of replicas is that of their contents, and of the splitters and joiners.
func TestCopiesArea(t *testing.T) {
	testkit.Tools(t, "verilator", "yosys")
	testkit.Long(t, "yosys synthesizes it five times")
	m := openText(t, rtl.UserCache(t.Context()), "slow", slow)
	cache := rtl.UserCache(t.Context())
	one, err := cache.Synthesize(t.Context(), m, "xc7")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 4} {
		copies, err := m.Copies(n, slowPorts())
		if err != nil {
			t.Fatal(err)
		}
		all, err := cache.Synthesize(t.Context(), copies, "xc7")
		if err != nil {
			t.Fatal(err)
		}
		more, err := cache.CopiesArea(t.Context(), m, n, slowPorts(), "xc7")
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			what                string
			all, one, reference float64
		}{{"LUT", all.LUT, one.LUT, more.LUT}, {"FF", all.FF, one.FF, more.FF}} {
			if want := float64(n)*x.one + x.reference; x.reference <= 0 || x.all < 0.85*want || x.all > 1.15*want {
				t.Errorf("%d copies take %.0f %s, but %d times %.0f and %.0f beside are %.0f", n, x.all, x.what, n,
					x.one, x.reference, want)
			}
		}
		t.Logf("%d copies: %+v, alone %+v, beside %+v", n, *all, *one, *more)
	}
}
