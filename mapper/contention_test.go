package mapper

import (
	"math/rand/v2"
	"testing"

	"xopt/flow"
)

// contend lets the kernels of a problem slow each other down through one memory.
func contend(rng *rand.Rand, p *flow.Problem) {
	for k := range p.Figures {
		c := &flow.Contention{Pressure: 10 * rng.Float64()}
		low := 1 + 0.2*rng.Float64()
		c.Curve = []flow.Slowdown{{Level: 3, Times: low}, {Level: 10, Times: low + 0.6*rng.Float64()}}
		for r := range p.Figures[k] {
			if p.Architecture.Resources[r].Sharing.Rule != flow.AreaOnly {
				p.Architecture.Resources[r].Memory = "memory"
				p.Figures[k][r].Contention = c
			}
		}
	}
}

// TestContentionProof checks with memory contention that results called optimal are optimal, that no mapping exceeds
// the bound, and that every method reports the network's throughput.
func TestContentionProof(t *testing.T) {
	proven, slower := 0, 0
	for seed := range seeds(24) {
		rng := rand.New(rand.NewPCG(seed, 31))
		p := oneSource(t, seed, 4+rng.IntN(3), 2+rng.IntN(2))
		varied(rng, p)
		without := bruteForce(p, &flow.Constraints{})
		contend(rng, p)
		truth := bruteForce(p, &flow.Constraints{})
		if truth < without*(1-1e-6) {
			slower++
		}
		for method := Auto; method <= Mixed; method++ {
			r := reportedResult(t, p, seed, method)
			best := &r.Candidates[0]
			if r.Bound < truth*(1-1e-9) || best.Throughput > truth*(1+1e-9) {
				t.Fatalf("seed %d, method %d: bound %g, found %g, and the best mapping has %g", seed, method, r.Bound,
					best.Throughput, truth)
			}
			if r.Status == Proven || r.Status == Optimal {
				proven++
				if best.Throughput < truth*(1-1e-8) {
					t.Fatalf("seed %d, method %d: %g is called optimal, and a mapping has %g", seed, method,
						best.Throughput, truth)
				}
			}
		}
	}
	if minimum := int(seeds(24)); proven < minimum || slower < minimum/4 {
		t.Errorf("%d proven, %d of %d slower: the test has lost its power", proven, slower, minimum)
	}
}
