package arena

import (
	"context"
	"testing"
	"time"

	"xopt/internal/testkit"
)

// twelve returns 12 instances with chains, copies, cycles, buses and accelerators.
func twelve(t *testing.T) []Instance {
	t.Helper()
	names := map[string][]string{
		"dvbs2-amp":  {"dvbs2-m1-16B4L", "dvbs2-m1-8B2L", "dvbs2-u9-6B8L", "dvbs2-u9-3B4L"},
		"amp-chains": {"chain-0-0.2-16B4L", "chain-3-0.5-10B10L", "chain-7-0.8-4B16L"},
		"csdf-tue":   {"tue-satellite-8b4l", "tue-mp3playback-2c1a"},
		"farsi":      {"farsi-audio-decoder-2c1a"},
		"dagbench":   {"classic.gauss-elim-5", "synthetic.random-small-wide"},
	}
	var list []Instance
	for set, wanted := range names {
		for _, name := range wanted {
			list = append(list, load(t, set, name)...)
		}
	}
	if len(list) != 12 {
		t.Fatalf("%d instances, expected 12", len(list))
	}
	return list
}

// On 12 instances, the search is never worse than the published period by more than 0.5 %, bounds are below the found
// periods, and X files and the cost model give equal periods (Compare checks the last two).
func TestTwelve(t *testing.T) {
	testkit.Long(t, "it searches for seconds")
	rows, err := Compare(context.Background(), twelve(t), &Options{SearchOptions: SearchOptions{Time: 4 * time.Second,
		Threads: 2, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	copied := 0
	for i := range rows {
		r := &rows[i]
		if r.Published > 0 && r.Period > 1.005*r.Published {
			t.Errorf("%s: period %g s, published %g s", r.Name, r.Period, r.Published)
		}
		if r.Bound > r.Period*(1+1e-9) || r.Bound <= 0 {
			t.Errorf("%s: bound %g s, period %g s", r.Name, r.Bound, r.Period)
		}
		if r.Published > 0 && r.Period < r.Published*(1-1e-3) {
			copied++ // only possible with copies that are not contiguous
		}
	}
	if copied == 0 {
		t.Error("no published period of contiguous stages is improved")
	}
}

// X files and the cost model give equal periods with copies on two kinds of cores, with a bus, and with a limit of the
// cycles. Placements that break the model's rules are errors.
func TestEqualScores(t *testing.T) {
	list := twelve(t)
	list = append(list, load(t, "amp-chains", "chain-0-0.5-16B4L")...) // its source is copied
	for n := range list {
		if i := &list[n]; len(i.Problem.Tasks) <= 23 {
			f, err := i.Search(context.Background(), SearchOptions{Time: 100 * time.Millisecond, Threads: 1, Seed: 1})
			if err != nil {
				t.Error(err)
				continue
			}
			if got := i.Problem.Period(f.Placement); !near(got, f.Period) {
				t.Errorf("%s: period %g s in the arena, %g s in X", i.Problem.Name, got, f.Period)
			}
			if _, err := i.row(f); err != nil {
				t.Error(err)
			}
			f.Placement[0] = []Share{{Core: 0, Part: 0.5}}
			if _, err := i.row(f); err == nil {
				t.Errorf("%s: half a task was accepted", i.Problem.Name)
			}
		}
	}
}

// A row names the winner: the method with the smaller period, or none if they differ by less than Tie.
func TestWinner(t *testing.T) {
	for want, period := range map[string]float64{"xopt": 1.1, "equal": 1 + Tie/2, "milp": 0.9} {
		r := Row{Period: 1, Scores: []Score{{Method: "lpt", Period: 2}, {Method: "milp", Period: period},
			{Method: "herad"}}}
		if got := r.Winner(); got != want {
			t.Errorf("period %g: winner %q, expected %q", period, got, want)
		}
	}
	if got := (&Row{Period: 1, Scores: []Score{{Method: "herad"}}}).Winner(); got != "" {
		t.Errorf("winner %q without a result, expected none", got)
	}
}
