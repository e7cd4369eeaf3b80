package flow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// reference scores a mapping the slow way.
func reference(t *testing.T, p *Problem, m *Mapping) float64 {
	t.Helper()
	n, err := NewNetwork(p, m)
	if errors.Is(err, ErrInfeasible) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := Fast{}.Solve(context.Background(), n)
	switch {
	case errors.Is(err, ErrInfeasible):
		return 0
	case errors.Is(err, ErrUnbounded):
		return math.Inf(1)
	case err != nil:
		t.Fatal(err)
	}
	return s.Throughput
}

// step changes the scorer at random and returns whether it did.
func step(rng *rand.Rand, s *Scorer) {
	p := s.Problem
	if e := rng.IntN(len(p.Application.Edges)); rng.IntN(4) == 0 && s.Alternatives(e) > 1 {
		s.Reroute(e, rng.IntN(s.Alternatives(e)))
		return
	}
	for {
		k, r := rng.IntN(len(p.Application.Kernels)), rng.IntN(len(p.Architecture.Resources))
		if p.Figures[k][r].Available {
			s.Move(k, r)
			return
		}
	}
}

// wander makes some moves, undoes or commits them or neither, and may go on with a clone.
func wander(rng *rand.Rand, s *Scorer) *Scorer {
	for range 1 + rng.IntN(3) {
		step(rng, s)
		if rng.IntN(2) == 0 {
			s.Throughput() // in between, or not at all
		}
	}
	switch rng.IntN(3) {
	case 0:
		s.Undo()
	case 1:
		s.Commit()
	}
	if rng.IntN(50) == 0 {
		s = s.Clone()
	}
	return s
}

// TestScorerEqualsNetwork makes random changes, undos and commits, and compares with a newly built network of
// the mapping.
func TestScorerEqualsNetwork(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := randomProblem(rng, anyShape(rng))
		s, err := NewScorer(p, randomMapping(rng, p))
		if err != nil {
			t.Fatal(err)
		}
		feasible := 0
		for i := range 400 {
			s = wander(rng, s)
			got, want := s.Throughput(), reference(t, p, s.Mapping())
			if !near(got, want, 0) {
				t.Fatalf("seed %d, step %d: scorer %.15g, network %.15g", seed, i, got, want)
			}
			if want > 0 {
				feasible++
			}
			if (want == 0) != (s.Violations() > 0) {
				t.Fatalf("seed %d, step %d: %d violations with throughput %g", seed, i, s.Violations(), want)
			}
		}
		if feasible == 0 {
			t.Logf("seed %d: never feasible", seed)
		}
	}
}

// TestUndoRestoresMapping reverts random changes.
func TestUndoRestoresMapping(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	p := randomProblem(rng, randomOptions{kernels: 12, sources: 1, resources: 4, links: 3})
	s, err := NewScorer(p, randomMapping(rng, p))
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		s.Commit()
		before, score := s.Mapping(), s.Throughput()
		for range 1 + rng.IntN(6) {
			step(rng, s)
			if rng.IntN(2) == 0 {
				s.Throughput()
			}
		}
		s.Undo()
		if after := s.Mapping(); fmt.Sprint(after) != fmt.Sprint(before) || s.Throughput() != score {
			t.Fatalf("after Undo %v scores %g, before %v scored %g", after, s.Throughput(), before, score)
		}
	}
}

// TestScorerLoads compares utilizations with the solution's.
func TestScorerLoads(t *testing.T) {
	forRandomNetworks(t, 300, anyShape, func(t *testing.T, seed uint64, n *Network) {
		s, err := NewScorer(n.Problem, n.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(err)
		}
		if n.Flows.Free > 1 {
			return // the optimum need not be unique
		}
		loads := s.Loads()
		for i, r := range append(want.Resources, want.Links...) {
			if !near(loads[i], r.Utilization, 1e-3) {
				t.Fatalf("seed %d: load %d is %g, want %g", seed, i, loads[i], r.Utilization)
			}
		}
	})
}

