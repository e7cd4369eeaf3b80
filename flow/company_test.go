package flow

import (
	"context"
	"math"
	"testing"
)

// TestCompanyCost: a kernel alone on its core has its own rate; two on one core take
// the sum of their times and of what company adds to each.
func TestCompanyCost(t *testing.T) {
	p := &Problem{
		Application: Application{
			Kernels: []Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 1}},
			Edges:   []Edge{{Name: "e", From: 0, To: 1, Routing: 1, ElementBytes: 1}},
		},
		Architecture: Architecture{
			Resources: []Resource{{Name: "c1", Sharing: Sharing{Rule: Conserving}}, {Name: "c2", Sharing: Sharing{Rule: Conserving}}},
			Links:     []Link{{Name: "m", Endpoints: []int{0, 1}, Bandwidth: math.Inf(1)}},
		},
		Figures: [][]Figures{
			{{Available: true, ServiceRate: 100, CompanyCost: 0.002}, {Available: true, ServiceRate: 100, CompanyCost: 0.002}},
			{{Available: true, ServiceRate: 50, CompanyCost: 0.008}, {Available: true, ServiceRate: 50, CompanyCost: 0.008}},
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
