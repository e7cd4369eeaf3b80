package report

import (
	"strings"
	"testing"

	"xopt/flow/profile"
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
