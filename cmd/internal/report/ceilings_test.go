package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestCeilings checks that the limits of resources and links are sorted, split into parts of assumed and other figures,
// and that the lowest limit of an assumed figure is named. Kernels of an FPGA work in parallel: the busiest limits.
func TestCeilings(t *testing.T) {
	c := &result.Candidate{Throughput: 90e6, FlowBound: 100e6,
		Resources: []result.Share{{Name: "core", Utilization: 0.5}, {Name: "fpga", Sharing: "area", Utilization: 0.8},
			{Name: "idle", Utilization: 0.01}},
		Links: []result.Share{{Name: "bus", Utilization: 1, Rate: 1e9, Origin: "published"}},
		Stations: []result.Station{{Name: "a", On: "core", Share: 0.2, Origin: "assumed"},
			{Name: "b", On: "core", Share: 0.3, Origin: "measured"},
			{Name: "c", On: "fpga", Share: 0.8, Utilization: 0.8, Origin: "measured"},
			{Name: "d", On: "fpga", Share: 0.3, Utilization: 0.3, Origin: "assumed"},
			{Name: "e", On: "bus", IsLink: true, Share: 1, Origin: "published"}}}
	x := ceilings(c)
	if want := []string{"bus", "fpga", "core"}; !slices.Equal(x.X.Categories, want) {
		t.Fatalf("%q, want %q", x.X.Categories, want)
	}
	for i, want := range []float64{100, 125, 120} {
		if got := x.Series[0].Y[i]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g, want %g", x.X.Categories[i], got, want)
		}
	}
	if s := x.Series[1]; !s.Hatched || s.Y[0] != 0 || s.Y[1] != 0 || math.Abs(s.Y[2]-80) > 1e-9 {
		t.Errorf("assumed %v", s.Y)
	}
	if !strings.Contains(x.Note, "a on core") || !strings.Contains(x.Note, "200 MB/s") {
		t.Errorf("note %q", x.Note)
	}
	if x.Limits[0].Value != 90 {
		t.Errorf("lines %v", x.Limits)
	}
	c.Stations[0].Origin = "measured"
	if x = ceilings(c); len(x.Series) != 1 || x.Note != "" {
		t.Errorf("without assumed figures: %+v", x)
	}
}
