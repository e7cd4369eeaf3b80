package flow

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestFirings counts firings in X programs: a join fires once for a round, a kernel with any input once for each
// element, a source as often as its busiest port sends.
func TestFirings(t *testing.T) {
	edge := func(name string, from, to int, port string, size, routing float64) Edge {
		return Edge{Name: name, From: from, To: to, FromPort: port, ElementBytes: size, Routing: routing}
	}
	for _, c := range []struct {
		name    string
		kernels []Kernel
		edges   []Edge
		want    []float64 // firings/s of each kernel, for a byte/s out of the sources
	}{
		{"any input of two sizes", []Kernel{{Name: "s", Gain: 1}, {Name: "any", Gain: 1}},
			[]Edge{edge("x", 0, 1, "x", 4, .25), edge("y", 0, 1, "y", 100, .75)},
			[]float64{.25 / 4, .25/4 + .75/100}},
		{"join of 100", []Kernel{{Name: "s", Gain: 1}, {Name: "add", Gain: 1, Joins: []Join{{Ports: []JoinPort{
			{Name: "a", Edges: []int{0}, Bytes: 8}, {Name: "b", Edges: []int{1}, Bytes: 400}}}}}},
			[]Edge{edge("a", 0, 1, "a", 8, 8./408), edge("b", 0, 1, "b", 4, 400./408)},
			[]float64{100. / 408, 1. / 408}},
		{"join beside a port in none", []Kernel{{Name: "s", Gain: 1},
			{Name: "k", Gain: 1, Joins: []Join{{Ports: []JoinPort{
				{Name: "a", Edges: []int{0}, Bytes: 4}, {Name: "b", Edges: []int{1}, Bytes: 4}}}}}},
			[]Edge{edge("a", 0, 1, "a", 4, .25), edge("b", 0, 1, "b", 4, .25), edge("c", 0, 1, "c", 50, .5)},
			[]float64{.25 / 4, .25/4 + .5/50}},
		{"what is sent once fires nobody", []Kernel{{Name: "s", Gain: 1},
			{Name: "k", Gain: 1, Joins: []Join{{Ports: []JoinPort{
				{Name: "t", Edges: []int{1}, Bytes: 64}}}}}, {Name: "table", Gain: 1, Preload: true}},
			[]Edge{edge("a", 0, 1, "a", 4, 1), edge("t", 2, 1, "t", 64, 1)},
			[]float64{.25, .25, 0}},
	} {
		app := Application{Kernels: c.kernels, Edges: c.edges}
		flows, err := NewFlows(&app, 0)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for k, want := range c.want {
			if got := flows.FiringRate(k, 0); !near(got, want, 0) {
				t.Errorf("%s: %s fires %g times a byte, want %g", c.name, c.kernels[k].Name, got, want)
			}
		}
	}
}

// TestLargerElementsCostLess: a cost of switching counts whatever ports a kernel has, and
// larger elements, which fire less often, never lower the throughput.
func TestLargerElementsCostLess(t *testing.T) {
	before := 0.0
	for _, size := range []float64{4, 40, 400, 4000} {
		p := &Problem{
			Application: Application{Kernels: []Kernel{{Name: "s", Gain: 1}, {Name: "any", Gain: 1}}, Edges: []Edge{
				{Name: "x", From: 0, To: 1, FromPort: "x", ElementBytes: 4, Routing: .3}, {Name: "y", From: 0, To: 1,
					FromPort: "y", ElementBytes: size, Routing: .7}}},
			Architecture: Architecture{Resources: cores(Conserving, 1)}, Figures: figures(1, 1e9, 1e9),
		}
		p.Architecture.Resources[0].Sharing.SwitchCost = 1e-6
		_, s := solve(t, p, &Mapping{Place: []int{0, 0}})
		firings := max(.3/4, .7/size) + .3/4 + .7/size
		if want := DefaultMaxUtilization / (2e-9 + 1e-6*firings); !near(s.Throughput, want, 0) {
			t.Errorf("elements of %g bytes: %g bytes/s, want %g", size, s.Throughput, want)
		}
		if s.Throughput < before {
			t.Errorf("elements of %g bytes: %g bytes/s, and %g with smaller ones", size, s.Throughput, before)
		}
		before = s.Throughput
	}
}

