package predict

import (
	"math"
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestNoErrorOfUnsteady checks that a run without a throughput has no error in any row, including those of edges and
// kernels.
func TestNoErrorOfUnsteady(t *testing.T) {
	c := &result.Candidate{Throughput: 3e6, Queues: []result.Queue{{Edge: "e", Flow: 3e6}},
		Stations: []result.Station{{Name: "k", ServiceRate: 1e7}}}
	m := &result.Measured{Seconds: 9, Throughput: 1e6, Edges: []result.MeasuredEdge{{Edge: "e", Rate: 1e6}},
		Kernels: []result.MeasuredKernel{{Kernel: "k", ServiceRate: 1e6, Utilization: 0.5}},
		Steady:  &result.SteadyPart{Short: "not steady", Unsteady: true}}
	rows := Compare(c, m)
	if len(rows) < 2 {
		t.Fatalf("%d rows", len(rows))
	}
	for i := range rows {
		if x := &rows[i]; x.HasError() || x.Error() != 0 || x.ErrorText() != "-" {
			t.Errorf("%s has the error %s", x.What, x.ErrorText())
		}
	}
	m.Steady = &result.SteadyPart{Throughput: 1e6}
	if rows := Compare(c, m); !rows[0].HasError() || rows[0].Error() != 2 || rows[1].Error() != 2 {
		t.Errorf("a steady run has the errors %+v", rows)
	} else if rows[0].What != "throughput, in steady state" || rows[1].What != "rate on e, complete run" {
		t.Errorf("rows of different parts of the run have the labels %q and %q", rows[0].What, rows[1].What)
	}
}

// TestSlowMachine checks that a comparison has one error of the throughput, of the measured value; its sentence
// also has the error without the slowdown of the machine.
func TestSlowMachine(t *testing.T) {
	c := &result.Candidate{Throughput: 1e6}
	m := &result.Measured{Seconds: 9, Throughput: 0.8e6, Steady: &result.SteadyPart{Throughput: 0.8e6}, Slowed: 0.8}
	rows := Compare(c, m)
	if len(rows) != 1 || math.Abs(rows[0].Error()-0.25) > 1e-9 {
		t.Fatalf("%+v", rows)
	}
	if x, ok := rows[0].Corrected(); !ok || math.Abs(x.Error()) > 1e-9 || !strings.Contains(rows[0].Off(), "(0 % ") {
		t.Errorf("corrected %+v: %s", x, rows[0].Off())
	}
	m.Slowed = 1
	if x := Compare(c, m)[0]; strings.Contains(x.Off(), "(") {
		t.Error(x.Off())
	}
}

// TestOneLoad checks that all predictions beside a run are for the predicted throughput, which finite buffers limit.
func TestOneLoad(t *testing.T) {
	c := &result.Candidate{Throughput: 3e6, FlowBound: 4e6, Queues: []result.Queue{{Edge: "e", Flow: 2e6}},
		Stations: []result.Station{{Name: "k", ServiceRate: 8e6, ArrivalRate: 4e6}}}
	m := &result.Measured{Seconds: 9, Throughput: 1e6, Steady: &result.SteadyPart{Throughput: 1e6},
		Edges:   []result.MeasuredEdge{{Edge: "e", Rate: 5e5}},
		Kernels: []result.MeasuredKernel{{Kernel: "k", ServiceRate: 8e6, Utilization: 0.125}}}
	for i, want := range []result.Number{3e6, 1.5e6, 0.375} {
		if x := Compare(c, m)[i]; x.Predicted != want {
			t.Errorf("%s: %g is predicted, want %g", x.What, x.Predicted, want)
		}
	}
}
