package mapper

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"xopt/flow"
	"xopt/internal/testkit"
	"xopt/mapper/cutbound"
)

// cutProblem draws a problem whose links may limit, with all features of the language.
func cutProblem(t *testing.T, rng *rand.Rand, seed uint64, kernels, cores int) (*flow.Problem, *flow.Constraints) {
	p := oneSource(t, seed, kernels, cores)
	return p, withFeatures(rng, p, cores)
}

// withFeatures adds slow links with transfer costs, bulk or equal sharing, in one or two directions; unequal cores;
// and FPGAs with two kinds of area. It returns constraints.
func withFeatures(rng *rand.Rand, p *flow.Problem, cores int) *flow.Constraints {
	varied(rng, p)
	arch := &p.Architecture
	for r := range arch.Resources {
		speed := math.Exp(rng.NormFloat64() * float64(rng.IntN(2)))
		for k := range p.Figures {
			f := &p.Figures[k][r]
			if f.ServiceRate *= speed; r == cores {
				f.Area[flow.FF] = float64(rng.IntN(60))
			}
		}
	}
	arch.Resources[cores].Area[flow.FF] = 90
	slower := math.Exp(-4 * rng.Float64())
	for l := range arch.Links {
		link := &arch.Links[l]
		link.Bandwidth *= slower
		if rng.IntN(3) == 0 {
			link.Sharing = flow.Sharing{Rule: flow.Bulk, TransferCost: 1e-6 * rng.Float64(), TransferBytes: 256}
		}
	}
	switch rng.IntN(4) {
	case 0: // one bus only
		arch.Links = arch.Links[:1]
	case 1: // two directions
		there, back := arch.Links[0], arch.Links[0]
		there.Name, back.Name, there.Declared, back.Declared = "bus>", "bus<", "bus", "bus"
		for _, r := range there.Endpoints {
			if r < cores {
				there.From, back.To = append(there.From, r), append(back.To, r)
			} else {
				there.To, back.From = append(there.To, r), append(back.From, r)
			}
		}
		arch.Links = []flow.Link{there, back}
	case 2: // another FPGA
		arch.Resources = append(arch.Resources, arch.Resources[cores])
		arch.Resources[cores+1].Name = "other"
		for k := range p.Figures {
			p.Figures[k] = append(p.Figures[k], p.Figures[k][cores])
		}
		arch.Links[0].Endpoints = append(slices.Clone(arch.Links[0].Endpoints), cores+1)
	}
	return randomConstraints(rng, p)
}

// cutSearch runs the cut bound of a problem to its end or a work limit, in parts of the load of a throughput; nil if
// there is no bound.
func cutSearch(t *testing.T, p *flow.Problem, c *flow.Constraints, best float64,
	maximum uint64) (*cutbound.Problem, *cutbound.Search) {
	t.Helper()
	s, err := newSpace(p, c)
	if err != nil {
		t.Fatal(err)
	}
	scorer, err := flow.NewScorer(p, mustWalk(t, p, rand.New(rand.NewPCG(1, 1))))
	if err != nil {
		t.Fatal(err)
	}
	works := scorer.LoadCoefficients(0)
	r, ok := newRelaxation(s, works)
	if !ok {
		return nil, nil
	}
	problem, _ := newCutProblem(s, onlyMix(works), r, works.Load(best))
	if problem == nil {
		return nil, nil
	}
	search := cutbound.New(problem, 0, 2*cutbound.One)
	search.Record = true
	for !search.Done() && search.Work < maximum {
		search.Step(context.Background())
	}
	return problem, search
}

