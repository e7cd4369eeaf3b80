package flow

import (
	"math/rand/v2"
	"testing"
)

// TestDirectedLinks makes links of one direction, and holds the scorer against networks.
func TestDirectedLinks(t *testing.T) {
	feasible := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 91))
		p := randomProblem(rng, randomOptions{kernels: 5 + rng.IntN(8), sources: 1 + rng.IntN(2), resources: 4, links: 4})
		for l := range p.Architecture.Links {
			link := &p.Architecture.Links[l]
			if cut := rng.IntN(len(link.Endpoints) + 1); l > 0 && cut > 0 && cut < len(link.Endpoints) {
				link.From, link.To = link.Endpoints[:cut], link.Endpoints[cut:]
			}
		}
		s, err := NewScorer(p, randomMapping(rng, p))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 300 {
			step(rng, s)
			if rng.IntN(3) == 0 {
				s.Undo()
			}
			got, want := s.Throughput(), reference(t, p, s.Mapping())
			if !near(got, want, 0) {
				t.Fatalf("seed %d, step %d: scorer %.15g, network %.15g", seed, i, got, want)
			}
			if want > 0 {
				feasible++
			}
		}
	}
	if feasible < 1000 {
		t.Fatalf("only %d feasible", feasible)
	}
}
