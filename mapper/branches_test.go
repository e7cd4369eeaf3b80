package mapper

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"xopt/flow"
)

// sharedOut proves by rounds of so many shares of so many partial mappings. Where broken is set, the exploring of each
// share is broken off again and again, and goes on from what a file would hold. It returns nil where the beginning
// was enough.
func sharedOut(t *testing.T, p *flow.Problem, first uint64, shares int, nodes uint64, broken bool) (*Result, int) {
	t.Helper()
	r, begun, err := BeginBranches(context.Background(), p, nil, Options{Seed: 1, MaxEvals: first})
	if err != nil {
		t.Fatal(err)
	}
	if begun == nil {
		return nil, 0
	}
	return roundsOf(t, p, r, begun, shares, nodes, 1000, broken)
}

// roundsOf goes on from a beginning, for so many rounds at the most.
func roundsOf(t *testing.T, p *flow.Problem, r *Result, begun *Branches, shares int, nodes uint64, most int,
	broken bool) (*Result, int) {
	t.Helper()
	left := []*Branches{begun}
	var evals, looked uint64
	for round := 1; ; round++ {
		next := make([]*Branches, shares)
		open := 0
		for i := range next {
			b, err := Deal(p, nil, through(t, left), i, shares)
			if err != nil {
				t.Fatal(err)
			}
			for exploring := true; exploring; {
				ctx, cancel := context.WithCancel(context.Background())
				var kept *Branches
				var keep func(*Branches)
				if broken {
					keep = func(b *Branches) { kept = through(t, []*Branches{b})[0]; cancel() }
				}
				if err := b.Explore(ctx, p, nil, nodes, 0, keep); err != nil {
					t.Fatal(err)
				}
				if exploring = kept != nil; exploring {
					b = kept
				}
				cancel()
			}
			next[i] = b
			open, evals, looked = open+len(b.Open), evals+b.Evals, looked+b.Nodes
		}
		if left = next; open == 0 || round == most {
			if err := EndBranches(p, nil, r, left, evals, looked); err != nil {
				t.Fatal(err)
			}
			return r, round
		}
	}
}

// through is what a file would hold of shares.
func through(t *testing.T, list []*Branches) []*Branches {
	t.Helper()
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var read []*Branches
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// TestBranches holds branch and bound in shares against that of one chain: the same optimum, proven, whatever the
// number of shares; and the same result to the last bit where the exploring is broken off.
func TestBranches(t *testing.T) {
	t.Parallel()
	rounds, proven, cases := 0, 0, 0
	for _, draw := range []struct {
		seed           uint64
		kernels, cores int
		several        bool // free sources
	}{{56, 14, 4, false}, {6, 12, 3, true}, {41, 20, 5, false}, {47, 14, 4, false}, {9, 20, 5, false},
		{38, 20, 5, false}, {35, 26, 6, false}, {2, 12, 3, true}} {
		if testing.Short() && rounds > 0 && !draw.several {
			break
		}
		seed := draw.seed
		p := oneSource(t, seed, draw.kernels, draw.cores)
		if draw.several {
			p = severalSources(t, rand.New(rand.NewPCG(seed, 5)), draw.kernels, draw.cores)
		}
		varied(rand.New(rand.NewPCG(seed, 7)), p)
		want, err := Search(context.Background(), p, nil, Options{Method: Exact, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, shares := range []int{1, 3, 8} {
			got, n := sharedOut(t, p, 2000, shares, 300, false)
			if got == nil {
				continue
			}
			rounds += n
			cases++
			a, b := got.Candidates[0].Throughput, want.Candidates[0].Throughput
			switch { // one of them may come to a placement with too many ways to route its edges, and the other not
			case math.Abs(a-b) > 1e-9*b, got.Status != Proven && got.Status != Converged, got.Bound < a,
				got.Status == Proven && got.Bound > a*(1+3e-6):
				t.Errorf("seed %d, %d shares: %g (%s, bound %g), want %g (%s)", seed, shares, a, got.Status, got.Bound,
					b, want.Status)
			case got.Status == Proven:
				proven++
			}
			again, _ := sharedOut(t, p, 2000, shares, 300, true)
			if a, b := timeless(got), timeless(again); !reflect.DeepEqual(a, b) {
				t.Errorf("seed %d, %d shares, broken off: %s", seed, shares, unlike(b, a))
			}
		}
	}
	if rounds < 60 && !testing.Short() || rounds == 0 || 2*proven < cases {
		t.Errorf("%d rounds were needed, and %d of %d cases proven: the test has lost its power", rounds, proven, cases)
	}
}

// TestBranchesCut: where a bus decides, shares of which one goes on with the bound of links prove, or come nearer, in
// rounds in which branch and bound alone does not; their bound is never below a mapping that either has found.
func TestBranchesCut(t *testing.T) {
	t.Parallel()
	proven := 0
	list := []uint64{4, 2, 3}
	if testing.Short() {
		list = list[:1]
	}
	for _, seed := range list {
		p := busProblem(t, seed, 30, 4)
		find := func(cut, broken bool) *Result {
			r, begun, err := BeginBranches(context.Background(), p, nil, Options{Seed: 1, MaxEvals: 20_000})
			if err != nil || begun == nil {
				t.Fatal(err, begun)
			}
			if begun.Cut == nil {
				t.Fatal("the beginning leaves no bound of links")
			}
			if !cut {
				begun.Cut = nil
			}
			r, _ = roundsOf(t, p, r, begun, 2, 100_000, 10, broken)
			return r
		}
		with, without := find(true, false), find(false, false)
		best := max(with.Candidates[0].Throughput, without.Candidates[0].Throughput)
		t.Logf("seed %d: %g of %g with the bound of links, %g of %g without", seed, with.Candidates[0].Throughput,
			with.Bound, without.Candidates[0].Throughput, without.Bound)
		if with.Bound < best*(1-1e-9) || without.Bound < best*(1-1e-9) {
			t.Errorf("seed %d: bounds of %g and %g, and a mapping has %g", seed, with.Bound, without.Bound, best)
		}
		if with.Bound > 0.95*without.Bound {
			t.Errorf("seed %d: a bound of %g, and without that of links %g", seed, with.Bound, without.Bound)
		}
		if with.Status == Proven {
			proven++
		}
		if seed == list[0] && !testing.Short() {
			if again := find(true, true); !reflect.DeepEqual(timeless(with), timeless(again)) {
				t.Errorf("seed %d, broken off: %s", seed, unlike(timeless(again), timeless(with)))
			}
		}
	}
	if proven == 0 {
		t.Error("none was proven")
	}
}

// TestBranchesRefused holds back shares that are not of a problem.
func TestBranchesRefused(t *testing.T) {
	p := oneSource(t, 4, 40, 8)
	_, begun, err := BeginBranches(context.Background(), p, nil, Options{Seed: 1, MaxEvals: 30_000})
	if err != nil || begun == nil {
		t.Fatalf("begun %v, error %v", begun, err)
	}
	for name, change := range map[string]func(*Branches){
		"a resource":   func(b *Branches) { b.Open[0][0] = 99 },
		"too many":     func(b *Branches) { b.Open[0] = make([]int, 41) },
		"none":         func(b *Branches) { b.Open[0] = nil },
		"multipliers":  func(b *Branches) { b.Time = b.Time[1:] },
		"a throughput": func(b *Branches) { b.Best.Throughput *= 2 },
	} {
		b := through(t, []*Branches{begun})[0]
		change(b)
		var wrong *StateError
		if err := b.Explore(context.Background(), p, nil, 100, 0, nil); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