// neverWrong compares the cut bound, its certificates and its input with the best of all mappings.
func neverWrong(t *testing.T, from, to uint64, kernels int) {
	drawn, gains := 0, 0
	var lows []float64
	for seed := from; seed < to; seed++ {
		rng := rand.New(rand.NewPCG(seed, 27))
		p, c := cutProblem(t, rng, seed, 4+rng.IntN(kernels-3), 2+rng.IntN(2))
		r, err := Search(context.Background(), p, c, Options{Method: Exhaustive})
		if err != nil {
			continue // the constraints exclude everything
		}
		best := r.Candidates[0].Throughput
		if seed%8 == 0 && len(p.Application.Kernels) < 6 {
			if truth := bruteForce(p, c); math.Abs(truth-best) > 1e-9*truth {
				t.Fatalf("seed %d: the best is %g, not %g", seed, truth, best)
			}
		}
		problem, search := cutSearch(t, p, c, best, 3_000_000_000)
		if problem == nil {
			continue
		}
		drawn++
		low := float64(search.State().Low) / cutbound.One
		if low > 1+1e-9 {
			t.Fatalf("seed %d: no mapping is said to reach %g of the best throughput, and one does", seed, 1/low)
		}
		if lows = append(lows, low); low > 0.9 {
			gains++
		}
		if search.Certificate != nil {
			if why := checkCertificate(problem, search.Certificate); why != "" {
				t.Fatalf("seed %d: the certificate does not hold: %s", seed, why)
			}
			if search.Certificate.Target != search.State().Low {
				t.Fatalf("seed %d: the certificate is for another target", seed)
			}
		}
		if why := checkNumbers(p, c, problem, best); why != "" {
			t.Fatalf("seed %d: %s", seed, why)
		}
	}
	slices.Sort(lows)
	if drawn < int(to-from)/2 || gains < drawn/10 {
		t.Errorf("%d drawn, %d within 10 %%: the test has lost its power", drawn, gains)
	}
	t.Logf("%d drawn; bound over the best: %.3f median, %d within 10 %%", drawn, lows[len(lows)/2], gains)
}

// TestCutNeverWrong uses small problems with all features of the language.
func TestCutNeverWrong(t *testing.T) { neverWrong(t, 0, 150, 6) }

// TestCutNeverWrongLong uses 3,000 problems of up to 8 kernels.
func TestCutNeverWrongLong(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "3,000 problems, each by trying every mapping")
	neverWrong(t, 1000, 4000, 8)
}

// busProblem draws kernels on equal cores and an FPGA, with one bus that is so slow that it is the bottleneck.
func busProblem(t testing.TB, seed uint64, kernels, cores int) *flow.Problem {
	p := balanced(t, seed, kernels, cores)
	p.Architecture.Links = p.Architecture.Links[:1]
	f, err := flow.NewFlows(&p.Application, 0)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for e := range p.Application.Edges {
		sum += f.Edge(e)[0]
	}
	work := 0.0
	for k := range p.Figures {
		work += f.Arrival(k)[0] / p.Figures[k][0].ServiceRate
	}
	p.Architecture.Links[0].Bandwidth = sum / (12 * work / float64(cores)) // a twelfth of the bytes may cross, about
	return p
}

