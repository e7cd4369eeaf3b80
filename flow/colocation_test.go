package flow

import (
	"context"
	"math"
	"testing"
)

// TestCoLocationCost: a kernel alone on its core has its own rate. Two on one core need the sum of their times
// and of the co-location costs of each.
func TestCoLocationCost(t *testing.T) {
	p := &Problem{
		Application: Application{
			Kernels: []Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 1}},
			Edges:   []Edge{{Name: "e", From: 0, To: 1, Routing: 1, ElementBytes: 1}},
		},
		Architecture: Architecture{
			Resources: []Resource{{Name: "c1", Sharing: Sharing{Rule: Conserving}},
				{Name: "c2", Sharing: Sharing{Rule: Conserving}}},
			Links: []Link{{Name: "m", Endpoints: []int{0, 1}, Bandwidth: math.Inf(1)}},
		},
		Figures: [][]Figures{
			{{Available: true, ServiceRate: 100, CoLocationCost: 0.002}, {Available: true, ServiceRate: 100,
				CoLocationCost: 0.002}},
			{{Available: true, ServiceRate: 50, CoLocationCost: 0.008}, {Available: true, ServiceRate: 50,
				CoLocationCost: 0.008}},
		},
		MaxUtilization: 1,
	}
	for _, c := range []struct {
		place []int
		want  float64
	}{{[]int{0, 1}, 50}, {[]int{0, 0}, 1 / (0.01 + 0.002 + 0.02 + 0.008)}} {
		m := &Mapping{Place: c.place, Route: make([][]int, 1)}
		n, err := NewNetwork(p, m)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.Throughput-c.want) > 1e-9*c.want {
			t.Errorf("on %v the throughput is %g, want %g", c.place, s.Throughput, c.want)
		}
	}
}

// TestKernelSwitchCost: a known cost of a kernel between turns replaces the core's cost of each firing, and applies
// only beside other kernels.
func TestKernelSwitchCost(t *testing.T) {
	core := Resource{Name: "c", Sharing: Sharing{Rule: Conserving, SwitchCost: 0.004}}
	p := &Problem{
		Application: Application{
			Kernels: []Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 1}},
			Edges:   []Edge{{Name: "e", From: 0, To: 1, Routing: 1, ElementBytes: 2}},
		},
		Architecture: Architecture{Resources: []Resource{core, core},
			Links: []Link{{Name: "m", Endpoints: []int{0, 1}, Bandwidth: math.Inf(1)}}},
		Figures: [][]Figures{
			{{Available: true, ServiceRate: 100, SwitchCost: 0.0005}, {Available: true, ServiceRate: 100}},
			{{Available: true, ServiceRate: 50}, {Available: true, ServiceRate: 50}},
		},
		MaxUtilization: 1,
	}
	p.Architecture.Resources[1].Name = "d"
	for _, c := range []struct {
		place []int
		want  float64
	}{{[]int{0, 1}, 50}, {[]int{0, 0}, 1 / (0.01 + 0.0005 + 0.02 + 0.002)},
		{[]int{1, 1}, 1 / (0.01 + 0.002 + 0.02 + 0.002)}} {
		n, err := NewNetwork(p, &Mapping{Place: c.place, Route: make([][]int, 1)})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.Throughput-c.want) > 1e-9*c.want {
			t.Errorf("on %v the throughput is %g, want %g", c.place, s.Throughput, c.want)
		}
	}
}

// TestCrossingCost: an edge between cores costs the kernel at each of its ends; one
// inside a core costs neither.
func TestCrossingCost(t *testing.T) {
	fig := func(mu, receive, send float64) []Figures {
		f := Figures{Available: true, ServiceRate: mu, ReceiveCost: receive, SendCost: send}
		return []Figures{f, f}
	}
	p := &Problem{
		Application: Application{
			Kernels: []Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 0.5}, {Name: "c", Gain: 1}},
			Edges: []Edge{{Name: "ab", From: 0, To: 1, Routing: 0.25, ElementBytes: 1}, {Name: "ac", From: 0, To: 2,
				Routing: 0.75, ElementBytes: 1},
				{Name: "bc", From: 1, To: 2, Routing: 1, ElementBytes: 1}},
		},
		Architecture: Architecture{
			Resources: []Resource{{Name: "c1", Sharing: Sharing{Rule: Conserving}},
				{Name: "c2", Sharing: Sharing{Rule: Conserving}}},
			Links: []Link{{Name: "m", Endpoints: []int{0, 1}, Bandwidth: math.Inf(1)}},
		},
		Figures:        [][]Figures{fig(100, 99, 0.001), fig(50, 0.002, 0.004), fig(80, 0.003, 99)},
		MaxUtilization: 1,
	}
	for _, c := range []struct {
		place []int
		load  [2]float64 // of each core, for a byte/s out of a
	}{
		{[]int{0, 0, 0}, [2]float64{0.01 + 0.25/50 + 0.875/80, 0}},
		{[]int{0, 1, 0}, [2]float64{0.01 + 0.25*0.001 + 0.875/80 + 0.125*0.003, 0.25/50 + 0.25*0.002 + 0.125*0.004}},
		{[]int{0, 0, 1}, [2]float64{0.01 + 0.75*0.001 + 0.25/50 + 0.125*0.004, 0.875/80 + 0.875*0.003}},
		{[]int{1, 0, 0}, [2]float64{0.25/50 + 0.25*0.002 + 0.875/80 + 0.75*0.003, 0.01 + 0.001}},
	} {
		n, err := NewNetwork(p, &Mapping{Place: c.place, Route: make([][]int, 3)})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		want := 1 / math.Max(c.load[0], c.load[1])
		if math.Abs(s.Throughput-want) > 1e-9*want {
			t.Errorf("on %v the throughput is %g, want %g", c.place, s.Throughput, want)
		}
		for r, load := range c.load {
			if got := s.Resources[r].Utilization; math.Abs(got-load*want) > 1e-9 {
				t.Errorf("on %v core %d is utilized %g, want %g", c.place, r, got, load*want)
			}
		}
	}
}
