package rtl_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"xopt/hdl/rtl"
	"xopt/internal/testkit"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	return filepath.Join(testkit.Files(t, map[string]string{name: text}), name)
}

// sumVHDL is the block of Gayen 2008, Figs. 2.20 and 2.21.
const sumVHDL = `
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
entity X_SUM is
  port (
    clk : in std_logic;
    rst : in std_logic;
    --input port x0
    input_x0 : in std_logic_vector(31 downto 0);
    avail_x0 : in std_logic;
    read_x0 : out std_logic;
    --input port x1
    input_x1 : in std_logic_vector(31 downto 0);
    avail_x1 : in std_logic;
    read_x1 : out std_logic;
    --output port y0
    output_y0 : out std_logic_vector(31 downto 0);
    write_y0 : out std_logic
  );
end X_SUM;

architecture arch of X_SUM is
  signal all_rdy : std_logic;
begin
  all_rdy <= avail_x0 and avail_x1;
  read_x0 <= all_rdy;
  read_x1 <= all_rdy;
  output_y0 <= std_logic_vector(unsigned(input_x0) + unsigned(input_x1));
  write_y0 <= all_rdy;
end architecture arch;
`

// TestPull runs the VHDL block of the thesis with its own handshake, with stalls.
func TestPull(t *testing.T) {
	testkit.Tools(t, "verilator", "ghdl", "g++")
	cache := rtl.UserCache(t.Context())
	m, err := cache.Open(context.Background(), rtl.Source{Files: []string{write(t, "sum.vhd", sumVHDL)}, Top: "X_SUM"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := cache.Simulate(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	const words = 2000
	random := rand.New(rand.NewPCG(1, 2))
	var a, b, sum []byte
	for range words {
		x, y := random.Uint32(), random.Uint32()
		a, b, sum = binary.LittleEndian.AppendUint32(a, x), binary.LittleEndian.AppendUint32(b, y),
			binary.LittleEndian.AppendUint32(sum, x+y)
	}
	x0, x1, y0 := write(t, "x0", string(a)), write(t, "x1", string(b)), write(t, "y0", string(sum))
	for seed, stall := range [][3]float64{{}, {0.5, 0.1, 0}, {0, 0, 0.8}, {0.3, 0.6, 0.5}} {
		r, err := s.Run(context.Background(), []rtl.Feed{
			{Port: "x0", Input: true, Firing: 1 + seed%2*99, Element: 4, File: x0, Stall: stall[0]},
			{Port: "x1", Input: true, Follows: true, Element: 4, File: x1, Stall: stall[1]},
			{Port: "y0", Element: 4, File: y0, Stall: stall[2]},
		}, rtl.Options{Once: true, Seed: uint64(seed + 1), Quiet: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Streams {
			if !x.Input && (x.Wrong || x.Compared != 4*words) {
				t.Errorf("with stalls %v: %+v", stall, x)
			}
		}
		if want := uint64(words / (1 + seed%2*99)); r.Firings != want {
			t.Errorf("with stalls %v: %d firings, want %d", stall, r.Firings, want)
		}
		if stall == [3]float64{} && r.LastMove > words+20 {
			t.Errorf("%d words took %d cycles", words, r.LastMove)
		}
	}
}

// TestOpenRefuses checks that errors in a module name its ports.
func TestOpenRefuses(t *testing.T) {
	testkit.Tools(t, "verilator")
	cache := rtl.UserCache(t.Context())
	for _, c := range []struct{ name, text, want string }{
		{"k.v", "module k (input wire clk, input wire [7:0] s_axis_x_tdata, input wire s_axis_x_tvalid, output wire " +
			"s_axis_x_tready); assign s_axis_x_tready = 1; endmodule", "module k needs the inputs clk and rst"},
		{"k.v", "module k (input wire clk, input wire rst); endmodule",
			"module k has no stream: expected s_axis_<port>_tdata"},
		{"k.v", "module k (input wire clk, input wire rst, input wire [7:0] s_axis_x_tdata, input wire " +
			"s_axis_x_tvalid); endmodule", "stream s_axis_x of module k is incomplete"},
		{"k.v", "module k (input wire clk, input wire rst, input wire [11:0] s_axis_x_tdata, input wire " +
			"s_axis_x_tvalid, output wire s_axis_x_tready); assign s_axis_x_tready = 1; endmodule",
			"has 12 bits, expected a multiple of 8"},
		{"k.v", "module other (input wire clk); endmodule", "k"},
		{"k.v", "module k (input wire clk", "reading module k failed: verilator:"},
		{"k.txt", "", "expected extension .v or .sv for Verilog"},
	} {
		_, err := cache.Open(context.Background(), rtl.Source{Files: []string{write(t, c.name, c.text)}, Top: "k"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gives %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := cache.Open(context.Background(), rtl.Source{Files: []string{filepath.Join(t.TempDir(), "none.v")},
		Top: "k"}); err == nil {
		t.Error("a file that is not there can be read")
	}
}

// pass is a kernel that forwards words of 32 bits.
const pass = `module pass (input wire clk, input wire rst, input wire [31:0] s_axis_x_tdata, input wire s_axis_x_tvalid,
    output wire s_axis_x_tready, output wire [31:0] m_axis_y_tdata, output wire m_axis_y_tvalid,
    input wire m_axis_y_tready);
    assign m_axis_y_tdata = s_axis_x_tdata;
    assign m_axis_y_tvalid = s_axis_x_tvalid;
    assign s_axis_x_tready = m_axis_y_tready;
    wire unused = &{1'b0, clk, rst};
endmodule
`

// through simulates two kernels in series on the words of a file, which must come out unchanged. It returns the number
// of cycles.
func through(t *testing.T, cache *rtl.Cache, modules [2]*rtl.Module, inside, outside, element int, file string,
	elements uint64) uint64 {
	t.Helper()
	p, err := rtl.Join([]rtl.Part{{Name: "a", Module: modules[0]}, {Name: "b", Module: modules[1]}},
		[]rtl.Wire{{From: 0, To: 1, FromPort: "y", ToPort: "x", Words: 4, Width: inside}},
		[]rtl.Outer{{Name: "in", Part: 0, Port: "x", Input: true, Width: outside}, {Name: "out", Part: 1, Port: "y",
			Width: outside}}, rtl.Looks{})
	if err != nil {
		t.Fatal(err)
	}
	// The drain and the activity signals are for runs in virtual time.
	s, err := cache.Simulate(context.Background(), p.Module)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), []rtl.Feed{{Port: "in", Input: true, Element: element, File: file},
		{Port: "out", Element: element, File: file}}, rtl.Options{Once: true, Quiet: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Streams {
		if x.Wrong || x.Elements != elements {
			t.Errorf("from %s, by %d bits inside and %d outside: %+v", modules[0].Top, inside, outside, x)
		}
	}
	return r.LastMove
}

// openText reads a kernel from its text.
func openText(t *testing.T, cache *rtl.Cache, name, text string) *rtl.Module {
	t.Helper()
	m, err := cache.Open(context.Background(), rtl.Source{Files: []string{write(t, name+".v", text)}, Top: name})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// numbers writes a file with the given number of 32-bit words.
func numbers(t *testing.T, words uint32) string {
	t.Helper()
	var data []byte
	for i := range words {
		data = binary.LittleEndian.AppendUint32(data, i*2654435761)
	}
	return write(t, "x", string(data))
}

// TestWidth checks that as many bits as requested move between parts in a cycle. A width that does not divide the words
// is rejected.
func TestWidth(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	cache := rtl.UserCache(t.Context())
	m := openText(t, cache, "pass", pass)
	const words = 1000
	file := numbers(t, words)
	cases := []struct{ inside, outside, cycles int }{{8, 16, 4}, {0, 0, 1}, {16, 0, 2}, {0, 16, 2}, {64, 32, 1}}
	if testing.Short() {
		cases = cases[:1]
	}
	for _, c := range cases {
		elapsed := through(t, cache, [2]*rtl.Module{m, m}, c.inside, c.outside, 4, file, words)
		if want := uint64(c.cycles * words); elapsed < want-20 || elapsed > want+40 {
			t.Errorf("%d words by %d bits inside and %d outside took %d cycles, want %d", words, c.inside, c.outside,
				elapsed, want)
		}
	}
	_, err := rtl.Join([]rtl.Part{{Name: "kernel a", Module: m}}, nil, []rtl.Outer{{Name: "in", Part: 0, Port: "x",
		Input: true, Width: 24}, {Name: "out", Part: 0, Port: "y"}}, rtl.Looks{})
	if err == nil || !strings.Contains(err.Error(), "kernel a: stream x has 32 bits, which is not a multiple of "+
		"the link's 24 bits per cycle") {
		t.Errorf("%v", err)
	}
}

// TestGearbox checks that between words of 24 and 32 bits the narrower width moves in every cycle.
func TestGearbox(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	cache := rtl.UserCache(t.Context())
	wide := openText(t, cache, "pass", pass)
	narrow := openText(t, cache, "narrow", strings.NewReplacer("[31:0]", "[23:0]", "module pass", "module narrow").
		Replace(pass))
	const words = 999 // a multiple of 3
	file := numbers(t, words)
	for _, modules := range [][2]*rtl.Module{{wide, narrow}, {narrow, wide}} {
		elapsed := through(t, cache, modules, 0, 0, 12, file, words/3)
		if want := uint64(words * 4 / 3); elapsed < want-20 || elapsed > want+40 {
			t.Errorf("from %s: %d words took %d cycles, want %d", modules[0].Top, words, elapsed, want)
		}
	}
}

// TestFlags checks that simulations are compiled with CXXFLAGS, and that different flags give different programs.
func TestFlags(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	cache := rtl.UserCache(t.Context())
	m := openText(t, cache, "pass", pass)
	if _, err := cache.Simulate(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CXXFLAGS", "-O0 --none-of-these")
	if _, err := cache.Simulate(t.Context(), m); err == nil || !strings.Contains(err.Error(), "none-of-these") {
		t.Errorf("got %v", err)
	}
}

// TestMissing checks that the error about a missing tool names its Debian package.
func TestMissing(t *testing.T) {
	cache := rtl.UserCache(t.Context())
	source := write(t, "k.v", "module k (input wire clk, input wire rst, input wire [7:0] s_axis_x_tdata, input "+
		"wire s_axis_x_tvalid, output wire s_axis_x_tready); assign s_axis_x_tready = 1; endmodule")
	t.Setenv("PATH", "")
	_, err := cache.Open(context.Background(), rtl.Source{Files: []string{source}, Top: "k"})
	var missing *rtl.MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "(Debian package: verilator)") {
		t.Errorf("got %v", err)
	}
}
