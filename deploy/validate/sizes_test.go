package validate

import (
	"math"
	"testing"

	"xopt/deploy/run"
)

// TestCertify counts certified sizes alone, and those exceeded.
func TestCertify(t *testing.T) {
	c := Case{Sizes: []Size{
		{Edge: 0, Recommended: 40, Level: "certified", Certified: 12},
		{Edge: 1, Recommended: 8, Level: "simulated", Refused: "its kernels share a core"},
		{Edge: 2, Recommended: 6, Level: "certified", Certified: 6},
		{Edge: 3, Recommended: 30, Level: "certified", Certified: 20},
	}}
	if got := Certify(c.Sizes[1:2]); got != (CertifiedSizes{}) {
		t.Errorf("nothing is certified: %+v", got)
	}
	for _, most := range [][]uint64{{6, 100, 0, 10}, {8, 200, 0, 21}, {7, 1, 0, 3}} {
		m := &run.Measurement{}
		for _, k := range most {
			m.Edges = append(m.Edges, run.EdgeMeasurement{MaxOccupancy: k, Capacity: 512})
		}
		c.takeSizes(m)
	}
	if x := c.Sizes; x[0].Measured != 8 || x[1].Measured != 200 || x[3].Measured != 21 || x[3].Buffer != 512 {
		t.Errorf("the most of three runs: %+v", x)
	}
	got := Certify(c.Sizes)
	if got.Queues != 3 || got.Exceeded != 1 || math.Abs(got.Median-1.5) > 1e-9 {
		t.Errorf("%+v, want 3 queues, 1 exceeded, and the median of 12/8, 6/1 and 20/21", got)
	}
	if !c.Sizes[3].Exceeded() || c.Sizes[1].Exceeded() || c.Sizes[2].Exceeded() {
		t.Error("only a certified size can be exceeded, and the last is")
	}
}
