package report_test

import (
	"bytes"
	"strings"
	"testing"

	"xopt/cmd/faults"
	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/text"
	"xopt/mapper/result"
)

// raced returns the result of a search whose second candidate by prediction won a race of three mappings.
func raced() *result.Result {
	r := searched(80, 82)
	r.Search.Optimal, r.Search.Status, r.Search.Bound = false, "time limit", 82e6
	of := func(name string, candidate int, predicted result.Number, measured float64) result.ValidatedCase {
		return result.ValidatedCase{Name: name, Candidate: candidate, Predicted: predicted, Measured: measured,
			Runs: []float64{measured, measured}, Interval: &[2]float64{measured * .99, measured * 1.01}}
	}
	r.Validation = &result.Validation{Cases: []result.ValidatedCase{of("2", 1, 82e6, 70e6), of("1", 0, 80e6, 75e6),
		of("one core", -1, 50e6, 50e6)},
		Verdict: &result.Verdict{Fastest: 1, Runs: 6, Standings: []result.Standing{result.Slower, result.Fastest,
			result.Slower}},
		Race: &result.Race{Limit: 30, Seconds: 12, Rounds: 3, Winner: 1, Order: []int{1, 0, 2}, Alike: []int{1},
			Racers: []result.Racer{{Structure: "copies of top.a on 3 cores"}, {Structure: "2 cores"},
				{Structure: "1 core", Left: 2}}}}
	return r
}

// shortText returns the short answer of a result.
func shortText(t *testing.T, r *result.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := text.Write(&b, report.Short(r, nil), text.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRaceAnswer checks the first line and the table of a race, with a clear winner and with two that are alike.
func TestRaceAnswer(t *testing.T) {
	r := raced()
	r.Candidates[1].Robustness = &result.Robustness{Behind: .46,
		Decide: &result.Doubt{Block: "A", Platform: "C", Part: .8}}
	got := shortText(t, r)
	if strings.Contains(got, "of the draws") {
		t.Errorf("draws of the figures rank what ran:\n%s", got)
	}
	for _, want := range []string{"75 MB/s, measured", "74.2 to 75.8 MB/s", "predicted 80 MB/s",
		"fastest of 3 mappings",
		"the bound is 0 % above", "copies of top.a on 3 cores", "1 core"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if winner, other := strings.Index(got, "2 cores"), strings.Index(got, "copies of top.a"); winner > other {
		t.Errorf("the winner is not the first row:\n%s", got)
	}
	r.Validation.Race.Alike = []int{1, 0, 2}
	r.Validation.Verdict.Standings = make([]result.Standing, 3) // as if all intervals overlap
	got = shortText(t, r)
	if strings.Count(got, string(result.AmongFastest)) != 3 ||
		!strings.Contains(got, "cannot separate candidates 1, 2 and 1 other mapping") {
		t.Errorf("a tie is not reported:\n%s", got)
	}
}

// TestRaceUndecided checks that a race without a ranking leaves the prediction first and gives the reason.
func TestRaceUndecided(t *testing.T) {
	for why, want := range map[result.Unknown]string{result.MostDisturbed: "quiet machine",
		result.FewRounds: "only 1 round", result.NoneRan: "top.a crashed", result.MostUnsteady: "not steady"} {
		r := raced()
		x := r.Validation.Race
		x.Undecided, x.Winner, x.Rounds, x.Order, x.Alike = why, -1, 1, nil, nil
		if why == result.NoneRan {
			for i := range r.Validation.Cases {
				r.Validation.Cases[i] = result.ValidatedCase{Name: "a", Candidate: -1, Fail: "top.a crashed"}
			}
		}
		got := shortText(t, r)
		if !strings.Contains(got, want) || !strings.Contains(got, "80 MB/s") || strings.Contains(got, ", measured") {
			t.Errorf("%s: no %q in\n%s", why, want, got)
		}
		var b bytes.Buffer
		if err := report.Encoder(r)(&b); err != nil || !strings.Contains(b.String(), string(faults.RaceUndecided)) {
			t.Errorf("%s: error %v, or no finding", why, err)
		}
	}
}
