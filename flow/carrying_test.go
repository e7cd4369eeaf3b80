package flow

import (
	"context"
	"math"
	"testing"
)

// TestCarrying: over a switch, the figures of the first link apply to the writer's core, and those of the last to the
// reader's. There is no such work inside a core, or on an FPGA.
func TestCarrying(t *testing.T) {
	const element = 8.0
	up := Link{Name: "up", Endpoints: []int{0, 1, 2}, From: []int{0, 1}, To: []int{}, Into: []int{1}, Bandwidth: 1e9,
		Sends: Work{PerByte: .002, PerElement: .008}, Receives: Work{PerByte: 99}}
	down := Link{Name: "down", Endpoints: []int{0, 1, 2}, From: []int{}, To: []int{0, 1, 2}, Bandwidth: 1e9,
		Sends: Work{PerByte: 99}, Receives: Work{PerByte: .004, PerElement: .016}}
	fig := func(mu float64) []Figures {
		f := Figures{Available: true, ServiceRate: mu}
		return []Figures{f, f, f}
	}
	p := &Problem{
		Application: Application{
			Kernels: []Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 1}},
			Edges:   []Edge{{Name: "ab", From: 0, To: 1, Routing: 1, ElementBytes: element}},
		},
		Architecture: Architecture{
			Resources: []Resource{{Name: "c1", Sharing: Sharing{Rule: Conserving}},
				{Name: "c2", Sharing: Sharing{Rule: Conserving}}, {Name: "f", Sharing: Sharing{Rule: AreaOnly},
					Area: Area{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}}},
			Links: []Link{up, down},
		},
		Figures:        [][]Figures{fig(100), fig(50)},
		MaxUtilization: 1,
	}
	for _, c := range []struct {
		place []int
		load  [3]float64 // for a byte/s
	}{
		{[]int{0, 0}, [3]float64{.01 + .02, 0, 0}},
		{[]int{0, 1}, [3]float64{.01 + .002 + .008/element, .02 + .004 + .016/element, 0}},
		{[]int{1, 0}, [3]float64{.02 + .004 + .016/element, .01 + .002 + .008/element, 0}},
		{[]int{0, 2}, [3]float64{.01 + .002 + .008/element, 0, .02}},
	} {
		n, err := NewNetwork(p, &Mapping{Place: c.place, Route: make([][]int, 1)})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		want := 1 / max(c.load[0], c.load[1], c.load[2])
		if math.Abs(s.Throughput-want) > 1e-9*want {
			t.Errorf("on %v the throughput is %g, want %g", c.place, s.Throughput, want)
		}
		for r, load := range c.load {
			if got := s.Resources[r].Utilization; math.Abs(got-load*want) > 1e-9 {
				t.Errorf("on %v %s is utilized %g, want %g", c.place, p.Architecture.Resources[r].Name, got, load*want)
			}
		}
		scorer, err := NewScorer(p, n.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		if got := scorer.Throughput(); math.Abs(got-want) > 1e-9*want {
			t.Errorf("on %v the scorer says %g, want %g", c.place, got, want)
		}
	}
}
