package validate

import (
	"math"
	"slices"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/profile"
)

// TestPerhapsBottleneck: the bottleneck counts as predicted right if the most used resource is among those that
// the intervals of the figures allow. With narrow intervals only one is possible, which was wrong here.
func TestPerhapsBottleneck(t *testing.T) {
	program := threeKernels(t).Program
	for _, x := range []struct {
		off      float64 // half interval of all rates
		possible []string
		holds    bool
	}{{0.01, nil, false}, {0.1, []string{"proc[1]"}, true}} {
		rate := func(v float64) *profile.Figure {
			return &profile.Figure{Value: v, N: 9, CI95: [2]float64{v * (1 - x.off), v * (1 + x.off)}}
		}
		d, err := design.New(program, design.Options{Profile: design.FromProfile("p", &profile.Profile{
			Kernels: []profile.Kernel{{Block: "G", Platform: "C", ServiceRate: rate(1e9)},
				{Block: "F", Platform: "C", ServiceRate: rate(460e6), Gain: &profile.Figure{Value: 1, N: 9}},
				{Block: "S", Platform: "C", ServiceRate: rate(1e9)}}}, nil)})
		if err != nil {
			t.Fatal(err)
		}
		c := ran(t, d, 460e6, 1e-9, 2e-9, 1e-9)
		if !slices.Equal(c.Bottleneck, []string{"proc[2]"}) || !slices.Equal(c.Possible, x.possible) {
			t.Fatalf("rates within %g: %v limits, perhaps %v", x.off, c.Bottleneck, c.Possible)
		}
		flows := [][]float64{{460e6}, {460e6}}
		c.utilize(d, c.network, c.solution, []float64{0.5, 0.9, 0.48}, flows)
		if c.MostUsed != "proc[1]" || c.BottleneckHolds != x.holds {
			t.Errorf("rates within %g: %s was used most, predicted right: %t", x.off, c.MostUsed, c.BottleneckHolds)
		}
		if c.Busy != 0.98 || c.Idle {
			t.Errorf("the most used is in use for %g, idle: %t", c.Busy, c.Idle)
		}
		again, err := Again(t.Context(), d, []Case{*c})
		if err != nil || !slices.Equal(again[0].Possible, x.possible) {
			t.Errorf("predicted again, %v may limit: %v", again[0].Possible, err)
		}
		resumed := Case{Mapping: &flow.Mapping{Place: []int{0, 1, 0}, Route: [][]int{{0}, {0}}}}
		if err := resumed.predict(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		resumed.resume(&Done{Cases: []Case{{Runs: []float64{1}}}, Flows: [][][]float64{{}}}, 0, make([][][]float64, 1))
		if !slices.Equal(resumed.Possible, x.possible) || len(resumed.possible) != len(x.possible) {
			t.Errorf("continued, %v may limit", resumed.Possible)
		}
	}
}

// TestBusyIsIdle: the utilization that is shown and the one that decides whether anything limited the runs are the same
// figure, the mean of all runs, also where the last run alone would decide otherwise.
func TestBusyIsIdle(t *testing.T) {
	d := threeKernels(t)
	c := ran(t, d, 50e6, 1e-9, 12e-9, 1e-9)
	c.Runs, c.Worked = []float64{50e6}, nil
	c.meanWorked([]float64{0.2, 0.6, 0.2})
	c.Runs = append(c.Runs, 50e6)
	c.utilize(d, c.network, c.solution, c.meanWorked([]float64{0.2, 0.8, 0.2}), [][]float64{{50e6}, {50e6}})
	if math.Abs(c.Busy-0.7) > 1e-12 || !c.Idle {
		t.Errorf("in use for %g of two runs, idle: %t", c.Busy, c.Idle)
	}
	c.utilize(d, c.network, c.solution, []float64{0.6, 0.1, 0.7}, [][]float64{{50e6}, {50e6}})
	if c.Busy != 1 || !c.BusyEstimated {
		t.Errorf("processes that overlap use %g, estimated: %t", c.Busy, c.BusyEstimated)
	}
}
