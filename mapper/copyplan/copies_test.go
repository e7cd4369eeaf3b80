package copyplan

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// chain returns a random chain of tasks on equal cores, some copyable.
func chain(r *rand.Rand, tasks, cores int) *Problem {
	p := &Problem{}
	stateless := r.Float64()
	for t := range tasks {
		w := 1 + math.Floor(100*r.Float64())
		if r.IntN(4) == 0 {
			w *= 8 // one that is worth copying
		}
		p.Work = append(p.Work, slices.Repeat([]float64{w}, cores))
		p.Copyable = append(p.Copyable, t > 0 && r.Float64() < stateless)
		if t > 0 {
			p.Edges = append(p.Edges, Edge{From: t - 1, To: t})
		}
	}
	return p
}

// minPeriod returns the least period of plans with separate cores for each interval, by another method than
// intervals. For a given period, it computes the fewest cores for the first j tasks from those for the first i and
// the interval behind them. The least period is one of the possible loads of an interval.
func minPeriod(p *Problem) float64 {
	n, m := len(p.Work), p.cores()
	fits := func(period float64) bool {
		fewest := make([]int, n+1)
		for j := 1; j <= n; j++ {
			fewest[j] = math.MaxInt / 2
			sum, copyable := 0.0, true
			for i := j - 1; i >= 0; i-- {
				sum += p.Work[i][0]
				copyable = copyable && p.Copyable[i]
				need := int(math.Ceil(sum/period - 1e-12))
				if need > 1 && !copyable {
					continue
				}
				fewest[j] = min(fewest[j], fewest[i]+max(need, 1))
			}
		}
		return fewest[n] <= m
	}
	var periods []float64
	for i := range n {
		sum := 0.0
		for j := i; j < n; j++ {
			sum += p.Work[j][0]
			for r := 1; r <= m; r++ {
				periods = append(periods, sum/float64(r))
			}
		}
	}
	slices.Sort(periods)
	at, _ := slices.BinarySearchFunc(periods, true, func(x float64, _ bool) int {
		if fits(x) {
			return 0
		}
		return -1
	})
	return periods[at]
}

// bruteForce returns the least period of such plans by enumeration, with cores of two classes.
func bruteForce(p *Problem, from int, free [2]int, first [2]int) float64 {
	if from == len(p.Work) {
		return 0
	}
	best := math.Inf(1)
	for v := range free {
		sum, copyable := 0.0, true
		for to := from + 1; to <= len(p.Work); to++ {
			sum += p.Work[to-1][first[v]]
			copyable = copyable && p.Copyable[to-1]
			for r := 1; r <= free[v] && (r == 1 || copyable); r++ {
				left := free
				left[v] -= r
				best = math.Min(best, math.Max(sum/float64(r), bruteForce(p, to, left, first)))
			}
		}
	}
	return best
}

// loadOf computes the load of a plan independently.
func loadOf(t *testing.T, p *Problem, plan Plan) float64 {
	t.Helper()
	load := make([]float64, p.cores())
	seen := make([]bool, len(p.Work))
	for _, u := range plan.Units {
		total := 0
		for _, c := range u.Copies {
			total += c.Turns
		}
		for _, task := range u.Tasks {
			if seen[task] {
				t.Fatalf("task %d is in two units", task)
			}
			seen[task] = true
			if len(u.Copies) > 1 && !p.Copyable[task] {
				t.Fatalf("task %d is copied, and may not be", task)
			}
			for _, c := range u.Copies {
				load[c.Core] += p.Work[task][c.Core] * float64(c.Turns) / float64(total)
			}
		}
	}
	if slices.Contains(seen, false) {
		t.Fatal("a task is in no unit")
	}
	return slices.Max(load)
}

