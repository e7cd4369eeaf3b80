package flow

import (
	"math/rand/v2"
	"testing"
)

// walkScorer changes a mapping at random and compares the scorer with newly built networks. It returns the
// number of feasible mappings.
func walkScorer(t *testing.T, rng *rand.Rand, p *Problem) (feasible int) {
	t.Helper()
	s, err := NewScorer(p, randomMapping(rng, p))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		step(rng, s)
		if rng.IntN(3) == 0 {
			s.Undo()
		}
		if rng.IntN(30) == 0 {
			s = s.Clone()
		}
		got, want := s.Throughput(), reference(t, p, s.Mapping())
		if !near(got, want, 0) {
			t.Fatalf("step %d: scorer %.15g, network %.15g", i, got, want)
		}
		if want > 0 {
			feasible++
		}
	}
	return feasible
}

// TestDirectedLinks uses links with one direction, and compares the scorer with networks.
func TestDirectedLinks(t *testing.T) {
	feasible := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 91))
		p := randomProblem(rng, randomOptions{kernels: 5 + rng.IntN(8), sources: 1 + rng.IntN(2), resources: 4,
			links: 4})
		for l := range p.Architecture.Links {
			link := &p.Architecture.Links[l]
			if cut := rng.IntN(len(link.Endpoints) + 1); l > 0 && cut > 0 && cut < len(link.Endpoints) {
				link.From, link.To = link.Endpoints[:cut], link.Endpoints[cut:]
			}
		}
		feasible += walkScorer(t, rng, p)
	}
	if feasible < 1000 {
		t.Fatalf("only %d feasible", feasible)
	}
}

// TestClocks sets clocks that neighbouring kernels reduce. It compares scorer and networks with each other, and
// networks with one computed on paper.
func TestClocks(t *testing.T) {
	feasible := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 93))
		p := randomProblem(rng, randomOptions{kernels: 5 + rng.IntN(8), sources: 1 + rng.IntN(2), resources: 4,
			links: 3})
		for k := range p.Figures {
			for r := range p.Figures[k] {
				if rng.IntN(3) > 0 {
					p.Figures[k][r].MaxClock = logUniform(rng, 1e7, 4e8)
				}
			}
		}
		for r := range 2 {
			p.Architecture.Resources[r].Sharing = Sharing{Rule: AreaOnly}
			for k := range p.Figures {
				f := &p.Figures[k][r]
				f.CoLocationCost, f.SwitchCost, f.ReceiveCost, f.SendCost = 0, 0, 0, 0
			}
		}
		feasible += walkScorer(t, rng, p)
	}
	if feasible < 1000 {
		t.Fatalf("only %d feasible", feasible)
	}

	// Two kernels on one FPGA, at 100 and 50 MHz: the first runs at half its rate, 20 MB/s.
	p := &Problem{
		Application: Application{Kernels: []Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 1}},
			Edges: []Edge{{Name: "e", To: 1, ElementBytes: 1, Routing: 1}}},
		Architecture: Architecture{Resources: []Resource{{Name: "f", Sharing: Sharing{Rule: AreaOnly},
			Area: unlimited()}, {Name: "g", Sharing: Sharing{Rule: AreaOnly}, Area: unlimited()}},
			Links: []Link{{Name: "l", Bandwidth: 1e12, Endpoints: []int{0, 1}}}},
	}
	a, b := Figures{Available: true, ServiceRate: 40e6, MaxClock: 100e6}, Figures{Available: true, ServiceRate: 30e6,
		MaxClock: 50e6}
	p.Figures = [][]Figures{{a, a}, {b, b}}
	for place, want := range map[[2]int]float64{{0, 0}: 20e6, {0, 1}: 30e6} {
		m := &Mapping{Place: place[:], Route: make([][]int, 1)}
		if got := reference(t, p, m); !near(got, want*DefaultMaxUtilization, 0) {
			t.Errorf("placed on %v: %g bytes/s, want %g", place, got, want)
		}
	}
}
