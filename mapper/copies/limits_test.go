package copies

import (
	"context"
	"errors"
	"testing"

	"xopt/mapper"
)

// TestLimitsWithCopies checks that copies are tried under a minimum throughput: if mappings without copies meet it, if
// only those with copies do, and if a bound on both proves that none does.
func TestLimitsWithCopies(t *testing.T) {
	d := load(t)
	search := func(minimum float64) (*mapper.Result, *Improved, error) {
		lowered := 0
		p := policy(&lowered, func() {})
		p.Goal.MinThroughput = minimum
		o := mapper.Options{Seed: 1, MaxEvals: 1000, Goal: p.Goal}
		found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, o)
		if err != nil {
			return MeetLimits(t.Context(), d, o, p, err)
		}
		x, err := Improve(t.Context(), d, found, p)
		return found, x, err
	}
	for minimum, needed := range map[float64]bool{5e6: false, 15e6: true} {
		found, x, err := search(minimum)
		if err != nil || x.Alone == nil || x.Alone.Needed != needed || found.Candidates[0].Throughput < 15e6 {
			t.Errorf("at least %g B/s: %+v, %+v, %v; want copies, needed: %v", minimum, found, x, err, needed)
		}
	}
	_, _, err := search(100e6)
	var none *mapper.NoMappingError
	if !errors.As(err, &none) || !none.Proven || none.Bound < 20e6 ||
		!(none.AloneBound > 9e6 && none.AloneBound <= 10e6) {
		t.Errorf("at least 100 MB/s: %#v, want a proof with both bounds", err)
	}
}

// TestRankAfterSignal checks that candidates are neither compared nor prepared after a signal.
func TestRankAfterSignal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found := &mapper.Result{Candidates: []mapper.Candidate{{Throughput: 3}, {Throughput: 2}, {Throughput: 1}}}
	x := &Improved{} // preparing a comparison would need a design
	if c, sized := x.Rank(ctx, found, 2, 1); c != nil || sized != nil || len(found.Candidates) != 2 {
		t.Errorf("%v, %v, %d candidates; want the first 2 alone", c, sized, len(found.Candidates))
	}
}

// TestWithoutCopies checks that a search whose objective does not support copies says so in its result.
func TestWithoutCopies(t *testing.T) {
	d, lowered := load(t), 0
	p := policy(&lowered, func() {})
	p.Goal.Objectives = []mapper.Objective{mapper.Latency}
	found, err := mapper.Search(t.Context(), d.Problem, d.Constraints, mapper.Options{Seed: 1, MaxEvals: 1000,
		Goal: p.Goal})
	if err != nil {
		t.Fatal(err)
	}
	x, err := Improve(t.Context(), d, found, p)
	if err != nil || x.Tried || !found.WithoutCopies {
		t.Errorf("%+v, %v, without copies: %v; want no copies, recorded", x, err, found.WithoutCopies)
	}
}
