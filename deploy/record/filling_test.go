package record

import (
	"testing"

	"xopt/deploy/run"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// TestFillingIsTakenOff: of a run that was cut off, a prediction is held against what left the first
// buffers: not of one that ended by itself.
func TestFillingIsTakenOff(t *testing.T) {
	for _, c := range []struct {
		failure *run.Failure
		want    result.Number
	}{{&run.Failure{}, 75}, {nil, 100}} {
		d := &design.Design{Mapping: &flow.Mapping{}, Program: &xlang.Program{
			Kernels: []xlang.Kernel{{Name: "s", Outputs: []xlang.Port{{Name: "y"}}},
				{Name: "t", Inputs: []xlang.Port{{Name: "x"}}}},
			Edges: []xlang.Edge{{Name: "e", From: 0, To: 1}}},
			Problem: &flow.Problem{Application: flow.Application{Kernels: make([]flow.Kernel, 2),
				Edges: make([]flow.Edge, 1)}}}
		m := &run.Measurement{Throughput: 100, Failure: c.failure, Kernels: make([]run.KernelMeasurement, 2),
			Edges: []run.EdgeMeasurement{{Elements: 40, Left: 10, Rate: 100}}}
		r := &recorder{design: d, from: m, out: &result.Measured{Throughput: 100}}
		r.edges()
		if got := predict.Compare(&result.Candidate{Throughput: 75}, r.out)[0].Measured; got != c.want {
			t.Errorf("failure %v: measured is %g, want %g", c.failure, got, c.want)
		}
	}
}
