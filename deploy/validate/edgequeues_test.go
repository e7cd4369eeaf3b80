package validate

import (
	"slices"
	"testing"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/flow/xlang"
)

// TestBottleneckAfter: a full buffer is explained by the limits that its data reach, and by no others.
func TestBottleneckAfter(t *testing.T) {
	const a, b, c, far = 0, 1, 2, 3
	d := &design.Design{Program: &xlang.Program{Kernels: make([]xlang.Kernel, 4), Edges: []xlang.Edge{
		{Name: "ab", From: a, To: b}, {Name: "bc", From: b, To: c}, {Name: "side", From: a, To: far}}}}
	stations := []flow.Station{{Kind: flow.KernelStation, Kernel: c, Edge: -1}, {Kind: flow.LinkStation, Edge: 1,
		Kernel: -1}}
	x := &Case{network: &flow.Network{Stations: stations, Limits: []flow.Limit{{Name: "core", Members: []int{0}},
		{Name: "mem", Members: []int{1}}}}}
	for _, k := range []struct {
		limits []int
		want   [3][]string // of each edge
	}{
		{[]int{1}, [3][]string{{"mem"}, {"mem"}, nil}},
		{[]int{0}, [3][]string{{"core"}, {"core"}, nil}},
		{[]int{0, 1}, [3][]string{{"core", "mem"}, {"core", "mem"}, nil}},
	} {
		x.solution = &flow.Solution{Bottlenecks: []flow.Bottleneck{{Limits: k.limits}}}
		for e, want := range k.want {
			if got := x.bottleneckAfter(d, e); !slices.Equal(got, want) {
				t.Errorf("limits %v: behind edge %s are %v, want %v", k.limits, d.Program.Edges[e].Name, got, want)
			}
		}
	}
	if x.solution = (&flow.Solution{}); x.bottleneckAfter(d, 0) != nil {
		t.Error("there is a limit where nothing limits")
	}
}

// TestColumnsFollow: slowdown, corrected throughput and error are consistent.
func TestColumnsFollow(t *testing.T) {
	d := &design.Design{Program: &xlang.Program{}}
	c := Case{Name: "random 1", Predicted: 100, Measured: 60, Runs: []float64{50, 60, 90},
		Slowed: []float64{0.5, 0.5, 1}, Undisturbed: 80, States: make([]*design.MachineState, 3)}
	for i := range c.States {
		c.States[i] = &design.MachineState{}
	}
	both := Result(d, []Case{c, {Name: "random 2", Predicted: 100, Measured: 60, Runs: []float64{60}}}, Kind{}).Cases
	if x, y := both[0].IntervalOf, both[1].IntervalOf; x != "undisturbed" || y != "measured" {
		t.Errorf("intervals of %q and %q", x, y)
	}
	x := &both[0]
	if x.Slowed*x.Undisturbed != x.Measured || x.Error() != 100./80-1 {
		t.Errorf("measured %g, machine %g, in good time %g, error %g", x.Measured, x.Slowed, x.Undisturbed, x.Error())
	}
}
