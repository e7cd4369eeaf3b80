package flow

import "testing"

// TestFastest checks the default route: the largest bandwidth of the slowest link, the first of equal ones, and links
// that count as unlimited.
func TestFastest(t *testing.T) {
	a := &Architecture{Links: []Link{{Name: "slow", Bandwidth: 1e6}, {Name: "bus", Bandwidth: 1e9},
		{Name: "twin", Bandwidth: 1e9}, {Name: "memory"}}}
	routes := [][]int{{0, 1}, {1, 2}, {2, 1}, {3, 3}}
	edges := make([]int, 4)
	if got := a.Fastest(routes, edges, nil); got != 1 {
		t.Errorf("route %d is the fastest", got)
	}
	edges[1] = 1
	if got := a.Fastest([][]int{{0}, {1}, {2}}, edges, nil); got != 2 {
		t.Errorf("with an edge on the first of equal links, route %d is the fastest", got)
	}
	if got := a.Fastest(routes, edges, func(l *Link) bool { return !(l.Bandwidth > 0) }); got != 3 {
		t.Errorf("with an unlimited memory, route %d is the fastest", got)
	}
	r := &Routes{resources: 2, between: [][][]int{nil, {{0}, {1}, {2, 1}}, nil, nil}}
	if got := r.Shortest(0, 1); len(got) != 2 || len(r.Shortest(1, 0)) != 0 {
		t.Errorf("the shortest routes are %v", got)
	}
}
