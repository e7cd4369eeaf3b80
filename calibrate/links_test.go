package calibrate

import (
	"math"
	"slices"
	"testing"

	"xopt/flow/flowtest"
	"xopt/flow/profile"
	"xopt/internal/testkit"
)

// TestFitLink: the fit finds the generating parameters, and is never negative.
func TestFitLink(t *testing.T) {
	fit := func(cost, bandwidth float64, bend func(bytes float64) float64) *profile.Link {
		l := &profile.Link{}
		for _, bytes := range linkSizes() {
			s := (cost + float64(bytes)/bandwidth) * bend(float64(bytes))
			l.Samples = append(l.Samples, profile.LinkSample{Bytes: float64(bytes), Seconds: s,
				CI95: [2]float64{0.99 * s, 1.02 * s}})
		}
		fitLink(l, 10)
		return l
	}
	straight := func(float64) float64 { return 1 }
	near := func(what string, got, want, inside float64) {
		t.Helper()
		if math.Abs(got-want) > inside*want {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	l := fit(12e-9, 7e9, straight)
	near("cost", l.TransferCost.Value, 12e-9, 1e-6)
	near("bandwidth", l.Bandwidth.Value, 7e9, 1e-6)
	near("lower cost", l.TransferCost.CI95[0], 0.99*12e-9, 1e-6)
	near("lower bandwidth", l.Bandwidth.CI95[0], 7e9/1.02, 1e-6)
	if l.Residual > 1e-9 {
		t.Errorf("the residual of a line is %g", l.Residual)
	}
	// Messages that cost less than a line would have them.
	l = fit(0, 7e9, func(bytes float64) float64 { return 1 + bytes/1e5 })
	if l.TransferCost.Value != 0 || !(l.Bandwidth.Value > 0) || !(l.Residual > 0.01) {
		t.Errorf("a curve through nothing gives %+v", l)
	}
	// A size that was disturbed in all windows is omitted; two of five that are slow are no outlier.
	slow := func(at ...float64) func(float64) float64 {
		return func(bytes float64) float64 {
			if slices.Contains(at, bytes) {
				return 17
			}
			return 1 + 0.02*math.Sin(bytes)
		}
	}
	for _, bytes := range linkSizes() {
		l = fit(12e-9, 7e9, slow(float64(bytes)))
		near("bandwidth beside an outlier", l.Bandwidth.Value, 7e9, 0.06)
		near("cost beside an outlier", l.TransferCost.Value, 12e-9, 0.4)
		for _, s := range l.Samples {
			if s.LeftOut != (s.Bytes == float64(bytes)) || l.Residual > 0.1 {
				t.Errorf("%d B disturbed: %g B is left out: %v; residual %g", bytes, s.Bytes, s.LeftOut, l.Residual)
			}
		}
	}
	l = fit(12e-9, 7e9, slow(64, 4096))
	if slices.ContainsFunc(l.Samples, func(s profile.LinkSample) bool { return s.LeftOut }) || l.Residual < 0.5 {
		t.Errorf("two of five disturbed: %+v", l.Samples)
	}
	p := &profile.Profile{Links: []profile.Link{*l}}
	p.Links[0].Linktype = "memory"
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

// TestMeasureLatency: an element in a loop of two kernels on two cores comes round, and takes some time.
func TestMeasureLatency(t *testing.T) {
	testkit.Long(t, "it runs for a second")
	t.Parallel()
	p := flowtest.X{Files: []string{"app.x"}, Dir: testkit.Files(t, map[string]string{"app.x": `#include "std.x"
block A { output UNSIGNED32 y; };
block B { input UNSIGNED32 x; };
block top { A a; B b; e: a.y -> b.x; };
use top;
resource proc[2] is C;
resource mem is memory ({ proc });
`}) + "/"}.Program(t)
	f, err := measureLatency(t.Context(), p, p.Links[0], endsOf(p, p.Links[0]), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !(f.Value > 0 && f.Value < 1) || f.N < 1 || f.CI95[0] > f.Value || f.CI95[1] < f.Value {
		t.Errorf("an element is under way for %+v", f)
	}
}

// TestCorrectedSamples checks that a message size without near windows is corrected by the slowdown of the others, and
// that its windows name the correction.
func TestCorrectedSamples(t *testing.T) {
	windows := make([][]linkWindow, len(linkSizes()))
	for i := range windows {
		for j := range 8 {
			w := linkWindow{seconds: 1, distance: 20e-9}
			if j >= 4 || i == 0 {
				w.seconds, w.distance = 3, 120e-9
			}
			windows[i] = append(windows[i], w)
		}
	}
	near, _, far := nearWindows(windows)
	if far == nil || math.Abs(far.Slowdown-3) > 1e-9 {
		t.Fatalf("while far apart: %+v", far)
	}
	if by, other := correctionOf(near[0]), correctionOf(near[1]); near[0][0].seconds != 1 || by != 3 || other != 0 {
		t.Errorf("corrected by %g and %g: %+v", by, other, near[0])
	}
}
