package design

import (
	"testing"

	"xopt/flow/profile"
)

// TestClock: a rate measured at 50 MHz is converted to the kernel's own f_max, or to the clock in the architecture.
func TestClock(t *testing.T) {
	fig := func(v float64) *profile.Figure {
		return &profile.Figure{Value: v, N: 9, CI95: [2]float64{0.9 * v, 1.1 * v}}
	}
	hardware := func(block string, max float64) profile.Kernel {
		k := profile.Kernel{Block: block, Platform: "HDL", ServiceRate: fig(10e6), Gain: fig(1), Clock: 50e6}
		if max > 0 {
			k.MaxClock = fig(max)
		}
		return k
	}
	profile := &profile.Profile{Kernels: []profile.Kernel{hardware("M", 100e6), hardware("T", 0)}}
	for _, x := range []struct {
		config      string
		rate, clock float64 // of M
		sink        float64 // of T, whose f_max is not known
	}{
		{``, 20e6, 100e6, 10e6},
		{`(clock="25MHz")`, 5e6, 0, 5e6},
	} {
		d := mustLower(t, Options{Profile: FromProfile("p.json", profile, nil)}, `
#include "std.x"
block S { output UNSIGNED8 y; };
block M { input UNSIGNED8 x; output UNSIGNED8 y; };
block T { input UNSIGNED8 x; };
block top { S src; M mid; T sink; src.y -> mid.x; mid.y -> sink.x; };
resource proc is C;
resource fpga is HDL `+x.config+`;
resource bus1 is bus ({ proc, fpga }, bandwidth="100MB/s");
impl S on C (mu="1GB/s");
platform HDL { impl M (src="m.v"); impl T (src="t.v"); };
`)
		f := d.Problem.Figures[1][1]
		if f.ServiceRate != x.rate || f.MaxClock != x.clock || f.Low/f.ServiceRate < 0.8999 ||
			f.Low/f.ServiceRate > 0.9001 {
			t.Errorf("%q: M has %g bytes/s, from %g, at f_max %g, want %g at %g", x.config, f.ServiceRate, f.Low,
				f.MaxClock, x.rate, x.clock)
		}
		if len(f.Factors) != 1 || f.Factors[0].Name != "clock" || f.Factors[0].Times != x.rate/10e6 {
			t.Errorf("%q: the rate of M has factors %v", x.config, f.Factors)
		}
		if g := d.Problem.Figures[2][1]; g.ServiceRate != x.sink || g.MaxClock != 0 {
			t.Errorf("%q: T has %g bytes/s at f_max %g, want %g", x.config, g.ServiceRate, g.MaxClock, x.sink)
		}
	}
}
