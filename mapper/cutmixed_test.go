package mapper

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/internal/testkit"
	"xopt/mapper/cutbound"
)

// TestHalves checks that the halves of a range of shares cover it, and overlap only at their border.
func TestHalves(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for sources := 2; sources <= 4; sources++ {
		corners := allShares(sources)
		for range 16 {
			a, b := halves(corners)
			for range 20 { // a point by its weights on the corners
				weights, sum := make([]float64, sources), 0.0
				for i := range weights {
					weights[i] = rng.ExpFloat64()
					sum += weights[i]
				}
				point := make([]float64, sources)
				for i, corner := range corners {
					for f, x := range corner {
						point[f] += weights[i] / sum * x
					}
				}
				in := 0
				for _, half := range [][][]float64{a, b} {
					if contains(half, point) {
						in++
					}
				}
				if in != 1 {
					t.Fatalf("%v is in %d halves of %v: %v and %v", point, in, corners, a, b)
				}
			}
			if corners = a; rng.IntN(2) == 0 {
				corners = b
			}
			for _, corner := range corners {
				sum := 0.0
				for _, x := range corner {
					sum += x
				}
				if sum != 1 {
					t.Fatalf("the shares of a corner add up to %.17g", sum)
				}
			}
		}
	}
}

// contains reports whether a simplex contains a point: its weights on the corners, computed by Gaussian elimination,
// are not negative.
func contains(corners [][]float64, point []float64) bool {
	n := len(corners)
	rows := make([][]float64, n)
	for f := range rows {
		for i := range corners {
			rows[f] = append(rows[f], corners[i][f])
		}
		rows[f] = append(rows[f], point[f])
	}
	for i := range n {
		pivot := i
		for f := i; f < n; f++ {
			if math.Abs(rows[f][i]) > math.Abs(rows[pivot][i]) {
				pivot = f
			}
		}
		rows[i], rows[pivot] = rows[pivot], rows[i]
		for f := range n {
			if f == i {
				continue
			}
			factor := rows[f][i] / rows[i][i]
			for j := i; j <= n; j++ {
				rows[f][j] -= factor * rows[i][j]
			}
		}
	}
	for i := range n {
		if rows[i][n]/rows[i][i] < -1e-9 {
			return false
		}
	}
	return true
}

// rangesProof returns a proof for several sources with a known best mapping and the relaxation; nil if there is none.
func rangesProof(t *testing.T, p *flow.Problem, c *flow.Constraints, best Candidate) *proof {
	t.Helper()
	s, err := newSpace(p, c)
	if err != nil {
		t.Fatal(err)
	}
	flows, err := flow.NewFlows(&p.Application, p.JoinTolerance)
	if err != nil {
		t.Fatal(err)
	}
	scorer, err := flow.NewScorer(p, best.Mapping)
	if err != nil {
		t.Fatal(err)
	}
	pool, counted := newIncumbentPool(s, flows, &Goal{}, 1), tally{shared: &counters{}}
	pool.best = []Candidate{best}
	x := newProof(s, scorer, &pool, &counted, &Options{Threads: 1})
	if x.start(context.Background()); x.main == nil {
		return nil
	}
	return x
}

// exclude runs the cut bound of several sources to its end or a work limit, without other bounds.
func (p *proof) exclude(t *testing.T, maximum uint64) {
	t.Helper()
	for p.at.Low = 0; !p.at.Cut.Done && p.at.Cut.Work < maximum; p.at.Low = 0 {
		if !p.mixedStep(context.Background()) {
			t.Fatal("it ends, and nobody has ended it")
		}
	}
}

