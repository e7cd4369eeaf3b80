package rtl_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"xopt/internal/rtl"
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

// TestPull runs the VHDL block of the thesis, with its own handshake, under stalls.
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

// TestOpenRefuses: what is wrong with a module is told by its ports' names.
func TestOpenRefuses(t *testing.T) {
	testkit.Tools(t, "verilator")
	cache := rtl.UserCache(t.Context())
	for _, c := range []struct{ name, text, want string }{
		{"k.v", "module k (input wire clk, input wire [7:0] s_axis_x_tdata, input wire s_axis_x_tvalid, output wire " +
			"s_axis_x_tready); assign s_axis_x_tready = 1; endmodule", "module k has no inputs clk and rst"},
		{"k.v", "module k (input wire clk, input wire rst); endmodule",
			"module k has no stream: want s_axis_<port>_tdata"},
		{"k.v", "module k (input wire clk, input wire rst, input wire [7:0] s_axis_x_tdata, input wire " +
			"s_axis_x_tvalid); endmodule", "stream s_axis_x of module k is not whole"},
		{"k.v", "module k (input wire clk, input wire rst, input wire [11:0] s_axis_x_tdata, input wire " +
			"s_axis_x_tvalid, output wire s_axis_x_tready); assign s_axis_x_tready = 1; endmodule",
			"has 12 bits: want whole bytes"},
		{"k.v", "module other (input wire clk); endmodule", "k"},
		{"k.v", "module k (input wire clk", "reading module k failed: verilator:"},
		{"k.txt", "", "its ending is not that of a language for hardware: want .v or .sv for Verilog, .vhd or .vhdl " +
			"for VHDL"},
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

// pass sends what it takes.
const pass = `module pass (input wire clk, input wire rst, input wire [31:0] s_axis_x_tdata,
    input wire s_axis_x_tvalid, output wire s_axis_x_tready, output wire [31:0] m_axis_y_tdata,
    output wire m_axis_y_tvalid, input wire m_axis_y_tready);
    assign m_axis_y_tdata = s_axis_x_tdata;
    assign m_axis_y_tvalid = s_axis_x_tvalid;
    assign s_axis_x_tready = m_axis_y_tready;
    wire unused = &{1'b0, clk, rst};
endmodule
`

// TestWidth: words go from one part to another by as many bits in a cycle as are asked for;
// a width that does not divide them is refused.
func TestWidth(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	cache := rtl.UserCache(t.Context())
	m, err := cache.Open(context.Background(), rtl.Source{Files: []string{write(t, "pass.v", pass)}, Top: "pass"})
	if err != nil {
		t.Fatal(err)
	}
	const words = 1000
	file := write(t, "x", string(counted(words)))
	for _, c := range []struct{ inside, outside, cycles int }{{0, 0, 1}, {16, 0, 2}, {0, 16, 2}, {8, 16, 4},
		{64, 32, 1}} {
		parts := []rtl.Part{{Name: "a", Module: m}, {Name: "b", Module: m}}
		p, err := rtl.Join(parts, []rtl.Wire{{From: 0, To: 1, FromPort: "y", ToPort: "x", Words: 4, Width: c.inside}},
			[]rtl.Outer{{Name: "in", Part: 0, Port: "x", Input: true, Width: c.outside}, {Name: "out", Part: 1,
				Port: "y", Width: c.outside}})
		if err != nil {
			t.Fatal(err)
		}
		// The drain and the signals of what happens inside are for runs in virtual time.
		s, err := cache.Simulate(context.Background(), p.Module)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Run(context.Background(), []rtl.Feed{{Port: "in", Input: true, Element: 4, File: file},
			{Port: "out", Element: 4, File: file}}, rtl.Options{Once: true, Quiet: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Streams {
			if !x.Input && (x.Wrong || x.Words != words) {
				t.Errorf("%+v: %+v", c, x)
			}
		}
		if want := uint64(c.cycles * words); r.LastMove < want-20 || r.LastMove > want+40 {
			t.Errorf("%d words by %d bits inside and %d outside took %d cycles, want %d", words, c.inside, c.outside,
				r.LastMove, want)
		}
	}
	_, err = rtl.Join([]rtl.Part{{Name: "kernel a", Module: m}}, nil, []rtl.Outer{{Name: "in", Part: 0, Port: "x",
		Input: true, Width: 24}, {Name: "out", Part: 0, Port: "y"}})
	if err == nil || !strings.Contains(err.Error(), "kernel a: stream x is 32 bits wide, which cannot be moved by "+
		"24 in a cycle") {
		t.Errorf("%v", err)
	}
}

// TestUnlikeWidths: between words of 24 and 32 bits as many bits move as the narrower have.
func TestUnlikeWidths(t *testing.T) {
	testkit.Tools(t, "verilator", "g++")
	cache := rtl.UserCache(t.Context())
	const words = 1000
	data := counted(words)
	m, err := cache.Open(context.Background(), rtl.Source{Files: []string{write(t, "pass.v", pass)}, Top: "pass"})
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := cache.Open(context.Background(),
		rtl.Source{Files: []string{write(t, "narrow.v", strings.ReplaceAll(strings.ReplaceAll(pass, "[31:0]", "[23:0]"),
			"module pass", "module narrow"))}, Top: "narrow"})
	if err != nil {
		t.Fatal(err)
	}
	for _, parts := range [][]rtl.Part{{{Name: "a", Module: m}, {Name: "b", Module: narrow}},
		{{Name: "a", Module: narrow}, {Name: "b", Module: m}}} {
		p, err := rtl.Join(parts, []rtl.Wire{{From: 0, To: 1, FromPort: "y", ToPort: "x", Words: 4}},
			[]rtl.Outer{{Name: "in", Part: 0, Port: "x", Input: true}, {Name: "out", Part: 1, Port: "y"}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := cache.Simulate(context.Background(), p.Module)
		if err != nil {
			t.Fatal(err)
		}
		even := write(t, "even", string(data[:words*4/12*12]))
		r, err := s.Run(context.Background(), []rtl.Feed{{Port: "in", Input: true, Element: 12, File: even},
			{Port: "out", Element: 12, File: even}}, rtl.Options{Once: true, Quiet: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Streams {
			if x.Wrong || x.Elements != words*4/12 {
				t.Errorf("from %s: %+v", parts[0].Module.Top, x)
			}
		}
		if want := uint64(words * 4 / 3); r.LastMove < want-20 || r.LastMove > want+40 {
			t.Errorf("from %s: %d bytes took %d cycles, want %d", parts[0].Module.Top, 4*words, r.LastMove, want)
		}
	}
}

// counted are words that differ.
func counted(words uint32) (data []byte) {
	for i := range words {
		data = binary.LittleEndian.AppendUint32(data, i*2654435761)
	}
	return data
}

// TestMissing names the Debian package of a tool that is not there.
func TestMissing(t *testing.T) {
	cache := rtl.UserCache(t.Context())
	source := write(t, "k.v", "module k (input wire clk, input wire rst, input wire [7:0] s_axis_x_tdata, input "+
		"wire s_axis_x_tvalid, output wire s_axis_x_tready); assign s_axis_x_tready = 1; endmodule")
	t.Setenv("PATH", "")
	_, err := cache.Open(context.Background(), rtl.Source{Files: []string{source}, Top: "k"})
	var missing *rtl.MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "(Debian: verilator)") {
		t.Errorf("got %v", err)
	}
}
