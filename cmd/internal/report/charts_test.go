package report

import (
	"strings"
	"testing"

	"xopt/deploy/xeval"
	"xopt/flow/profile"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// TestErrorsBeyondTheAxis checks that errors above the histogram's range share a labelled last bar, and that the
// largest is stated.
func TestErrorsBeyondTheAxis(t *testing.T) {
	t.Parallel()
	of := func(errors ...result.Number) *Chart {
		v := &result.Validation{}
		for _, e := range errors {
			v.Cases = append(v.Cases, result.ValidatedCase{Predicted: 10 * (1 + e), Measured: 10})
		}
		return errorHistogram(v)
	}
	c := of(0.04, 4.91, 1.5)
	last := len(c.X.Categories) - 1
	if c.X.Categories[last] != "over +99" || c.Series[0].Y[last] != 2 || !strings.Contains(c.Note, "+491 %") {
		t.Errorf("%q %v %q", c.X.Categories[last], c.Series[0].Y[last], c.Note)
	}
	if c = of(0.04, -0.02); c.Note != "" || strings.HasPrefix(c.X.Categories[len(c.X.Categories)-1], "over") {
		t.Errorf("no error is beyond: %q, %q", c.Note, c.X.Categories)
	}
}

// TestWindowsAroundTheirMedian checks that values relative to a median have it at 100 %, and that kernels without a
// box are named.
func TestWindowsAroundTheirMedian(t *testing.T) {
	t.Parallel()
	c := windows(&profile.Profile{Kernels: []profile.Kernel{
		{Block: "A", ServiceRate: &profile.Figure{Value: 7, Windows: []float64{8, 9, 10, 11, 12}}},
		{Block: "B", ServiceRate: &profile.Figure{Value: 7}}}})
	if c == nil || c.Series[0].Boxes[0][2] != 100 || !(c.Series[0].Boxes[0][0] < 100 && c.Series[0].Boxes[0][4] > 100) {
		t.Fatalf("%+v", c)
	}
	if !strings.HasSuffix(c.Note, "vary: B on .") {
		t.Error(c.Note)
	}
}

// TestChartsUseTheirRange checks the axes and lines of charts: the kept throughput of a front of buffers, the knee of a
// sweep, and logarithmic axes only for values of different magnitudes.
func TestChartsUseTheirRange(t *testing.T) {
	t.Parallel()
	f := &result.BufferFront{Max: 100e6, Keep: 0.99, Points: []result.BufferPoint{{Memory: 85e3, Throughput: 90e6},
		{Memory: 88e3, Throughput: 100e6}}}
	c := BufferFrontCharts(f)[0]
	if c.X.Log || len(c.Limits) != 1 || c.Limits[0] != (Limit{"99 % of the maximum", 99, false}) {
		t.Errorf("85 to 88 kB: logarithmic %v, lines %v", c.X.Log, c.Limits)
	}
	for low, log := range map[result.Number]bool{1e3: true, 88e3 / 19: false} {
		f.Points[0].Memory = low
		if c = BufferFrontCharts(f)[0]; c.X.Log != log {
			t.Errorf("%g B to 88 kB: logarithmic %v", float64(low), c.X.Log)
		}
	}
	if c.Series[1].Kind != Markers || c.Series[1].Name != "chosen: "+units.Size(float64(f.Points[0].Memory)) {
		t.Errorf("the chosen sizes are %+v", c.Series[1])
	}
	s := &result.Sweep{Varied: []result.Varied{{Name: "n", Values: []string{"1", "2", "3"}}}, Mappings: []string{"a"}}
	for i, rate := range []result.Number{5e6, 9.9e6, 10e6} {
		s.Points = append(s.Points, result.SweptPoint{Values: s.Varied[0].Values[i : i+1], Throughput: rate,
			Proof: "optimal"})
	}
	if c = SweepChart(s); len(c.Limits) != 1 || c.Limits[0] != (Limit{"95 % of the maximum", 2, true}) {
		t.Errorf("the knee is at 2, lines %v", c.Limits)
	}
	for low, log := range map[float64]bool{0: false, 1e-6: true, 5e-5: false} {
		x := &xeval.Statistics{N: 2, Mean: 1e-5, Bins: []xeval.Bin{{From: low, To: 6e-5, N: 1}, {From: 6e-5, To: 1e-4,
			N: 1}}}
		if got := ruleHistogram("h", "H", x)[0].Chart.X.Log; got != log {
			t.Errorf("from %g s: logarithmic %v", low, got)
		}
	}
}
