package cutbound

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// draw returns a small problem of up to three kinds of resources. The load on each link depends on whether an edge
// crosses resources or kinds.
func draw(rng *rand.Rand) *Problem {
	p := &Problem{Units: 3 + rng.IntN(4)}
	part := func(of float64) int64 { return int64(rng.Float64() * of * One) }
	for c := range 1 + rng.IntN(3) {
		k := Kind{Many: int64(1 + rng.IntN(2)), Load: make([]int64, p.Units)}
		for u := range k.Load {
			if k.Load[u] = part(0.8); c > 0 && rng.IntN(3) == 0 {
				k.Load[u] = Never
			}
		}
		for range 1 + rng.IntN(2) {
			l := Limit{Need: make([]int64, p.Units), Max: One}
			for u := range l.Need {
				l.Need[u] = part(0.7)
			}
			k.Limits = append(k.Limits, l)
		}
		if c == 0 || rng.IntN(2) == 0 {
			need := make([]int64, p.Units)
			for u := range need {
				need[u] = max(0, k.Load[u])
			}
			k.Limits = []Limit{{Need: need}}
		}
		p.Kinds = append(p.Kinds, k)
	}
	for b := range p.Units {
		for a := range b {
			if rng.IntN(3) == 0 {
				p.Edges = append(p.Edges, Edge{a, b})
			}
		}
	}
	for range 1 + rng.IntN(2) {
		s := Set{Links: int64(1 + rng.IntN(2))}
		for range p.Edges {
			any := part(0.5)
			s.Any, s.Across = append(s.Any, any), append(s.Across, any+part(0.5)*int64(rng.IntN(2)))
		}
		p.Sets = append(p.Sets, s)
	}
	if rng.IntN(2) == 0 {
		p.Separate = [][2]int{{0, 1 + rng.IntN(p.Units-1)}}
	}
	return p
}

// minLoad returns the smallest greatest load of all placements, by enumeration. Loads of links are those of single-link
// sets.
func minLoad(p *Problem) int64 {
	type place struct{ kind, number int }
	var all []place
	for c := range p.Kinds {
		for n := range int(p.Kinds[c].Many) {
			all = append(all, place{c, n})
		}
	}
	at := make([]place, p.Units)
	best := int64(math.MaxInt64)
	var put func(u int)
	put = func(u int) {
		if u < p.Units {
			for _, at[u] = range all {
				if p.Kinds[at[u].kind].Load[u] != Never {
					put(u + 1)
				}
			}
			return
		}
		load := int64(0)
		for u, x := range at {
			load = max(load, p.Kinds[x.kind].Load[u])
		}
		for _, pair := range p.Separate {
			if at[pair[0]] == at[pair[1]] {
				return
			}
		}
		for _, x := range all {
			for _, l := range p.Kinds[x.kind].Limits {
				sum := int64(0)
				for u := range at {
					if at[u] == x {
						sum += l.Need[u]
					}
				}
				if l.Max == 0 {
					load = max(load, sum)
				} else if sum > l.Max {
					return
				}
			}
		}
		for _, s := range p.Sets {
			sum := int64(0)
			for e, edge := range p.Edges {
				switch a, b := at[edge.A], at[edge.B]; {
				case a.kind != b.kind:
					sum += s.Across[e]
				case a != b:
					sum += s.Any[e]
				}
			}
			load = max(load, (sum+s.Links-1)/s.Links)
		}
		best = min(best, load)
	}
	put(0)
	return best
}

// TestNeverWrong compares excluded targets with an enumeration of all placements.
func TestNeverWrong(t *testing.T) {
	close, far, exact := 0, 0, 0
	for seed := range uint64(400) {
		p := draw(rand.New(rand.NewPCG(seed, 1)))
		truth := minLoad(p)
		s := New(p, 0, 4*One)
		for steps := 0; !s.Done(); steps++ {
			if s.Step(context.Background()); steps > 100 {
				t.Fatalf("seed %d: 100 steps were not enough", seed)
			}
		}
		low := s.State().Low
		if low >= truth {
			t.Fatalf("seed %d: %d is excluded, and a placement has %d", seed, low, truth)
		}
		if truth < math.MaxInt64 {
			if low >= truth-2*Nearest {
				exact++
			}
			if float64(low) > 0.7*float64(truth) {
				close++
			} else {
				far++
			}
		}
	}
	if far > 0 || exact < close*9/10 {
		t.Errorf("the bound is within 70 %% of %d, farther from %d, and exact for %d", close, far, exact)
	}
}

// TestThreads checks that parallel and sequential bounding of parts give the same state.
func TestThreads(t *testing.T) {
	for seed := range uint64(100) {
		p := draw(rand.New(rand.NewPCG(seed, 1)))
		if minLoad(p) > 2*One {
			continue
		}
		one, two := New(p, 0, 4*One), New(p, 0, 4*One)
		for two.Threads = 4; !one.Done(); {
			one.Step(context.Background())
			two.Step(context.Background())
		}
		if a, b := one.State(), two.State(); !reflect.DeepEqual(a, b) || one.Work != two.Work {
			t.Fatalf("seed %d: %d after %d, and side by side %d after %d", seed, a.Low, one.Work, b.Low, two.Work)
		}
	}
}

// TestResume checks that a search resumed after any step has the same result.
func TestResume(t *testing.T) {
	p := draw(rand.New(rand.NewPCG(7, 1)))
	one, two := New(p, 0, 4*One), New(p, 0, 4*One)
	for !one.Done() {
		one.Step(context.Background())
		again := New(p, 0, 4*One)
		if !again.Resume(two.State()) {
			t.Fatal("the state is refused")
		}
		again.Step(context.Background())
		two = again
	}
	if a, b := one.State(), two.State(); a.Low != b.Low || a.High != b.High || len(a.Cuts) != len(b.Cuts) {
		t.Errorf("%d to %d, and resumed %d to %d", a.Low, a.High, b.Low, b.High)
	}
}

// TestResumeRefused checks that damaged states are rejected.
func TestResumeRefused(t *testing.T) {
	p := draw(rand.New(rand.NewPCG(7, 1)))
	for i, at := range []State{{Low: -1}, {High: -1}, {Cuts: []Row{{Rule: Total}}},
		{Cuts: []Row{{Rule: Spread, Kind: 9}}}, {Cuts: []Row{{Rule: Spread, Tree: Tree{Root: p.Units}}}},
		{Cuts: []Row{{Rule: Spread, Tree: Tree{Branches: []Branch{{Edge: len(p.Edges), Unit: 1, From: -1}}}}}},
		{Clusters: []Cluster{{Kind: 9, Units: []int{0}}}}, {Clusters: []Cluster{{Units: []int{1, 0}}}},
		{Clusters: []Cluster{{}}}, {Branch: Branching{Open: [][]Fix{{{Edge: -1, Unit: p.Units}}}}},
		{Branch: Branching{Open: [][]Fix{{{Edge: -3}}}}}, {Branch: Branching{Part: -1}}} {
		if New(p, 0, One).Resume(at) {
			t.Errorf("state %d is taken", i)
		}
	}
}
