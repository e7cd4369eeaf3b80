package mapper

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"xopt/flow"
)

// equalCores returns a chain of kernels that may run on equal cores; with different, two of the cores differ.
func equalCores(kernels, cores int, different bool) *flow.Problem {
	unlimited := flow.Area{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	p := &flow.Problem{}
	link := flow.Link{Name: "mem", Bandwidth: 1e12}
	for r := range cores {
		p.Architecture.Resources = append(p.Architecture.Resources, flow.Resource{Name: fmt.Sprint("core", r),
			Platform: "C", Area: unlimited})
		link.Endpoints = append(link.Endpoints, r)
	}
	p.Architecture.Links = []flow.Link{link}
	for k := range kernels {
		p.Application.Kernels = append(p.Application.Kernels, flow.Kernel{Name: fmt.Sprint("k", k), Gain: 1})
		if k > 0 {
			p.Application.Edges = append(p.Application.Edges, flow.Edge{Name: fmt.Sprint("e", k), From: k - 1, To: k,
				ElementBytes: 8, Routing: 1})
		}
		figures := make([]flow.Figures, cores)
		for r := range figures {
			figures[r] = flow.Figures{Available: true, ServiceRate: float64(k+1) * 1e6}
		}
		if different {
			figures[0].ServiceRate *= 2
		}
		p.Figures = append(p.Figures, figures)
	}
	return p
}

// renamed numbers cores in the order of their first kernels.
func renamed(place []int) []int {
	var order []int
	out := make([]int, len(place))
	for k, r := range place {
		if !slices.Contains(order, r) {
			order = append(order, r)
		}
		out[k] = slices.Index(order, r)
	}
	return out
}

// TestChooseNoMirrors checks that of mappings that only rename equal cores one is chosen, among random and searched
// ones; if the cores differ, all are.
func TestChooseNoMirrors(t *testing.T) {
	for _, x := range []struct {
		cores     int
		different bool
		want      int // number of partitions of four kernels; all mappings
	}{{2, false, 8}, {2, true, 16}, {3, false, 14}} {
		for _, best := range []int{0, 3} {
			p := equalCores(4, x.cores, x.different)
			names, list, err := Choose(t.Context(), p, nil, Choice{Best: best, Random: 200, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if len(list) > x.want || len(list) < x.want-2 || len(names) != len(list) { // some are never drawn
				t.Errorf("%d cores, different %t, %d best: %d mappings of %d", x.cores, x.different, best, len(list),
					x.want)
			}
			var seen [][]int
			for _, m := range list {
				place := renamed(m.Place)
				if x.different {
					place = m.Place
				}
				if slices.ContainsFunc(seen, func(o []int) bool { return slices.Equal(o, place) }) {
					t.Errorf("%v is chosen twice", m.Place)
				}
				seen = append(seen, place)
			}
		}
	}
}

// TestMirrors checks that a mapping that only exchanges equal cores equals the first of them, with or without routes.
// Mappings with other groups of kernels, or on a different core, do not.
func TestMirrors(t *testing.T) {
	mapping := func(place ...int) *flow.Mapping { return &flow.Mapping{Place: place, Route: make([][]int, 2)} }
	routed := mapping(2, 1, 1)
	routed.Route[0] = []int{0}
	list := []*flow.Mapping{mapping(0, 1, 1), mapping(1, 0, 0), mapping(0, 0, 1), routed, mapping(2, 2, 0)}
	for _, x := range []struct {
		different bool
		want      []int
	}{{false, []int{0, 0, 2, 0, 2}}, {true, []int{0, 1, 2, 3, 4}}} {
		got, err := Mirrors(equalCores(3, 3, x.different), nil, list)
		if err != nil || !slices.Equal(got, x.want) {
			t.Errorf("different %t: %v, %v; want %v", x.different, got, err, x.want)
		}
	}
}

// TestTie checks that a mapping with the same throughput as the best ties. It does not if it has less, or if the goal
// or a kernel's constraint excludes it.
func TestTie(t *testing.T) {
	p, rivals := twoRivals(0.99e6, 1.01e6) // both are limited to 1 MB/s, by a or by b alone
	s, err := flow.NewScorer(p, rivals[1].Mapping)
	if err != nil {
		t.Fatal(err)
	}
	best := Candidate{Mapping: rivals[1].Mapping, Throughput: s.Throughput()}
	if c, ok := Tie(p, nil, Goal{}, rivals[1].Mapping, &best); !ok ||
		math.Abs(c.Throughput-best.Throughput) > 1e-9*best.Throughput {
		t.Errorf("the best does not tie with itself: %+v", c)
	}
	for above, want := range map[float64]bool{1e-7: true, 1e-5: false} {
		better := best
		better.Throughput *= 1 + above
		if _, ok := Tie(p, nil, Goal{}, rivals[1].Mapping, &better); ok != want {
			t.Errorf("the best is %g higher: ties %v", above, ok)
		}
	}
	if _, ok := Tie(p, nil, Goal{}, rivals[0].Mapping, &best); ok {
		t.Error("a mapping that shares a core, and has less throughput, ties")
	}
	if _, ok := Tie(p, nil, Goal{MinThroughput: 2e6}, rivals[1].Mapping, &best); ok {
		t.Error("a mapping below the least throughput that is asked for ties")
	}
	p.Figures[1][1].Available = false
	if _, ok := Tie(p, nil, Goal{}, rivals[1].Mapping, &best); ok {
		t.Error("a mapping whose kernel cannot run where it is ties")
	}
}
