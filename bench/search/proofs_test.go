package search

import (
	"context"
	"testing"
	"time"
)

// TestProofs checks that small problems of every kind are proven and listed by group, and that the summaries match the
// cases.
func TestProofs(t *testing.T) {
	cases, err := ProofCases(ProofKinds(), []int{6, 7}, 2)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	rows, err := Proofs(context.Background(), cases, ProofOptions{Time: time.Hour, Threads: 1,
		Progress: func(done, all int) {
			if done != calls || all != len(cases) {
				t.Errorf("%d of %d, want %d of %d", done, all, calls, len(cases))
			}
			calls++
		}})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2*len(ProofKinds()) || calls != len(cases) {
		t.Fatalf("%d rows of %d cases", len(rows), calls)
	}
	for _, r := range rows {
		if len(r.Cases) != 2 || r.Proven != 2 || r.WorstGap > 1e-5 || !(r.Seconds > 0) || r.WorstSeconds < r.Seconds {
			t.Errorf("%+v", r)
		}
	}
	if _, err := ProofCases([]string{"rings"}, []int{6}, 1); err == nil {
		t.Error("a kind that there is not is drawn")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Proofs(ctx, cases, ProofOptions{Time: time.Hour}); err == nil {
		t.Error("nothing says that it was cancelled")
	}
}

// TestProofRow checks the medians and worst values of cases.
func TestProofRow(t *testing.T) {
	r := ProofRow{Cases: []Proof{{Gap: .3, Seconds: 5}, {Gap: 0, Proven: true, Seconds: 1}, {Gap: .1, Seconds: 9}}}
	if r.sum(); r.Proven != 1 || r.Gap != .1 || r.WorstGap != .3 || r.Seconds != 5 || r.WorstSeconds != 9 {
		t.Errorf("%+v", r)
	}
}
