package search

import (
	"reflect"
	"testing"

	"xopt/bench/draw/taskgraph"
	"xopt/flow"
	"xopt/mapper"
)

// TestSyntheticSearch checks the drawn problems: each task has its time on a core, and the sent and the consumed
// volumes match.
func TestSyntheticSearch(t *testing.T) {
	for seed := range uint64(20) {
		for _, bus := range Buses() {
			c := Synthetic(seed, 0, bus)
			if err := c.Problem.Validate(); err != nil {
				t.Fatal(err)
			}
			flows, err := flow.NewFlows(&c.Problem.Application, 0)
			if err != nil {
				t.Fatal(err)
			}
			g := taskgraph.Draw(seed, 0)
			app := &c.Problem.Application
			// In one firing of the source, every edge carries one element.
			first := 0.0
			for _, e := range app.Edges {
				if e.From == 0 {
					first += e.ElementBytes
				}
			}
			for e := range app.Edges {
				if got := flows.Edge(e)[0] * first; got < 0.999999*app.Edges[e].ElementBytes ||
					got > 1.000001*app.Edges[e].ElementBytes {
					t.Fatalf("seed %d: %s carries %g bytes for each firing of the source, want %g", seed,
						app.Edges[e].Name, got, app.Edges[e].ElementBytes)
				}
			}
			for k, time := range g.Times {
				if got := flows.Arrival(k + 1)[0] * first / c.Problem.Figures[k+
					1][0].ServiceRate; got < 0.999999*time || got > 1.000001*time {
					t.Fatalf("seed %d: %s takes %g s, want %g", seed, app.Kernels[k+1].Name, got, time)
				}
			}
		}
	}
}

// TestSummarize checks the summary of a group's attempts: the lower median and the worst at each moment, the median
// rate, and the number of proofs. It is empty if the method does not apply.
func TestSummarize(t *testing.T) {
	runs := []Attempt{
		Attempt{At: []float64{1, 2, 3, 4}, Rate: 10, Proven: true}.relativeTo(4),
		Attempt{At: []float64{0, 4, 4, 4}, Rate: 30, Proven: true}.relativeTo(4),
		Attempt{At: []float64{1, 1, 1, 1}, Rate: 20}.relativeTo(2),
	}
	got := summarize("g", mapper.Anneal, runs)
	want := Row{Group: "g", Method: mapper.Anneal.String(), Quality: []float64{0.25, 0.5, 0.75, 1},
		Worst: []float64{0, 0.5, 0.5, 0.5}, Rate: 20, Proven: 2, Runs: 3}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := summarize("g", mapper.Exact, nil); got.Runs != 0 || got.Quality != nil {
		t.Errorf("without attempts: %+v", got)
	}
}
