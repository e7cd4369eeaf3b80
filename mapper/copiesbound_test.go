package mapper

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"xopt/flow"
	"xopt/mapper/copyplan"
)

// copied enumerates the placements of kernels, with up to two turns on each of several resources for copyable ones, and
// records the largest throughput with free links.
type copied struct {
	p        *flow.Problem
	c        *flow.Constraints
	copyable []bool
	works    flow.LoadCoefficients
	load     [][]float64 // of each kernel placed so far, on each resource
	best     float64
	single   float64 // the best where each kernel is on one resource
}

// place tries all places of the kernels from k on. alone is set if no earlier kernel has copies.
func (x *copied) place(k int, alone bool) {
	arch := &x.p.Architecture
	if k == len(x.load) {
		maximum := x.greatest()
		if math.IsInf(maximum, 1) {
			return
		}
		if t := x.works.Throughput(maximum); t > x.best {
			x.best = t
		}
		if t := x.works.Throughput(maximum); alone && t > x.single {
			x.single = t
		}
		return
	}
	turns := make([]int, len(arch.Resources))
	var give func(r, on, total int)
	give = func(r, on, total int) {
		if r < len(turns) {
			for n := 0; n <= 2; n++ {
				if turns[r] = n; n == 0 || x.may(k, r) {
					give(r+1, on+min(n, 1), total+n)
				}
			}
			turns[r] = 0
			return
		}
		if on == 0 || on > 1 && !x.copyable[k] || on == 1 && total == 2 {
			return
		}
		for r, n := range turns {
			x.load[k][r] = -1
			if n > 0 {
				w, _ := x.works.Kernel(k, r)
				x.load[k][r] = w * float64(n) / float64(total)
			}
		}
		x.place(k+1, alone && on == 1)
	}
	give(0, 0, 0)
}

func (x *copied) may(k, r int) bool {
	c := x.c
	for _, q := range c.Forbidden[k] {
		if q == r {
			return false
		}
	}
	for _, q := range c.Fixed[k] {
		if q == r {
			return x.p.Figures[k][r].Available
		}
	}
	return c.Fixed[k] == nil && x.p.Figures[k][r].Available
}

// greatest returns the largest load of a resource; +Inf if one lacks area.
func (x *copied) greatest() float64 {
	maximum := 0.0
	for r := range x.p.Architecture.Resources {
		res := &x.p.Architecture.Resources[r]
		sum, single, need := 0.0, 0.0, 0.0
		for k := range x.load {
			if w := x.load[k][r]; w >= 0 {
				sum, single = sum+w, math.Max(single, w)
				need += x.p.Figures[k][r].Area[flow.LUT]
			}
		}
		if res.Sharing.Rule != flow.AreaOnly {
			maximum = math.Max(maximum, sum)
			continue
		}
		if maximum = math.Max(maximum, single); need > res.Area[flow.LUT] {
			return math.Inf(1)
		}
	}
	return maximum
}

// TestCopiesBound checks that no placement with any copies exceeds the bound, that the bound is at least as close as
// that of all cores together, and that it is sometimes reached.
func TestCopiesBound(t *testing.T) {
	t.Parallel()
	better, reached, drawn := 0, 0, 0
	for seed := range seeds(120) {
		rng := rand.New(rand.NewPCG(seed, 24))
		cores := 2
		p := oneSource(t, seed, 3, cores)
		for k := range p.Figures {
			if seed%2 == 0 { // no accelerators
				p.Figures[k][cores].Available = false
			}
		}
		scorer, err := flow.NewScorer(p, mustWalk(t, p, rng))
		if err != nil {
			t.Fatal(err)
		}
		n := len(p.Figures)
		x := &copied{p: p, c: &flow.Constraints{Fixed: make([][]int, n), Forbidden: make([][]int, n)},
			works: scorer.LoadCoefficients(0), copyable: make([]bool, n), load: make([][]float64, n)}
		for k := range n {
			x.load[k], x.copyable[k] = make([]float64, cores+1), rng.IntN(3) > 0
		}
		if rng.IntN(2) == 0 {
			x.c.Forbidden[rng.IntN(n)] = []int{rng.IntN(cores)}
		}
		x.place(0, true)
		bound, err := CopiesBound(context.Background(), p, x.c, x.copyable, x.best)
		if err != nil {
			t.Fatal(err)
		}
		drawn++
		if bound < x.best*(1-1e-9) {
			t.Errorf("seed %d: a bound of %g, and a placement with copies has %g", seed, bound, x.best)
		}
		if x.best > x.single*(1+1e-6) {
			better++
		}
		if bound < x.best*(1+1e-6) {
			reached++
		}
		if seed%2 == 0 {
			all := &copyplan.Problem{Copyable: x.copyable}
			for k := range n {
				work := []float64{math.Inf(1), math.Inf(1)}
				for r := range cores {
					if x.may(k, r) {
						work[r], _ = x.works.Kernel(k, r)
					}
				}
				all.Work = append(all.Work, work)
			}
			if other := x.works.Throughput(all.Bound()); bound > other*(1+1e-9) {
				t.Errorf("seed %d: a bound of %g, and that of all cores together is %g", seed, bound, other)
			}
		}
	}
	t.Logf("%d drawn: %d better with copies, %d bounds reached", drawn, better, reached)
	if better < drawn/4 || reached < drawn/10 {
		t.Errorf("of %d, %d are better with copies, and %d bounds are reached: the test has lost its power", drawn,
			better, reached)
	}
}
