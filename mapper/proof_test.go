package mapper

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"xopt/flow"
)

// oneSource draws a problem whose throughput is a minimum over resources and links.
func oneSource(t testing.TB, seed uint64, kernels, cores int) *flow.Problem {
	t.Helper()
	for draw := uint64(0); ; draw++ {
		p := randomProblem(rand.New(rand.NewPCG(seed, draw)), kernels, cores)
		if f, err := flow.NewFlows(&p.Application, 0); err != nil {
			t.Fatal(err)
		} else if f.Free == 1 {
			return p
		}
	}
}

// varied changes a problem so that other rules apply: equal sharing, co-location costs, costs of crossing edges, and
// transfer costs.
func varied(rng *rand.Rand, p *flow.Problem) {
	if rng.IntN(3) == 0 {
		for r := range p.Architecture.Resources {
			if p.Architecture.Resources[r].Sharing.Rule == flow.Conserving {
				p.Architecture.Resources[r].Sharing.Rule = flow.Equal
			}
		}
	} else if rng.IntN(2) == 0 {
		for k := range p.Figures {
			extra, receive, send := rng.Float64()*3e-8, rng.Float64()*3e-8, rng.Float64()*3e-8
			for r := range p.Figures[k] {
				if p.Architecture.Resources[r].Sharing.Rule == flow.Conserving {
					p.Figures[k][r].SwitchCost = float64(k%2) * send
					p.Figures[k][r].CoLocationCost, p.Figures[k][r].ReceiveCost, p.Figures[k][r].SendCost = extra,
						receive,
						send
				}
			}
		}
	}
	for l := range p.Architecture.Links {
		p.Architecture.Links[l].Bandwidth *= math.Exp(2 * rng.NormFloat64())
		if rng.IntN(3) == 0 {
			p.Architecture.Links[l].Sharing.Rule = flow.Equal
		}
		if rng.IntN(3) == 0 {
			p.Architecture.Links[l].Sends = flow.Work{PerByte: rng.Float64() * 3e-8, PerElement: rng.Float64() * 1e-7}
			p.Architecture.Links[l].Receives = flow.Work{PerByte: rng.Float64() * 3e-8}
		}
	}
}

// TestProof compares branch and bound with an enumeration: results called optimal are optimal, and no mapping exceeds
// the bound, even if the proof was cut short.
func TestProof(t *testing.T) {
	const all = 10_000_000
	proven, cut := 0, 0
	for seed := range seeds(150) {
		rng := rand.New(rand.NewPCG(seed, 7))
		p := oneSource(t, seed, 4+rng.IntN(3), 2+rng.IntN(2))
		varied(rng, p)
		c := randomConstraints(rng, p)
		truth := bruteForce(p, c)
		for _, nodes := range []int{all, 1, 30} {
			r, err := Search(context.Background(), p, c, Options{Method: Walk, MaxEvals: 5, Seed: seed,
				ProofNodes: nodes})
			if err != nil {
				if truth > 0 && nodes == all {
					continue // five random mappings were not enough to find one
				}
				continue
			}
			best := r.Candidates[0].Throughput
			if r.Bound < truth*(1-1e-9) || r.Bound < best*(1-1e-9) {
				t.Fatalf("seed %d, %d nodes: the bound is %g, the best mapping %g, found %g", seed, nodes, r.Bound,
					truth, best)
			}
			if r.Status == Proven {
				proven++
				if math.Abs(best-truth) > 1e-8*truth {
					t.Fatalf("seed %d, %d nodes: %g is called optimal, %g is", seed, nodes, best, truth)
				}
			} else {
				cut++
				if nodes == all {
					t.Errorf("seed %d: %d nodes were not enough for %d kernels", seed, r.ProofNodes,
						len(p.Application.Kernels))
				}
			}
		}
	}
	if minimum := int(seeds(100)); proven < minimum || cut < minimum/5 {
		t.Errorf("%d were proven and %d cut short: the test has lost its power", proven, cut)
	}
}

// TestProofDeterministic checks that the same seed gives the same proof.
func TestProofDeterministic(t *testing.T) {
	p := oneSource(t, 3, 14, 4)
	var first *Result
	for range 3 {
		r, err := Search(context.Background(), p, nil, Options{Method: Anneal, MaxEvals: 3000, Threads: 2, Seed: 5,
			ProofNodes: 20000})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
		}
		if r.Bound != first.Bound || r.ProofNodes != first.ProofNodes ||
			r.Candidates[0].Throughput != first.Candidates[0].Throughput {
			t.Errorf("bound %g after %d nodes, and %g after %d", r.Bound, r.ProofNodes, first.Bound, first.ProofNodes)
		}
	}
}

// balanced draws kernels with nearly equal service times, within 10 % as in Beard 2013 §4.5, so that no single one is
// the bottleneck.
func balanced(t testing.TB, seed uint64, kernels, cores int) *flow.Problem {
	p := oneSource(t, seed, kernels, cores)
	f, err := flow.NewFlows(&p.Application, 0)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 99))
	for k := range p.Figures {
		rate := f.Arrival(k)[0] / (20e-6 * (0.9 + 0.2*rng.Float64())) // the same part of the time for each
		for r := range p.Figures[k] {
			p.Figures[k][r].ServiceRate = rate
			if r == cores {
				p.Figures[k][r].ServiceRate = 4 * rate
			}
		}
	}
	for l := range p.Architecture.Links {
		p.Architecture.Links[l].Bandwidth = 1e12
	}
	return p
}

// proofProblems is the number of problems of each size in the benchmark.
var proofProblems = flag.Int("problems", 3, "of each size that BenchmarkProof draws")

// BenchmarkProof measures how often and how fast twelve kernels on five cores and an FPGA are proven optimal, and the
// gap of larger problems.
func BenchmarkProof(b *testing.B) {
	for _, size := range []struct {
		kernels, cores int
		kind           string
		draw           func(testing.TB, uint64, int, int) *flow.Problem
	}{{12, 5, "any", oneSource}, {40, 13, "any", oneSource}, {80, 13, "any", oneSource}, {12, 5, "balanced", balanced},
		{40, 13, "balanced", balanced}, {80, 13, "balanced", balanced}} {
		b.Run(fmt.Sprintf("%s/kernels=%d/resources=%d", size.kind, size.kernels, size.cores+1), func(b *testing.B) {
			for b.Loop() {
				var gaps, times []float64
				proven := 0
				for seed := range uint64(*proofProblems) {
					p := size.draw(b, seed, size.kernels, size.cores)
					start := time.Now()
					r, err := Search(context.Background(), p, nil, Options{Method: Anneal, Seed: 1, Threads: 2,
						MaxTime: 10 * time.Second})
					if err != nil {
						b.Fatal(err)
					}
					times = append(times, time.Since(start).Seconds())
					if r.Status == Proven {
						proven++
					}
					gaps = append(gaps, 100*(r.Bound/r.Candidates[0].Throughput-1))
				}
				slices.Sort(gaps)
				slices.Sort(times)
				b.ReportMetric(float64(proven)/float64(*proofProblems)*100, "%proven")
				b.ReportMetric(gaps[len(gaps)/2], "%gap-median")
				b.ReportMetric(gaps[len(gaps)-1], "%gap-worst")
				b.ReportMetric(times[len(times)/2], "s-median")
				b.ReportMetric(times[len(times)-1], "s-worst")
			}
		})
	}
}