// rangesNeverWrong compares the cut bound of several sources with the best of all mappings, on small problems with
// all features of the language.
func rangesNeverWrong(t *testing.T, from, to uint64, kernels int, maximum uint64) {
	drawn, near, divided := 0, 0, 0
	var lows []float64
	for seed := from; seed < to; seed++ {
		rng := rand.New(rand.NewPCG(seed, 62))
		cores := 2 + rng.IntN(2)
		p := severalSources(t, rng, 4+rng.IntN(kernels-3), cores)
		c := withFeatures(rng, p, cores)
		all, err := Search(context.Background(), p, c, Options{Method: Exhaustive})
		if err != nil {
			continue // the constraints exclude everything
		}
		best := all.Candidates[0]
		x := rangesProof(t, p, c, best)
		if x == nil {
			continue
		}
		drawn++
		x.exclude(t, maximum)
		if got := x.pool.best[0].Throughput; got > best.Throughput*(1+1e-9) {
			t.Fatalf("seed %d: a mapping has %g, and trying all %g", seed, got, best.Throughput)
		}
		low := float64(x.at.Cut.State.Low) / cutbound.One
		if low > 1+1e-9 {
			t.Fatalf("seed %d: no mapping is said to reach %g of the best throughput, and one does", seed, 1/low)
		}
		if lows = append(lows, low); low > 0.9 {
			near++
		}
		if len(x.at.Cut.Ranges) > 1 {
			divided++
		}
	}
	slices.Sort(lows)
	if drawn < int(to-from)/4 || near < drawn/10 || divided < drawn/4 {
		t.Errorf("%d drawn, %d within 10 %%, %d with several ranges: the test has lost its power", drawn, near, divided)
		return
	}
	t.Logf("%d drawn; bound over the best: %.3f median, %d within 10 %%, %d with several ranges", drawn,
		lows[len(lows)/2], near, divided)
}

// TestRangesNeverWrong uses a few small problems.
func TestRangesNeverWrong(t *testing.T) { rangesNeverWrong(t, 0, 40, 6, 300_000_000) }

// TestRangesNeverWrongLong uses more problems, up to 7 kernels.
func TestRangesNeverWrongLong(t *testing.T) {
	testkit.Long(t, "300 problems, each by trying every mapping")
	rangesNeverWrong(t, 1000, 1300, 7, 600_000_000)
}

// busSources draws several sources on equal cores and an FPGA, with one bus that is so slow that it is the
// bottleneck.
func busSources(t testing.TB, seed uint64, kernels, cores int) *flow.Problem {
	p := severalSources(t, rand.New(rand.NewPCG(seed, 63)), kernels, cores)
	f, err := flow.NewFlows(&p.Application, 0)
	if err != nil {
		t.Fatal(err)
	}
	sum, work := 0.0, 0.0
	for e := range p.Application.Edges {
		for _, x := range f.Edge(e) {
			sum += math.Abs(x)
		}
	}
	for k := range p.Figures {
		for _, x := range f.Arrival(k) {
			work += math.Abs(x) / p.Figures[k][0].ServiceRate
		}
	}
	p.Architecture.Links = p.Architecture.Links[:1]
	p.Architecture.Links[0].Bandwidth = sum / (8 * work / float64(cores)) // an eighth of the bytes may cross, about
	return p
}

// TestRangesBound checks with several sources on a slow bus that the bound is closer than the relaxation's and the
// same in every run, and that no mapping found exceeds it. The remaining gap names the sources.
func TestRangesBound(t *testing.T) {
	nearer := 0
	for seed := range seeds(4) {
		p := busSources(t, seed, 18, 4)
		r, err := Search(context.Background(), p, nil, Options{Method: Anneal, MaxEvals: 200_000, Seed: seed,
			ProofNodes: 10})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Optimal() && !slices.ContainsFunc(r.Weak, func(text string) bool {
			return strings.HasPrefix(text, "the shares of the independent sources k0 and k")
		}) {
			t.Errorf("seed %d: the bound leaves out %q", seed, r.Weak)
		}
		best := r.Candidates[0]
		x, y := rangesProof(t, p, nil, best), rangesProof(t, p, nil, best)
		relaxed := float64(x.at.Low) / x.high()
		const maximum = 1_500_000_000
		x.exclude(t, maximum)
		y.exclude(t, maximum)
		if !reflect.DeepEqual(x.at.Cut, y.at.Cut) {
			t.Errorf("seed %d: two runs have come to %d and %d", seed, x.at.Cut.State.Low, y.at.Cut.State.Low)
		}
		found := x.pool.best[0].Throughput / best.Throughput
		low := float64(x.at.Cut.State.Low) / cutbound.One
		if low*found > 1+1e-9 {
			t.Errorf("seed %d: %g of the best load is excluded, and a mapping has %g of it", seed, low, 1/found)
		}
		if low > 1.05*relaxed || low > 1-1e-5 {
			nearer++
		}
		t.Logf("seed %d: %.4f of the best load is excluded, %.4f by the relaxation; %d ranges, done: %v", seed, low,
			relaxed, len(x.at.Cut.Ranges), x.at.Cut.Done)
	}
	if nearer < int(seeds(4))/2 {
		t.Errorf("the bound is nearer for %d only", nearer)
	}
}

