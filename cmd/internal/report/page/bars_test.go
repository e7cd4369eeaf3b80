package page

import (
	"testing"

	"xopt/cmd/internal/report"
)

// TestBars checks that the axis of bars starts at 0, however small their differences; an axis of points may not.
func TestBars(t *testing.T) {
	c := &report.Chart{X: report.Axis{Name: "resource", Categories: []string{"a", "b"}}, Y: report.Axis{Name: "%"},
		Series: []report.Series{{Name: "utilization", Kind: report.Bars, Y: []float64{99.6, 99.99}}}}
	if _, y, _ := axes(c); y.Min != nil || y.Scale == nil || *y.Scale {
		t.Errorf("the axis of bars is %+v", y)
	}
	c.Series[0].Kind = report.Points
	if _, y, _ := axes(c); y.Scale == nil || !*y.Scale {
		t.Errorf("the axis of points is %+v", y)
	}
}
