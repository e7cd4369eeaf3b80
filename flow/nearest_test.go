package flow

import (
	"fmt"
	"testing"
)

// TestNearest uses caches of two cores inside sockets of four, on a machine of eight, and an unrelated bus. Data
// between two cores use the innermost link, or the bus.
func TestNearest(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	a := &Architecture{Links: []Link{{Name: "all", Endpoints: all, Nearest: true}, {Name: "bus", Endpoints: all}}}
	for _, ends := range [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}} {
		a.Links = append(a.Links, Link{Name: fmt.Sprint(ends), Endpoints: ends, Nearest: true})
	}
	for range all {
		a.Resources = append(a.Resources, Resource{})
	}
	routes := NewRoutes(a)
	for _, c := range []struct {
		from, to int
		want     string
	}{{0, 1, "[bus [0 1]]"}, {1, 2, "[bus [0 1 2 3]]"}, {3, 4, "[all bus]"}, {7, 6, "[bus [6 7]]"}} {
		var got []string
		for _, r := range routes.Between(c.from, c.to) {
			if len(r) != 1 {
				t.Errorf("from %d to %d leads %v", c.from, c.to, r)
			}
			got = append(got, a.Links[r[0]].Name)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("from %d to %d lead %v, want %s", c.from, c.to, got, c.want)
		}
	}
}
