package mapper

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"xopt/flow"
)

// islands searches by islands in rounds. looks > 0 interrupts each round after so many looks at the context, again and
// again.
func islands(t *testing.T, p *flow.Problem, n, rounds int, each uint64, looks int64) *Result {
	t.Helper()
	states := make([]*State, n)
	best := make([]StateMapping, n)
	last := make([]*Result, n)
	for round := 1; round <= rounds; round++ {
		before := append([]StateMapping(nil), best...)
		for i := range n {
			o := Options{Method: Mixed, Seed: uint64(i + 1), MaxEvals: uint64(round) * each, Resume: states[i]}
			if i > 0 {
				o.ProofNodes = -1
			}
			for j := range before {
				if j != i && round > 1 {
					o.Others = append(o.Others, before[j])
				}
			}
			last[i], states[i] = wholeRound(t, p, o, looks)
			best[i] = last[i].Candidates[0].Kept()
		}
	}
	return Merge(last, 5)
}

// wholeRound searches to the end of a round, whatever interrupts it.
func wholeRound(t *testing.T, p *flow.Problem, o Options, looks int64) (*Result, *State) {
	t.Helper()
	for {
		var text []byte
		o.Checkpoint = func(s *State) {
			var err error
			if text, err = json.Marshal(s); err != nil {
				t.Fatal(err)
			}
		}
		ctx := context.Background()
		if looks > 0 {
			ctx = newCountdown(looks)
		}
		r, err := Search(ctx, p, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Resume = new(State)
		if err := json.Unmarshal(text, o.Resume); err != nil {
			t.Fatal(err)
		}
		if r.Status != Interrupted {
			return r, o.Resume
		}
		looks += 5 // a mark may be further away
	}
}

// TestIslands: the same seeds and number of islands give the same result, however often a round is interrupted; what
// one of them finds the others learn, and together they find no less than the first alone.
func TestIslands(t *testing.T) {
	p := oneSource(t, 4, 40, 8)
	want := islands(t, p, 3, 4, 60_000, 0)
	got := islands(t, p, 3, 4, 60_000, 20)
	if a, b := timeless(want), timeless(got); !reflect.DeepEqual(a, b) {
		t.Errorf("interrupted: %s", unlike(b, a))
	}
	alone, err := Search(context.Background(), p, nil, Options{Method: Mixed, Seed: 1, MaxEvals: 60_000})
	if err != nil {
		t.Fatal(err)
	}
	if want.Candidates[0].Throughput < alone.Candidates[0].Throughput*(1-1e-12) ||
		want.Evals+want.ProofNodes < 600_000 {
		t.Errorf("%g by %d evaluations, %g alone", want.Candidates[0].Throughput, want.Evals,
			alone.Candidates[0].Throughput)
	}
	// A search that hears of a better mapping than it finds goes on from there.
	o := Options{Method: Mixed, Seed: 9, MaxEvals: 20_000, ProofNodes: -1}
	deaf, err := Search(context.Background(), p, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Others = []StateMapping{want.Candidates[0].Kept()}
	heard, err := Search(context.Background(), p, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := deaf.Candidates[0].Throughput, want.Candidates[0].Throughput; !(a < b) ||
		heard.Candidates[0].Throughput < b {
		t.Errorf("%g without hearing of %g, %g with", a, b, heard.Candidates[0].Throughput)
	}
	o.Others[0].Throughput *= 2
	if _, err := Search(context.Background(), p, nil, o); err == nil {
		t.Error("a mapping of another problem was taken")
	}
}