// TestRangesResume interrupts a proof of several sources repeatedly, and resumes it from its serialized state. The
// result must be the same.
func TestRangesResume(t *testing.T) {
	p := busSources(t, 1, 14, 3)
	r, err := Search(context.Background(), p, nil, Options{Method: Anneal, MaxEvals: 100_000, Seed: 1, ProofNodes: -1})
	if err != nil {
		t.Fatal(err)
	}
	complete := rangesProof(t, p, nil, r.Candidates[0])
	again := rangesProof(t, p, nil, r.Candidates[0])
	steps := 0
	for ; !complete.at.Cut.Done && steps < 60; steps++ {
		complete.mixedStep(context.Background())
		if steps%7 == 6 {
			text, err := json.Marshal(again.course())
			if err != nil {
				t.Fatal(err)
			}
			course := new(proofCourse)
			if err := json.Unmarshal(text, course); err != nil {
				t.Fatal(err)
			}
			best := again.pool.best[0]
			if again = rangesProof(t, p, nil, best); !again.resume(course) {
				t.Fatal("a proof is not of its own problem")
			}
		}
		again.mixedStep(context.Background())
	}
	if len(complete.at.Cut.Ranges) < 3 || steps < 10 {
		t.Errorf("%d ranges after %d steps: the test has lost its power", len(complete.at.Cut.Ranges), steps)
	}
	text := func(p *proof) string {
		text, err := json.Marshal(p.course())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if a, b := text(complete), text(again); a != b {
		t.Errorf("after %d steps it is at %.2000s, and where it was interrupted at %.2000s", steps, a, b)
	}
	bad := *complete.course()
	bad.Cut.Ranges = []cutRange{{Corners: [][]float64{{1}}}}
	if rangesProof(t, p, nil, r.Candidates[0]).resume(&bad) {
		t.Error("ranges of one source are taken for those of several")
	}
}

// TestWeakNames checks that the parts that the bound ignores are listed with the names of their kernels, resources
// and links, and that absent features are not listed.
func TestWeakNames(t *testing.T) {
	weak := func(change func(p *flow.Problem)) []string {
		t.Helper()
		p := balanced(t, 3, 16, 5)
		p.Architecture.Links = p.Architecture.Links[:1]
		change(p)
		r, err := Search(context.Background(), p, nil, Options{Method: Anneal, MaxEvals: 3000, ProofNodes: 10, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if r.Optimal() {
			t.Fatal("it is proven: the test has lost its power")
		}
		return r.Weak
	}
	for _, c := range []struct {
		name   string
		change func(p *flow.Problem)
		want   []string
	}{
		{"nothing", func(p *flow.Problem) {}, nil},
		{"equal sharing", func(p *flow.Problem) {
			p.Architecture.Resources[1].Sharing.Rule = flow.Equal
			p.Architecture.Links[0].Sharing.Rule = flow.Equal
		}, []string{"equal sharing of r1 and bus ("}},
		{"ends", func(p *flow.Problem) {
			p.Figures[4][2].SendCost, p.Figures[7][0].ReceiveCost = 1e-9, 1e-9
		}, []string{"the costs of sending and receiving of k4 and k7"}},
		{"networks", func(p *flow.Problem) { p.Architecture.Links[0].Sends = flow.Work{PerByte: 1e-10} },
			[]string{"the processor time of cores for data over bus"}},
		{"co-location", func(p *flow.Problem) { p.Figures[5][1].CoLocationCost = 1e-9 },
			[]string{"the co-location and switching costs of k5"}},
		{"switches", func(p *flow.Problem) { p.Architecture.Resources[3].Sharing.SwitchCost = 1e-9 },
			[]string{"the switching cost of r3"}},
		{"routes", func(p *flow.Problem) {
			other := p.Architecture.Links[0]
			other.Name = "other"
			p.Architecture.Links = append(p.Architecture.Links, other)
		}, []string{"the choice of links for an edge, such as from r0 to r1 ("}},
	} {
		got := weak(c.change)
		if len(got) != len(c.want) {
			t.Errorf("%s: the bound leaves out %q, want %q", c.name, got, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("%s: the bound leaves out %q, want %q", c.name, got[i], want)
			}
		}
	}
}
