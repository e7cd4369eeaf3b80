package design

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"xopt/flow/profile"
)

// ownClockSource is a kernel M on an FPGA, with attributes of its implementation and configs of the FPGA.
const ownClockSource = `
#include "std.x"
block S { output UNSIGNED8 y; };
block M { input UNSIGNED8 x; output UNSIGNED8 y; };
block T { input UNSIGNED8 x; };
block top { S src; M mid; T sink; src.y -> mid.x; mid.y -> sink.x; };
resource proc is C;
resource fpga is HDL %s;
resource bus1 is bus ({ proc, fpga }, bandwidth="10GB/s");
impl S on C (mu="10GB/s"); impl T on C (mu="10GB/s");
platform %s { impl M (%s); };
`

// TestOwnClock: the rate of a kernel with its own clock follows that clock, whatever the FPGA's. It is limited by the
// words that cross between the two: one per cycle of the FPGA at the busiest port. It was measured at 50 MHz: 100
// MB/s, which is 2 bytes per cycle.
func TestOwnClock(t *testing.T) {
	for _, x := range []struct {
		fpga, own string
		moved     uint64 // of 1000 cycles at the busiest port; 0 if nothing was counted
		want      float64
		note      string
	}{
		{`(clock="100MHz")`, `clock="25MHz"`, 500, 50e6, "at its own clock, 25 MHz"},
		{`(clock="100MHz")`, `clock="200MHz"`, 500, 400e6, "at its own clock, 200 MHz"},
		{`(clock="100MHz", ppm=1000)`, `clock="25MHz"`, 500, 50.05e6, ""},
		// 0.5 words a cycle at 400 MHz are 200 M words/s, and 100 M cross.
		{`(clock="100MHz")`, `clock="400MHz"`, 500, 400e6, "limited to one word per cycle of fpga, at 100 MHz"},
		{`(clock="100MHz")`, `clock="400MHz"`, 1000, 200e6, "limited to one word"},
		{`(clock="100MHz")`, `clock="150MHz"`, 0, 200e6, "limited to one word"},
		{`(clock="100MHz")`, ``, 1000, 200e6, "at the clock of the architecture"},
	} {
		k := profile.Kernel{Block: "M", Platform: "HDL", Gain: &profile.Figure{Value: 1, N: 1}, Clock: 50e6,
			ServiceRate: &profile.Figure{Value: 100e6, N: 9, CI95: [2]float64{90e6, 110e6}}}
		if x.moved > 0 {
			k.Cycles = &profile.Cycles{Total: 1000, Moving: x.moved, Working: 1000 - x.moved,
				Ports: []profile.PortCycles{{Port: "x", Input: true, Moved: x.moved}, {Port: "y", Moved: x.moved / 2}}}
		}
		source := `src="m.v"`
		if x.own != "" {
			source += ", " + x.own
		}
		d := mustLower(t, Options{Profile: FromProfile("p.json", &profile.Profile{Kernels: []profile.Kernel{k}}, nil)},
			fmt.Sprintf(ownClockSource, x.fpga, "HDL", source))
		f := d.Problem.Figures[1][1]
		if math.Abs(f.ServiceRate/x.want-1) > 1e-12 || !strings.Contains(f.Note, x.note) || f.MaxClock != 0 ||
			f.High < f.Low || f.High > 1.1001*f.ServiceRate {
			t.Errorf("%s, %s, %d words: %g bytes/s (%g to %g), %q; want %g, %q", x.fpga, x.own, x.moved, f.ServiceRate,
				f.Low, f.High, f.Note, x.want, x.note)
		}
	}
}

// TestOwnClockRefused: an invalid clock of an implementation is reported with its place.
func TestOwnClockRefused(t *testing.T) {
	for _, x := range []struct{ fpga, platform, source, want string }{
		{``, "HDL", `src="m.v", clock="25MHz"`, "block M has its own clock, but the clock of its FPGA fpga is unknown"},
		{`(clock="1MHz")`, "HDL", `clock="25MHz"`, "clock has no effect on an implementation without a source"},
		{`(clock="1MHz")`, "C", `src="m.c", clock="25MHz"`, "kernels on FPGAs, and has no effect on platform C"},
		{`(clock="1MHz")`, "HDL", `src="m.v", clock="0MHz"`, "0MHz is not positive"},
	} {
		_, err := lower(t, Options{Purpose: ForCheck}, fmt.Sprintf(ownClockSource, x.fpga, x.platform, x.source))
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s, %s: %v, want %s", x.fpga, x.source, err, x.want)
		}
	}
	for source, want := range map[string]string{`src="m.v", clock="fast"`: `clock: cannot read "fast"`,
		`src="m.v", clock=25`: "has no unit", `src="m.v", clock=0`: "expected a positive value"} {
		_, err := readSource(fmt.Sprintf(ownClockSource, "", "HDL", source))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", source, err, want)
		}
	}
}
