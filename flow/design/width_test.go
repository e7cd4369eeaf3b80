package design

import (
	"math"
	"strings"
	"testing"
)

// TestWidth: the bits of a stream per cycle limit its kernel, depending on the bytes per byte of the kernel's input.
func TestWidth(t *testing.T) {
	source := func(config string) string {
		return `
#include "std.x"
block S { output UNSIGNED8 y; };
block M { input UNSIGNED8 x; output UNSIGNED8 a, b; };
block J { input UNSIGNED8 a, b; join a, b; };
block top { S src; M mid; J join; src.y -> mid.x; mid.a -> join.a; mid.b -> join.b; };
resource proc is C;
resource fpga is HDL ` + config + `;
resource bus1 is bus ({ proc, fpga }, bandwidth="100MB/s");
impl S on C (mu="1GB/s");
impl M on HDL (mu="500MB/s", gain=3);
impl J on HDL (mu="100MB/s");
route M.a = 1/2;
route M.b = 1/2;
`
	}
	for _, x := range []struct {
		config    string
		mid, join float64
	}{
		{``, 500e6, 100e6},
		{`(clock="100MHz")`, 500e6, 100e6},
		{`(clock="100MHz", width="64")`, 500e6, 100e6},         // 800 MB/s
		{`(clock="100MHz", width=32)`, 400e6 / 1.5, 100e6},     // each output carries 1.5 times the input
		{`(clock="100MHz", width="8")`, 100e6 / 1.5, 100e6},    // each input of the join a half: 200 MB/s
		{`(clock="10MHz", width="8")`, 10e6 / 1.5, 10e6 / 0.5}, //
	} {
		d := mustLower(t, Options{}, source(x.config))
		for k, want := range []float64{1: x.mid, 2: x.join} {
			if got := d.Problem.Figures[k][1]; want > 0 && math.Abs(got.ServiceRate/want-1) > 1e-12 {
				t.Errorf("%s: kernel %d has %g bytes/s (%s), want %g", x.config, k, got.ServiceRate, got.Note, want)
			}
		}
		if note := d.Problem.Figures[1][1].Note; strings.Contains(note, "bits per cycle") != (x.mid < 500e6) {
			t.Errorf("%s: note %q", x.config, note)
		}
	}
	for config, want := range map[string]string{
		`(width="8")`:                  `width of resource fpga is in bits per clock cycle, but the clock is unknown`,
		`(clock="1MHz", width="wide")`: `width of resource fpga: "wide" is not a number`,
		`(clock="fast")`:               `clock of resource fpga`,
	} {
		if _, err := lower(t, Options{}, source(config)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", config, err, want)
		}
	}
}
