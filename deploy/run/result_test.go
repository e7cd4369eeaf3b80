package run

import (
	"testing"

	"xopt/deploy/program"
	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// TestFillingIsTakenOff: for a run that was cut off, a prediction is compared with the elements that left the first
// buffers. A run that ended normally is different.
func TestFillingIsTakenOff(t *testing.T) {
	for _, c := range []struct {
		failure *Failure
		want    float64
	}{{&Failure{}, 75}, {nil, 100}} {
		d := &design.Design{Mapping: &flow.Mapping{}, Program: &xlang.Program{
			Kernels: []xlang.Kernel{{Name: "s", Outputs: []xlang.Port{{Name: "y"}}},
				{Name: "t", Inputs: []xlang.Port{{Name: "x"}}}},
			Edges: []xlang.Edge{{Name: "e", From: 0, To: 1}}},
			Problem: &flow.Problem{Application: flow.Application{Kernels: make([]flow.Kernel, 2),
				Edges: make([]flow.Edge, 1)}}}
		m := &Measurement{Failure: c.failure, Measured: result.Measured{Throughput: 100,
			Kernels: make([]result.MeasuredKernel, 2),
			Edges:   []result.MeasuredEdge{{Elements: 40, Left: 10, Rate: 100}}}}
		r := &recorder{design: d, from: m, out: &result.Measured{Throughput: 100}}
		r.edges()
		if got := predict.Compare(&result.Candidate{Throughput: 75}, r.out)[0].Measured; got != c.want {
			t.Errorf("failure %v: measured is %g, want %g", c.failure, got, c.want)
		}
	}
}

// TestDisproved: a link that carries more than its bandwidth disproves that figure, and is not reported as utilized.
func TestDisproved(t *testing.T) {
	for _, c := range []struct{ rate, used, exceeded float64 }{{100, 0.8, 0}, {127, 1, 0}, {1329, 0, 10.632}} {
		d := &design.Design{Mapping: &flow.Mapping{Place: []int{0, 0}, Route: [][]int{{0}}},
			Program: &xlang.Program{Resources: []xlang.Resource{{Name: "proc"}}}, Problem: &flow.Problem{}}
		d.Problem.Architecture.Links = []flow.Link{{Name: "net", Bandwidth: 125}}
		m := &Measurement{Measured: result.Measured{Edges: []result.MeasuredEdge{{Rate: c.rate}}}}
		r := &recorder{design: d, from: m, out: &result.Measured{}}
		r.used()
		if x := r.out.Used[0]; x.Utilization != c.used || x.Exceeded != c.exceeded || x.Rate != c.rate {
			t.Errorf("a link of 125 B/s carried %g: %+v", c.rate, x)
		}
	}
}

// TestTornFrame: a frame that counts a sample without its weight has no mean, so that no figure is NaN.
func TestTornFrame(t *testing.T) {
	if d := (&Summary{Samples: 1}).Distribution(0, program.Scale{}); d != nil {
		t.Errorf("a distribution of no weight: %+v", d)
	}
	d := &design.Design{Mapping: &flow.Mapping{Place: []int{0}}, Problem: &flow.Problem{},
		Program: &xlang.Program{Kernels: make([]xlang.Kernel, 1)}}
	m := &Measurement{Taps: []TapMeasurement{{Tap: program.Tap{Kind: program.Service}}}}
	r := &recorder{design: d, from: m, out: &result.Measured{}}
	r.frame(&FrameData{End: 1, Kernels: make([]KernelFrame, 1),
		Taps: []TapFrame{{Summary: Summary{Samples: 1}}}})
	if got := r.out.Frames[0].Kernels[0].ServiceTime; got != nil {
		t.Errorf("a mean of no weight: %g", float64(*got))
	}
}