// TestEveryCostCounts raises each cost of random networks separately. The load of its owner rises, equally in the
// network and in the scorer.
func TestEveryCostCounts(t *testing.T) {
	counted := make(map[string]int)
	forRandomNetworks(t, 150, anyShape, func(t *testing.T, seed uint64, n *Network) {
		p := n.Problem
		change := func(name string, cost *float64, resource, link int) {
			load := func() float64 { // of the owner of the cost, per byte/s of each free source
				m, err := NewNetwork(p, n.Mapping)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				sum := 0.0
				for i := range m.Limits {
					if l := &m.Limits[i]; l.Resource == resource && l.Link == link {
						for _, x := range l.load {
							sum += x
						}
					}
				}
				s, err := NewScorer(p, n.Mapping)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if got, want := s.Throughput(), reference(t, p, n.Mapping); !near(got, want, 0) {
					t.Fatalf("seed %d: with another %s the scorer says %.15g, the network %.15g", seed, name, got, want)
				}
				return sum
			}
			before := load()
			saved := *cost
			*cost = 2*saved + 1e-6
			after := load()
			*cost = saved
			if !(after > before) {
				t.Fatalf("seed %d: a higher %s leaves the load at %g", seed, name, after)
			}
			counted[name]++
		}
		members := make([]int, len(p.Architecture.Resources))
		for _, r := range n.Mapping.Place {
			members[r]++
		}
		for r := range members {
			if s := &p.Architecture.Resources[r].Sharing; s.Rule != AreaOnly && members[r] > 1 && !ownSwitches(n, r) {
				change("switch cost", &s.SwitchCost, r, -1)
			}
		}
		for k, r := range n.Mapping.Place {
			if p.Architecture.Resources[r].Sharing.Rule != AreaOnly && members[r] > 1 {
				change("co-location cost", &p.Figures[k][r].CoLocationCost, r, -1)
				break
			}
		}
		for k, r := range n.Mapping.Place {
			if p.Architecture.Resources[r].Sharing.Rule == Conserving && members[r] > 1 {
				change("switch cost of a kernel", &p.Figures[k][r].SwitchCost, r, -1)
				break
			}
		}
		changeCrossing(n, change)
	})
	for _, name := range []string{"switch cost", "switch cost of a kernel", "co-location cost", "send cost",
		"receive cost", "transfer cost", "work of sending a byte", "work of sending an element",
		"work of receiving a byte", "work of receiving an element"} {
		if counted[name] < 20 {
			t.Errorf("the %s was changed %d times", name, counted[name])
		}
	}
}

// changeCrossing changes the costs of the first edge that crosses links, one figure at a time.
func changeCrossing(n *Network, change func(name string, cost *float64, resource, link int)) {
	p := n.Problem
	e := slices.IndexFunc(n.Mapping.Route, func(route []int) bool { return len(route) > 0 })
	if e < 0 {
		return
	}
	edge, route := &p.Application.Edges[e], n.Mapping.Route[e]
	from, to := n.Mapping.Place[edge.From], n.Mapping.Place[edge.To]
	first, last := &p.Architecture.Links[route[0]], &p.Architecture.Links[route[len(route)-1]]
	if p.Architecture.Resources[from].Sharing.Rule != AreaOnly {
		change("send cost", &p.Figures[edge.From][from].SendCost, from, -1)
		change("work of sending a byte", &first.Sends.PerByte, from, -1)
		change("work of sending an element", &first.Sends.PerElement, from, -1)
	}
	if p.Architecture.Resources[to].Sharing.Rule != AreaOnly {
		change("receive cost", &p.Figures[edge.To][to].ReceiveCost, to, -1)
		change("work of receiving a byte", &last.Receives.PerByte, to, -1)
		change("work of receiving an element", &last.Receives.PerElement, to, -1)
	}
	change("transfer cost", &first.Sharing.TransferCost, -1, route[0])
}

