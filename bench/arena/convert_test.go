package arena

import (
	"math"
	"testing"
)

// The converter finds the tasks, edges and published figures of the shipped sets, as counted in their sources.
func TestShippedSets(t *testing.T) {
	total := 0
	for _, c := range []struct {
		set                                          string
		instances, tasks, edges, replicable, publish int
	}{
		{"dvbs2-amp", 4, 4 * 23, 4 * 22, 4 * 10, 4},
		{"amp-chains", 180, 180 * 20, 180 * 19, 180 * 10, 180},
		{"csdf-tue", 21, 0, 0, 0, 0},
		{"farsi", 15, 0, 0, 0, 0},
		{"dagbench", 35, 0, 0, 0, 0},
	} {
		list, err := Load(c.set, "")
		if err != nil {
			t.Fatal(err)
		}
		var tasks, edges, replicable, published int
		for i := range list {
			p := &list[i].Problem
			tasks, edges = tasks+len(p.Tasks), edges+len(p.Edges)
			for _, x := range p.Tasks {
				if x.Replicable {
					replicable++
				}
			}
			if list[i].Published > 0 {
				published++
			}
			if limit := list[i].Limit; limit > 0 && math.Abs(p.Cycle/limit-1) > 1e-9 {
				t.Errorf("%s: period without limits %g, expected %g", p.Name, p.Cycle, limit)
			}
			t.Log(p.Name, len(p.Tasks), len(p.Edges), p.Cores, p.Cycle, list[i].Limit, p.Bus, list[i].Note)
		}
		t.Log(c.set, len(list), tasks, edges, replicable, published)
		total += len(list)
	}
	t.Log(total)
}