// TestScorerAllocatesNothing checks the hot path with one and with several free
// sources.
func TestScorerAllocatesNothing(t *testing.T) {
	for _, sources := range []int{1, 3} {
		rng := rand.New(rand.NewPCG(11, 3))
		p := randomProblem(rng, randomOptions{kernels: 20, sources: sources, resources: 5, links: 2})
		s, err := NewScorer(p, randomMapping(rng, p))
		if err != nil {
			t.Fatal(err)
		}
		score := func() {
			step(rng, s)
			s.Throughput()
			if rng.IntN(2) == 0 {
				s.Undo()
			} else {
				s.Commit()
			}
		}
		for range 1000 {
			score()
		}
		if n := testing.AllocsPerRun(1000, score); n != 0 {
			t.Errorf("%d sources: %g allocations per scored move", sources, n)
		}
	}
}

// BenchmarkScoredMove moves one kernel at random, scores, and keeps half of the
// moves, on the machine of Beard 2013, Table 2: 12 cores and 2 FPGAs on a bus.
func BenchmarkScoredMove(b *testing.B) {
	for _, kernels := range []int{20, 40, 80, 1000} {
		b.Run(fmt.Sprintf("kernels=%d", kernels), func(b *testing.B) {
			p, m := benchmarkProblem(kernels)
			benchmarkMoves(b, p, m)
		})
		b.Run(fmt.Sprintf("kernels=%d, memory", kernels), func(b *testing.B) {
			p, m := benchmarkProblem(kernels)
			contend(rand.New(rand.NewPCG(1, 2)), p, "memory")
			benchmarkMoves(b, p, m)
		})
	}
}

func benchmarkMoves(b *testing.B, p *Problem, m *Mapping) {
	s, err := NewScorer(p, m)

	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	type move struct {
		kernel, resource int32
		keep             bool
	}
	moves := make([]move, 1<<16) // drawn before, so that drawing is not measured
	for i := range moves {
		moves[i] = move{rng.Int32N(int32(len(m.Place))), rng.Int32N(14), rng.IntN(2) == 0}
	}
	sum, i := 0.0, 0
	b.ReportAllocs()
	for b.Loop() {
		m := &moves[i&(len(moves)-1)]
		i++
		s.Move(int(m.kernel), int(m.resource))
		sum += s.Throughput()
		if m.keep {
			s.Commit()
		} else {
			s.Undo()
		}
	}
	if !(sum > 0) {
		b.Fatal("nothing was feasible")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
}

// BenchmarkFastSolve builds and solves the network of one mapping.
func BenchmarkFastSolve(b *testing.B) { benchmarkSolver(b, Fast{}) }

func benchmarkSolver(b *testing.B, solver Solver) {
	for _, kernels := range []int{20, 40, 80, 1000} {
		b.Run(fmt.Sprintf("kernels=%d", kernels), func(b *testing.B) {
			p, m := benchmarkProblem(kernels)
			n, err := NewNetwork(p, m)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := solver.Solve(context.Background(), n); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "solves/s")
		})
	}
}

// benchmarkProblem returns a random application on 12 cores and 2 FPGAs, all joined
// by one bus.
func benchmarkProblem(kernels int) (*Problem, *Mapping) {
	rng := rand.New(rand.NewPCG(uint64(kernels), 5))
	p := &Problem{Application: randomApplication(rng, randomOptions{kernels: kernels, sources: 1})}
	bus := Link{Name: "PCI-X", Bandwidth: 1e9}
	for r := range 14 {
		res := Resource{Name: fmt.Sprintf("proc[%d]", r+1), Platform: "C", Area: unlimited()}
		if r >= 12 {
			res.Name, res.Platform = fmt.Sprintf("fpga[%d]", r-11), "HDL"
			res.Sharing.Rule = AreaOnly
			res.Area[LUT] = 1e5
		}
		p.Architecture.Resources = append(p.Architecture.Resources, res)
		bus.Endpoints = append(bus.Endpoints, r)
	}
	p.Architecture.Links = []Link{bus}
	m := &Mapping{}
	for k := range kernels {
		row := make([]Figures, 14)
		core, fpga := logUniform(rng, 1e6, 1e9), logUniform(rng, 1e7, 1e10)
		need := float64(rng.IntN(10000))
		for r := range row {
			row[r] = Figures{Available: true, ServiceRate: core}
			if r >= 12 {
				row[r].ServiceRate = fpga
				row[r].Area[LUT] = need
			}
		}
		p.Figures = append(p.Figures, row)
		m.Place = append(m.Place, k%12)
	}
	return p, m
}
