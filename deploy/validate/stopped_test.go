package validate

import (
	"context"
	"errors"
	"testing"

	"xopt/flow"
)

// endsAt is a context that ends at a certain call of Err.
type endsAt struct {
	context.Context
	left int
}

func (c *endsAt) Err() error {
	if c.left--; c.left >= 0 {
		return nil
	}
	return context.Canceled
}

// TestStopped checks that completed runs are kept whenever an interruption leaves cases, even after the last run, and
// that no case is kept as failed because of the interruption.
func TestStopped(t *testing.T) {
	d := threeKernels(t)
	late := 0
	for at := range 400 {
		c := ran(t, d, 20e6, 1e-9, 20e-9, 1e-9)
		c.Runs = []float64{20e6}
		flows := make([][]float64, len(d.Program.Edges))
		for e := range flows {
			flows[e] = []float64{20e6}
		}
		var kept *Done
		o := Options{Runs: 1, Earlier: &Done{[]Case{*c}, [][][]float64{flows}},
			Stopped: func(done *Done) { kept = done }}
		list := []Choice{{Name: "map", Mapping: &flow.Mapping{Place: c.Mapping.Place, Route: c.Mapping.Route}}}
		cases, err := Mappings(&endsAt{t.Context(), at}, d, list, o)
		if !errors.Is(err, context.Canceled) {
			break
		}
		if len(cases) == 0 {
			continue
		}
		if late++; kept == nil || len(kept.Cases[0].Runs) != 1 || kept.Cases[0].Fail == Interrupted {
			t.Fatalf("ended at call %d: kept %v", at, kept)
		}
	}
	if late == 0 {
		t.Error("no interruption left a case")
	}
}
