package vitis

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"xopt/flow/exchange/timed"
	"xopt/internal/fault"
)

// report reads a report into a graph of the sampled kernels.
func report(t *testing.T, file string, change func(string) string) (*timed.Graph, error) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	g := &timed.Graph{File: "g.dot"}
	for _, name := range []string{"CvtColor", "writeOutcome", "systolic_array"} {
		g.Kernels = append(g.Kernels, timed.Kernel{Name: name, Times: make(map[string]timed.Time)})
	}
	return g, Read(g, file, bytes.NewReader([]byte(change(string(text)))))
}

func same(s string) string { return s }

// TestRead: the time is the longest interval at the target clock. Notes name the figures that are not translated.
func TestRead(t *testing.T) {
	g, err := report(t, "CvtColor_csynth.xml", same) // Vivado HLS, with DSP48E
	if err != nil {
		t.Fatal(err)
	}
	x := g.Kernels[0].Times[FPGA]
	if math.Abs(x.Seconds/(4006001*10e-9)-1) > 1e-12 || x.Area["lut"] != 245 || x.From != "simulated: imported from "+
		"CvtColor_csynth.xml" || g.Resources[0].Area["dsp"] != 220 || g.Resources[0].Area["bram"] != 280 {
		t.Errorf("%+v %+v", x, g.Resources)
	}
	if len(g.Notes) != 1 || !strings.Contains(g.Notes[0].Text, "from 1 to 4006001 cycles") {
		t.Error(g.Notes)
	}
	slow := func(s string) string { return strings.Replace(s, "14.600", "25", 1) }
	if g, err = report(t, "writeOutcome_csynth.xml", slow); err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(fault.Texts(g.Notes), "\n")
	if x := g.Kernels[1].Times[FPGA].Seconds; math.Abs(x/(8*25e-9)-1) > 1e-12 || len(g.Notes) != 2 ||
		!strings.Contains(notes, "25 ns") || !strings.Contains(notes, "72 cycles") {
		t.Errorf("%g %s", x, notes)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		file   string
		change func(string) string
		id     fault.ID
		want   string
	}{
		{"systolic_array_csynth.xml", same, "wrong-imported-times", "LOOP_TRIPCOUNT"},
		{"CvtColor_csynth.xml", func(s string) string { return s[:200] }, "wrong-imported-times", "csynth.xml"},
		{"CvtColor_csynth.xml", func(s string) string { return strings.Replace(s, "10.00", "0", 1) },
			"", ""}, // the estimated period remains
		{"CvtColor_csynth.xml", func(s string) string { return strings.Replace(s, ">CvtColor<", ">Other<", 1) },
			"unknown-kernel", `"Other"`},
	} {
		_, err := report(t, c.file, c.change)
		if c.id == "" && err == nil {
			continue
		}
		if err == nil || fault.Of(err) != c.id || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.file, err, c.want)
		}
	}
}