// TestChains compares the search with the optimum for partially replicable chains (Orhan et al. 2025) on random
// chains: it is never worse, but for the precision of bounds. Plans that share cores may be better, but none is below
// the bound.
func TestChains(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 1))
	n := 2000
	if testing.Short() {
		n = 200
	}
	equal, better, longest := 0, 0, time.Duration(0)
	for range n {
		p := chain(r, 2+r.IntN(19), 1+r.IntN(16))
		start := time.Now()
		plans, _, err := Search(context.Background(), p, Options{})
		longest = max(longest, time.Since(start))
		if err != nil {
			t.Fatal(err)
		}
		got, want := loadOf(t, p, plans[0]), minPeriod(p)
		if math.Abs(got-plans[0].Load) > 1e-9*got {
			t.Fatalf("load is %g, worked out afresh %g", plans[0].Load, got)
		}
		switch {
		case got > want*(1+2*boundPrecision):
			t.Errorf("%d tasks on %d cores: load %g, but intervals have %g", len(p.Work), p.cores(), got, want)
		case got < p.Bound()*(1-1e-9):
			t.Errorf("%d tasks on %d cores: load %g is below the bound of %g", len(p.Work), p.cores(), got, p.Bound())
		case got < want*(1-1e-9):
			better++
		default:
			equal++
		}
	}
	t.Logf("of %d chains %d are as the optimum of intervals, %d better by sharing cores; the longest search took %v",
		n, equal, better, longest)
}

// TestIntervals compares the dynamic programming with another method on equal cores, and with enumeration on cores of
// two classes.
func TestIntervals(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 2))
	for range 500 {
		p := chain(r, 1+r.IntN(20), 1+r.IntN(16))
		s := newState(p, p.intervals(context.Background(), false))
		if got := s.value(1).maximum; math.Abs(got-minPeriod(p)) > 1e-9*got {
			t.Fatalf("%d tasks on %d cores: %g, want %g", len(p.Work), p.cores(), got, minPeriod(p))
		}
	}
	for range 100 {
		a, b := 1+r.IntN(3), 1+r.IntN(3)
		p := chain(r, 1+r.IntN(5), a+b)
		for _, w := range p.Work {
			slow := w[0] * (1 + 3*r.Float64())
			for c := a; c < a+b; c++ {
				w[c] = slow
			}
		}
		s := newState(p, p.intervals(context.Background(), false))
		want := bruteForce(p, 0, [2]int{a, b}, [2]int{0, a})
		if got := s.value(1).maximum; math.Abs(got-want) > 1e-9*want {
			t.Fatalf("%d tasks on %d fast and %d slow cores: %g, want %g", len(p.Work), a, b, got, want)
		}
	}
}

// TestUnlike checks that the turns of copies on unequal cores follow the cores' speeds.
func TestUnlike(t *testing.T) {
	p := &Problem{Work: [][]float64{{1, 1, 1}, {12, 24, 8}}, Copyable: []bool{false, true},
		Edges: []Edge{{From: 0, To: 1}}}
	plans, _, err := Search(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// One core also has the first task: 1 + 12 x = 24 y = 8 z, or with it on another core, and x + y + z = 1.
	if want := 4.0 * 1.13; plans[0].Load > want {
		t.Errorf("load is %g with %+v, want at most %g", plans[0].Load, plans[0].Units, want)
	}
	if loadOf(t, p, plans[0]) < p.Bound() {
		t.Error("the load is below the bound")
	}
}

// BenchmarkSearch searches plans for 20 kernels on 16 cores.
func BenchmarkSearch(b *testing.B) {
	r := rand.New(rand.NewPCG(24, 3))
	p := chain(r, 20, 16)
	for b.Loop() {
		if _, _, err := Search(context.Background(), p, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRestarts checks that restarts never give a worse result, improve some chains, and give the same plans for the
// same seed.
func TestRestarts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	better, chains := 0, 10
	if testing.Short() {
		chains = 4
	}
	for range chains {
		p := chain(r, 16, 6)
		for e := range p.Edges { // without costs of crossing the best of intervals are hard to beat
			p.Edges[e].Send = slices.Repeat([]float64{float64(r.IntN(20))}, 6)
			p.Edges[e].Receive = p.Edges[e].Send
		}
		var load [3]float64
		for i, o := range []Options{{Seed: 1}, {Restarts: 3, Seed: 1}, {Restarts: 3, Seed: 1}} {
			plans, _, err := Search(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			load[i] = plans[0].Load
		}
		if load[1] > load[0]*(1+smallest) || load[1] != load[2] {
			t.Errorf("load %g without restarts, %g and %g with", load[0], load[1], load[2])
		}
		if load[1] < load[0]*(1-smallest) {
			better++
		}
	}
	if better == 0 {
		t.Errorf("restarts improve no plan of %d", chains)
	}
}