// TestPartsAddUp: the parts of all stations of a time-shared resource or link add up to its utilization. The parts of
// a station, except the unused one, add up to its share.
func TestPartsAddUp(t *testing.T) {
	used := [NumParts]int{}
	forRandomNetworks(t, 400, anyShape, func(t *testing.T, seed uint64, n *Network) {
		s, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		resources, links := make([]float64, len(s.Resources)), make([]float64, len(s.Links))
		for i := range n.Stations {
			sum := 0.0
			for part, x := range s.Stations[i].Parts {
				if x < 0 || math.IsNaN(x) {
					t.Fatalf("seed %d: %s of %s is %g", seed, Part(part), n.Stations[i].Name, x)
				}
				if x > 0 {
					used[part]++
				}
				sum += x
			}
			if share := sum - s.Stations[i].Parts[Unused]; !near(share, s.Stations[i].Share, 1e-3) {
				t.Fatalf("seed %d: the parts of %s add up to %g, and it uses %g", seed, n.Stations[i].Name, share,
					s.Stations[i].Share)
			}
			if n.Stations[i].Link >= 0 {
				links[n.Stations[i].Link] += sum
			} else {
				resources[n.Stations[i].Resource] += sum
			}
		}
		for r, sum := range resources {
			if n.Problem.Architecture.Resources[r].Sharing.Rule != AreaOnly && !near(sum, s.Resources[r].Utilization,
				1) {
				t.Fatalf("seed %d: the parts of %s add up to %g of %g", seed, n.Problem.Architecture.Resources[r].Name,
					sum, s.Resources[r].Utilization)
			}
		}
		for l, sum := range links {
			if !near(sum, s.Links[l].Utilization, 1) {
				t.Fatalf("seed %d: the parts of %s add up to %g of %g", seed, n.Problem.Architecture.Links[l].Name, sum,
					s.Links[l].Utilization)
			}
		}
	})
	for part, n := range used {
		if n == 0 && Part(part) != Contended { // see TestContentionAgrees
			t.Errorf("no network has anything in %s", Part(part))
		}
	}
}

// TestCostsWithoutFirings: a switching cost of a kernel with an unknown firing rate is refused by name, and so
// are costs of cores on resources that are shared by area.
func TestCostsWithoutFirings(t *testing.T) {
	p := &Problem{Application: Application{Kernels: []Kernel{{Name: "a", Gain: 1}, {Name: "lonely", Gain: 1},
		{Name: "b", Gain: 1}},
		Edges: []Edge{{Name: "e", From: 0, To: 2, ElementBytes: 4, Routing: 1}}},
		Architecture: Architecture{Resources: cores(Conserving, 1)}, Figures: figures(1, 1, 1, 1)}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	p.Architecture.Resources[0].Sharing.SwitchCost = 1e-6
	wantInvalid(t, p, "firing rate of kernel lonely is unknown")
	p.Architecture.Resources[0].Sharing = Sharing{Rule: AreaOnly, SwitchCost: 1e-6}
	wantInvalid(t, p, "do not switch")
	p.Architecture.Resources[0].Sharing.SwitchCost = 0
	p.Figures[0][0].ReceiveCost = 1e-9
	wantInvalid(t, p, "only kernels on cores")
}

func wantInvalid(t *testing.T, p *Problem, text string) {
	t.Helper()
	if err := p.Validate(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), text) {
		t.Errorf("error is %v; want %q", err, text)
	}
}

// ownSwitches reports whether a kernel on a resource has a switch cost of its own, which counts in place of the core's.
func ownSwitches(n *Network, r int) bool {
	for k, at := range n.Mapping.Place {
		if at == r && n.Problem.OwnSwitchCost(k, r) {
			return true
		}
	}
	return false
}
