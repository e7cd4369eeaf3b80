package flow

import (
	"slices"
	"testing"
)

// TestTiesAreAllNamed: every limit that binds the throughput is a bottleneck, with one source and with several. With
// several, the linear program may give a price to only one of equal limits.
func TestTiesAreAllNamed(t *testing.T) {
	kernels := []Kernel{{Name: "s1", Gain: 1}, {Name: "s2", Gain: 1}, {Name: "a", Gain: 1}, {Name: "b", Gain: 1},
		{Name: "c", Gain: 1}}
	chained := []Edge{ // both sources through a, b, c
		{Name: "1", From: 0, To: 2, ElementBytes: 4, Routing: 1}, {Name: "2", From: 1, To: 2, ElementBytes: 4,
			Routing: 1},
		{Name: "3", From: 2, To: 3, ElementBytes: 4, Routing: 1}, {Name: "4", From: 3, To: 4, ElementBytes: 4,
			Routing: 1}}
	for _, c := range []struct {
		name  string
		edges []Edge
		rates []float64
		want  []string
	}{
		{"three in a chain", chained, []float64{100, 100, 7, 7, 7}, []string{"c2", "c3", "c4"}},
		{"two of three", chained, []float64{100, 100, 7, 8, 7}, []string{"c2", "c4"}},
		{"a source that may send less is none", chained, []float64{5, 100, 7, 7, 8}, []string{"c2", "c3"}},
		{"sources apart", []Edge{
			{Name: "1", From: 0, To: 2, ElementBytes: 4, Routing: 1}, {Name: "2", From: 1, To: 3, ElementBytes: 4,
				Routing: 1},
			{Name: "3", From: 2, To: 4, ElementBytes: 4, Routing: 1}}, []float64{3, 100, 3, 5, 9},
			[]string{"c0", "c2", "c3"}},
	} {
		p := &Problem{Application: Application{Kernels: kernels, Edges: c.edges},
			Architecture: Architecture{Resources: cores(Conserving, 5)},
			Figures:      figures(5, c.rates...)}
		for i := range p.Architecture.Resources {
			p.Architecture.Resources[i].Name = "c" + string(rune('0'+i))
		}
		p.Architecture.Links = []Link{{Name: "l", Endpoints: []int{0, 1, 2, 3, 4}, Bandwidth: 1e9}}
		n, s := solve(t, p, &Mapping{Place: []int{0, 1, 2, 3, 4}, Route: make([][]int, len(c.edges))})
		if got := s.Limiting(n); !slices.Equal(got, c.want) {
			t.Errorf("%s: the bottleneck is %v, want %v", c.name, got, c.want)
		}
	}
}
