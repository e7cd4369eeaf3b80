package design

import (
	"errors"
	"math"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/faults"
	"xopt/flow/profile"
	"xopt/flow/xlang"
)

// TestUnusableInterval: an interval below 0, which a loaded machine can cause in profiles, is not dropped silently. A
// wide one is assumed, for a kernel and for a link.
func TestUnusableInterval(t *testing.T) {
	wide := &profile.Figure{Value: 564e6, N: 9, CI95: [2]float64{-248e6, 1376e6}}
	measured := &profile.Profile{
		Kernels: []profile.Kernel{{Block: "T", Platform: "C", ServiceRate: wide}},
		Links:   []profile.Link{{Linktype: "bus", Bandwidth: wide}},
	}
	d := mustLower(t, Options{Profile: FromProfile("p.json", measured, nil)}, `
#include "std.x"
block S { output UNSIGNED8 y; };
block T { input UNSIGNED8 x; };
block top { S src; T sink; src.y -> sink.x; };
resource a is C;
resource b is C;
resource bus1 is bus ({ a, b });
impl S on C (mu="1GB/s");
platform C { impl T (src="t.c"); };
`)
	f, l := d.Problem.Figures[1][0], d.Problem.Architecture.Links[0]
	for name, x := range map[string]struct {
		value, low, high float64
		unusable         bool
		note             string
	}{
		"kernel": {f.ServiceRate, f.Low, f.High, f.Unusable, f.Note},
		"link":   {l.Bandwidth, l.Low, l.High, l.Unusable, l.Note},
	} {
		if x.value != 564e6 || !x.unusable || !(x.low > 0 && x.low < 300e6) || x.high < 1300e6 ||
			!strings.Contains(x.note, "assumed") {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

// TestStatedInterval: the interval of a stated rate or time, in its unit, is the interval of the service rate. An
// override replaces it, and figures that no interval fits are errors.
func TestStatedInterval(t *testing.T) {
	const text = `
#include "std.x"
block S { output UNSIGNED8[100] y; };
block T { input UNSIGNED8[100] x; };
block top { S src; T sink; src.y -> sink.x; };
use top;
resource a[2] is C;
resource m is memory ({ a }, bandwidth="inf", from="assumed");
impl S on C (mu="8MB/s", interval="2MB/s");
impl T on C (time="10us", interval="2us");
`
	d := mustLower(t, Options{}, text)
	for k, want := range []flow.Figures{{ServiceRate: 8e6, Low: 6e6, High: 10e6},
		{ServiceRate: 1e7, Low: 100 / 12e-6, High: 100 / 8e-6}} {
		f := d.Problem.Figures[k][0]
		for i, x := range [][2]float64{{f.ServiceRate, want.ServiceRate}, {f.Low, want.Low}, {f.High, want.High}} {
			if math.Abs(x[0]/x[1]-1) > 1e-12 {
				t.Errorf("figure %d of kernel %d is %g, want %g", i, k, x[0], x[1])
			}
		}
	}
	d = mustLower(t, Options{Overrides: []Override{{Target: "T", Attrs: [][2]string{{"time", "5us"}}}}}, text)
	if f := d.Problem.Figures[1][0]; f.Low != 0 || f.High != 0 {
		t.Errorf("an override has the interval of the figure that it replaces: %+v", f)
	}
	for _, wrong := range []string{`mu="8MB/s", interval="2us"`, `mu="8MB/s", interval="7.3MB/s"`, `interval="1us"`,
		`time="0s", interval="1us"`, `mu="inf", interval="1MB/s"`} {
		_, err := lower(t, Options{}, strings.Replace(text, `mu="8MB/s", interval="2MB/s"`, wrong, 1))
		var list xlang.Diagnostics
		if !errors.As(err, &list) || len(list) == 0 || list[0].ID != faults.WrongFigure {
			t.Errorf("%s: got %v", wrong, err)
		}
	}
}
