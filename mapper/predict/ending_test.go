package predict

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"xopt/internal/fault"
	"xopt/mapper/faults"
	"xopt/mapper/result"
)

// TestCauseOfEnd checks that a warning about a step that ended early names either a signal or the time, not both.
func TestCauseOfEnd(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	late, interrupted := (&Ending{Interrupted: t.Context()}).cause(), (&Ending{Interrupted: ended}).cause()
	if strings.Contains(late, "interrupted") || strings.Contains(interrupted, "time") {
		t.Errorf("after the time %q, after a signal %q", late, interrupted)
	}
}

// TestShown checks that candidates are omitted, with a note, if the time ended the check of their buffers, but not that
// of the first. A front and an interrupted search keep all, with a warning about unchecked sizes.
func TestShown(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, x := range []struct {
		checks      []check
		objectives  []string
		interrupted context.Context
		want        []int
		id          fault.ID
	}{
		{[]check{complete, complete, complete}, nil, t.Context(), []int{0, 1, 2}, ""},
		{[]check{complete, sizesChecked, complete, unchecked}, nil, t.Context(), []int{0, 2},
			faults.CandidatesOmitted},
		{[]check{sizesChecked, sizesChecked, unchecked}, nil, t.Context(), []int{0, 1}, faults.CandidatesOmitted},
		{[]check{unchecked, unchecked}, nil, t.Context(), []int{0, 1}, ""}, // the first has the warning
		{[]check{complete, unchecked}, []string{"throughput", "cores"}, t.Context(), []int{0, 1},
			faults.BuffersUnchecked},
		{[]check{complete, unchecked}, nil, ended, []int{0, 1}, faults.BuffersUnchecked},
	} {
		r := &result.Result{Search: &result.Search{Objectives: x.objectives}}
		e := &Ending{Interrupted: x.interrupted, checks: make(map[string]check)}
		for i, reached := range x.checks {
			r.Candidates = append(r.Candidates, result.Candidate{Name: fmt.Sprint(i + 1)})
			e.checks[r.Candidates[i].Name] = reached
		}
		got, notes := e.Shown(r), slices.Concat(r.Warnings, r.Notes)
		if !slices.Equal(got, x.want) {
			t.Errorf("%v: candidates %v are shown, want %v", x.checks, got, x.want)
		}
		if len(notes) > 1 || x.id == "" != (len(notes) == 0) || x.id != "" && notes[0].ID != x.id {
			t.Errorf("%v: notes %v, want %q", x.checks, notes, x.id)
		}
	}
}

// TestShownSorted checks that unranked candidates are sorted by their simulations if all have one, and that the note on
// omitted candidates has their highest flow bound.
func TestShownSorted(t *testing.T) {
	for _, x := range []struct {
		rates []float64 // with buffers in MB/s; 0 if not simulated
		want  []int
	}{
		{[]float64{4, 5, 4.5}, []int{1, 2, 0}},
		{[]float64{4.99, 5, 4.98}, []int{0, 1, 2}}, // within the tolerance
		{[]float64{4, 5, 0}, []int{0, 1, 2}},
	} {
		r := &result.Result{Search: &result.Search{}}
		e := &Ending{Interrupted: t.Context(), Unranked: true, Late: []float64{7e6, 6e6}}
		for i, rate := range x.rates {
			c := result.Candidate{Name: fmt.Sprint(i + 1), Throughput: 10e6}
			if rate > 0 {
				c.Limit(&result.WithBuffers{Throughput: result.Number(rate * 1e6)})
			}
			r.Candidates = append(r.Candidates, c)
		}
		if got := e.Shown(r); !slices.Equal(got, x.want) {
			t.Errorf("%v: order %v, want %v", x.rates, got, x.want)
		}
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0].Text, "2 of 5") ||
			!strings.Contains(r.Notes[0].Text, "7 MB/s") {
			t.Errorf("notes %v", r.Notes)
		}
	}
}

// TestUncheckedSizes checks that a map file names sizes that no simulation confirms.
func TestUncheckedSizes(t *testing.T) {
	levels := func(list ...string) *result.Candidate {
		c := &result.Candidate{Queues: make([]result.Queue, 1)} // without a recommended size
		for _, l := range list {
			c.Queues = append(c.Queues, result.Queue{Recommended: &result.Recommendation{Level: l}})
		}
		return c
	}
	for _, x := range []struct {
		c    *result.Candidate
		want bool
	}{{levels("heuristic", "heuristic"), true}, {levels("heuristic", "simulated"), false}, {levels(), false}} {
		if text := UncheckedSizes(x.c); strings.Contains(text, string(faults.BuffersUnchecked)) != x.want {
			t.Errorf("%+v: the map file contains %q", x.c, text)
		}
	}
}