// TestCutBound checks with a limiting bus that the bound is closer than that of branch and bound alone and the same
// in every run, and that no mapping found exceeds it.
func TestCutBound(t *testing.T) {
	nearer := 0
	for seed := range seeds(3) {
		p := busProblem(t, seed, 26, 5)
		find := func(threads, nodes int) *Result {
			r, err := Search(context.Background(), p, nil, Options{Method: Anneal, MaxEvals: 60_000, Threads: threads,
				Seed: seed, ProofNodes: nodes})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		before, one, two := find(1, 10_000), find(1, cutAfter+1_000_000), find(1, cutAfter+1_000_000)
		if one.Bound != two.Bound || one.ProofNodes != two.ProofNodes {
			t.Errorf("seed %d: a bound of %g after %d nodes, and again %g after %d", seed, one.Bound, one.ProofNodes,
				two.Bound, two.ProofNodes)
		}
		best := math.Max(find(2, 10_000).Candidates[0].Throughput, one.Candidates[0].Throughput)
		if one.Bound < best*(1-1e-9) {
			t.Errorf("seed %d: a bound of %g, and a mapping has %g", seed, one.Bound, best)
		}
		if one.Bound < 0.95*before.Bound {
			nearer++
		}
		t.Logf("seed %d: a gap of %.1f %%, and %.1f %% before", seed, 100*(one.Bound/best-1), 100*(before.Bound/best-1))
	}
	if nearer < int(seeds(2)) {
		t.Errorf("the bound is nearer for %d only", nearer)
	}
}

// TestCutResume checks that an interrupted and resumed proof ends like an uninterrupted one.
func TestCutResume(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "branch and bound begins anew")
	p := busProblem(t, 1, 26, 5)
	o := Options{Method: Exact, Seed: 1, MaxEvals: 3*cutAfter + minCutEvals}
	want, err := Search(context.Background(), p, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, looks := range []int64{60_000, 700_000} {
		if why := unlike(timeless(interrupted(t, p, o, looks)), timeless(want)); why != "" {
			t.Errorf("interrupted after %d looks: %s", looks, why)
		}
	}
}

// TestGap checks that a search ends at the requested gap, and that otherwise its proof continues while there is time.
func TestGap(t *testing.T) {
	p := busProblem(t, 1, 24, 5)
	methods := []Method{Anneal}
	if !testing.Short() {
		methods = append(methods, Mixed, Exact)
	}
	for _, method := range methods {
		for _, gap := range []float64{0.1, 0} {
			r, err := Search(context.Background(), p, nil, Options{Method: method, MaxEvals: 100_000_000, Threads: 2,
				Seed: 1, Gap: gap})
			if err != nil {
				t.Fatal(err)
			}
			if best := r.Candidates[0].Throughput; gap > 0 && (r.Status != GapReached && r.Status != Proven ||
				r.Bound > best*(1+gap)) || gap == 0 && r.Status != Proven {
				t.Errorf("%s, %g asked for: %s at a gap of %g", method, gap, r.Status, r.Bound/best-1)
			}
			best := r.Candidates[0].Throughput
			proven := math.Max(r.Bound, best*(1+gap)) * (1 + 1e-6)
			if c := r.Certificate; c == nil || float64(c.Throughput) < best || float64(c.Throughput) > proven {
				t.Errorf("%s: the bound is %g, the certificate is %+v", method, r.Bound, r.Certificate)
			} else if why := checkCertificate(r.Certificate.Problem, r.Certificate.Proof); why != "" {
				t.Errorf("%s: the certificate does not hold: %s", method, why)
			}
		}
	}
}

// keepsLimits searches with limits on evaluations, and reports those that were exceeded.
func keepsLimits(t *testing.T, methods []Method, limits ...uint64) {
	t.Helper()
	p := busProblem(t, 1, 40, 8)
	for _, method := range methods {
		for _, limit := range limits {
			r, err := Search(context.Background(), p, nil, Options{Method: method, MaxEvals: limit, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if done := r.Evals + r.ProofNodes; done > limit {
				t.Errorf("%s: %d evaluations, and %d were allowed", method, done, limit)
			}
		}
	}
}

// TestCutLimits checks that a search stays within its limit of evaluations, and that it ends at the first check after
// its context ended.
func TestCutLimits(t *testing.T) {
	keepsLimits(t, []Method{Exact, Mixed, Anneal}, 1000, cutAfter/2)
	p := busProblem(t, 1, 40, 8)
	const looks, late = 100, 100
	for _, method := range []Method{Exact, Mixed, Anneal} {
		ctx := testkit.NewCountdown(t, looks)
		r, err := Search(ctx, p, nil, Options{Method: method, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d evaluations, %d looks late", method, r.Evals+r.ProofNodes, ctx.Late())
		if done := r.Evals + r.ProofNodes; done > (looks+late)*reportEvery || ctx.Late() > late {
			t.Errorf("%s: %d evaluations in %d looks, and %d looks after the end", method, done, looks, ctx.Late())
		}
	}
}

// TestCutLimitsLong checks the same with enough evaluations for one step of the cut bound, and for more.
func TestCutLimitsLong(t *testing.T) {
	testkit.Long(t, "branch and bound has to come to the cut bound")
	keepsLimits(t, []Method{Exact, Mixed, Anneal}, cutAfter+10_000, cutAfter+minCutEvals+500_000)
	keepsLimits(t, []Method{Exact}, cutAfter+2*minCutEvals)
}
