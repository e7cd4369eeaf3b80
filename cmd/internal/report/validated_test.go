package report

import (
	"slices"
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestRanBetter: a mapping that ran better than the first choice is the first thing to do, on page and terminal.
func TestRanBetter(t *testing.T) {
	cases := func(first, other float64, runs ...float64) *result.Result {
		r := wellResult()
		r.ProfileDisturbed = "busy"
		r.Validation = &result.Validation{Cases: []result.ValidatedCase{
			{Name: "best 1", Measured: first, Runs: []float64{first}, Predicted: 102e6},
			{Name: "random 1", Measured: other, Runs: append(runs, other), Predicted: 101e6, Candidate: -1}}}
		return r
	}
	unranked := cases(40e6, 100e6)
	unranked.Validation.Unranked = true
	failed := cases(40e6, 100e6)
	failed.Validation.Cases[0].Fail = "it crashed"
	other := cases(40e6, 100e6) // the order of the mappings changes nothing
	slices.Reverse(other.Validation.Cases)
	const worse = "random 1 ran at 100 MB/s, the first choice, best 1, at 40 MB/s"
	for _, x := range []struct {
		name     string
		r        *result.Result
		severity severity
		seen     string // first of the findings; "" for no such finding
	}{
		{"better", cases(40e6, 100e6), problem, worse},
		{"in another order", other, problem, worse},
		{"runs overlap", cases(40e6, 100e6, 30e6), caution, worse + "; their runs overlap: it may be chance"},
		{"worse", cases(100e6, 40e6), 0, ""},
		{"the same", cases(100e6, 100.5e6), 0, ""},
		{"no first choice", unranked, 0, ""},
		{"the first choice failed", failed, 0, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			regret := 0.6
			x.r.Validation.Summary.Regret = &regret
			page := guidance(x.r).Rows[0].Cells
			last := ""
			for _, part := range Validation(x.r) {
				if part.Lead != nil {
					last += part.Lead.Word + " " + part.Lead.Text + "\n"
				}
			}
			if x.seen == "" {
				if strings.Contains(page[1].Text, "first choice") || last != "" {
					t.Errorf("it tells %q and %q", page[1].Text, last)
				}
				return
			}
			if page[0].Text != x.severity.String() || page[1].Text != x.seen ||
				!strings.Contains(page[2].Text, "use random 1; its mapping") || page[3].Text != "+150 % measured" {
				t.Errorf("the page tells first %v", page)
			}
			const told = "To do use random 1: it ran at 100 MB/s, the first choice, best 1, at 40 MB/s"
			if !strings.HasPrefix(last, told) || !strings.Contains(last, "Regret 60 %: by how much") {
				t.Errorf("the terminal tells %q", last)
			}
		})
	}
}

// TestDisturbedRuns: an error beyond repeatability of runs beside which other programs were busy is told with that.
func TestDisturbedRuns(t *testing.T) {
	again := float64(0.01)
	r := wellResult()
	r.Validation = &result.Validation{Repeatability: &result.Repeatability{Spread: 0.01, Freedom: 3},
		Cases: []result.ValidatedCase{{Name: "best 1", Predicted: 100e6, Measured: 20e6,
			Runs: []float64{20e6, 20e6}, Repeats: &again, Significant: true, Disturbed: 2,
			Disturbance: "other processes used 1.60 processors meanwhile (make 1.60)"}}}
	if _, beyond := repeatWords(&r.Validation.Cases[0]); beyond != "disturbed" {
		t.Errorf("beyond: %s", beyond)
	}
	const want = "disturbed in 2 of 2 runs (other processes used 1.60 processors meanwhile (make 1.60))"
	if s := inDoubt(r); !strings.Contains(s, want) {
		t.Errorf("the headline says %q", s)
	}
	said := ""
	for _, p := range verdicts(r.Validation) {
		said += p.Text
	}
	if !strings.Contains(said, want) {
		t.Errorf("the verdict is %q", said)
	}
	// Older result files count the disturbed runs of a failed mapping, but do not contain its runs.
	cases := append(r.Validation.Cases, result.ValidatedCase{Name: "best 2", Fail: "it hung", Disturbed: 1})
	if disturbed, runs, _ := disturbedRuns(&result.Validation{Cases: cases}); disturbed != 2 || runs != 2 {
		t.Errorf("disturbed in %d of %d runs, want 2 of 2", disturbed, runs)
	}
}
