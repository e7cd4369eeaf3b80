package search

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"xopt/mapper"
)

// The number of applications of each size in benchmarks, and the maximum time of each search.
var (
	gapProblems = flag.Int("applications", 3, "of each size that BenchmarkGap and BenchmarkKinds draw")
	gapWithin   = flag.Duration("within", 10*time.Second, "that BenchmarkGap and BenchmarkKinds search at the most")
)

// gaps searches cases for a limited time. It reports the gap between the best mappings and the bound, the number of
// proven ones, and the time.
func gaps(b *testing.B, draw func(seed uint64) Case) {
	b.Helper()
	for b.Loop() {
		var gaps, times []float64
		proven := 0
		for seed := range uint64(*gapProblems) {
			c := draw(seed + 1)
			p, err := Prove(context.Background(), &c, ProofOptions{Time: *gapWithin, Threads: 2})
			if err != nil {
				b.Fatal(err)
			}
			if p.Proven {
				proven++
			}
			b.Logf("seed %d: a gap of %.2f %% after %.1f s: %s", seed+1, 100*p.Gap, p.Seconds, p.Status)
			times, gaps = append(times, p.Seconds), append(gaps, 100*p.Gap)
		}
		slices.Sort(gaps)
		slices.Sort(times)
		b.ReportMetric(gaps[len(gaps)/2], "%gap-median")
		b.ReportMetric(gaps[len(gaps)-1], "%gap-worst")
		b.ReportMetric(times[len(times)/2], "s-median")
		b.ReportMetric(times[len(times)-1], "s-worst")
		b.ReportMetric(100*float64(proven)/float64(len(gaps)), "%proven")
	}
}

// BenchmarkRate reports the number of mappings/s that annealing evaluates, without a proof, on one thread.
func BenchmarkRate(b *testing.B) {
	for _, bus := range Buses() {
		for _, tasks := range []int{38, 78} {
			b.Run(fmt.Sprintf("%s/kernels=%d", bus.Name, tasks+2), func(b *testing.B) {
				c := Synthetic(1, tasks, bus)
				scored := 0.0
				for b.Loop() {
					r, err := mapper.Search(context.Background(), c.Problem, nil, mapper.Options{Method: mapper.Anneal,
						Seed: 1, Threads: 1, MaxEvals: 1_000_000, ProofNodes: -1})
					if err != nil {
						b.Fatal(err)
					}
					scored += float64(r.Evals)
				}
				b.ReportMetric(scored/b.Elapsed().Seconds(), "mappings/s")
			})
		}
	}
}

// BenchmarkGap searches synthetic applications on 12 cores and 2 FPGAs.
func BenchmarkGap(b *testing.B) {
	for _, bus := range Buses() {
		for _, tasks := range []int{10, 18, 38, 78} { // and a source and a sink
			b.Run(fmt.Sprintf("%s/kernels=%d", bus.Name, tasks+2), func(b *testing.B) {
				gaps(b, func(seed uint64) Case { return Synthetic(seed, tasks, bus) })
			})
		}
	}
}

// BenchmarkKinds searches applications like those of SDF3 and FARSI.
func BenchmarkKinds(b *testing.B) {
	for _, kind := range Kinds() {
		for _, tasks := range []int{9, 16, 24, 32, 40} {
			b.Run(fmt.Sprintf("%s/tasks=%d", kind.Name, tasks), func(b *testing.B) {
				gaps(b, func(seed uint64) Case { return kind.Draw(seed, tasks) })
			})
		}
	}
}

// TestKinds checks that the drawn problems are valid, that small ones agree with an exhaustive search, and that larger
// ones are proven.
func TestKinds(t *testing.T) {
	search := func(c *Case, o mapper.Options) *mapper.Result {
		t.Helper()
		r, err := mapper.Search(context.Background(), c.Problem, nil, o)
		if err != nil {
			t.Fatalf("%s, %s: %v", c.Group, c.Name, err)
		}
		return r
	}
	for _, kind := range Kinds() {
		for seed := uint64(1); seed <= 3; seed++ {
			c := kind.Draw(seed, 5)
			truth := search(&c, mapper.Options{Method: mapper.Exhaustive}).Candidates[0].Throughput
			if r := search(&c, mapper.Options{Method: mapper.Mixed, Seed: 1, MaxEvals: 1_000_000}); !r.Optimal() ||
				r.Candidates[0].Throughput < truth*(1-1e-8) {
				t.Errorf("%s, %s: %g (%s), and the best has %g", c.Group, c.Name, r.Candidates[0].Throughput, r.Status,
					truth)
			}
		}
		for _, tasks := range []int{9, 16, 24} {
			c := kind.Draw(1, tasks)
			if r := search(&c, mapper.Options{Method: mapper.Anneal, Seed: 1, MaxEvals: 60_000_000}); !r.Optimal() {
				t.Errorf("%s: not proven after %d evaluations: %s", c.Group, r.Evals+r.ProofNodes, r.Status)
			}
			if testing.Short() {
				break
			}
		}
	}
}
