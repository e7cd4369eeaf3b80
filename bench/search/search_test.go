package search

import (
	"context"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"xopt/bench/taskgraph"
	"xopt/flow"
	"xopt/mapper"
)

// TestSyntheticSearch looks at what is drawn: what arrives at a task takes its time on a core,
// and what is sent is what is taken.
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
			// One firing of the source: every edge carries one element.
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

// TestSummarize: of the attempts of a group, the lower median and the worst at each moment, the median of the rates,
// and how many were proven; nothing where the method does not apply.
func TestSummarize(t *testing.T) {
	runs := []Attempt{
		Attempt{At: []float64{1, 2, 3, 4}, Rate: 10, Proven: true}.over(4),
		Attempt{At: []float64{0, 4, 4, 4}, Rate: 30, Proven: true}.over(4),
		Attempt{At: []float64{1, 1, 1, 1}, Rate: 20}.over(2),
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

// How many applications of each size the benchmark draws, and how long it searches each of them.
var (
	gapProblems = flag.Int("applications", 3, "of each size that BenchmarkGap draws")
	gapWithin   = flag.Duration("within", 10*time.Second, "that BenchmarkGap searches at the most")
)

// BenchmarkGap measures how far, after some time at the most, the best mapping of synthetic
// applications is from the bound on all mappings, and how many are proven the best.
func BenchmarkGap(b *testing.B) {
	for _, bus := range Buses() {
		for _, tasks := range []int{10, 18, 38, 78} { // and a source and a sink
			b.Run(fmt.Sprintf("%s/kernels=%d", bus.Name, tasks+2), func(b *testing.B) {
				for b.Loop() {
					var gaps, times []float64
					proven := 0
					for seed := range *gapProblems {
						c := Synthetic(uint64(seed+1), tasks, bus)
						start := time.Now()
						r, err := mapper.Search(context.Background(), c.Problem, nil,
							mapper.Options{Method: mapper.Anneal, Seed: 1, Threads: 2, MaxTime: *gapWithin})
						if err != nil {
							b.Fatal(err)
						}
						if r.Optimal() {
							proven++
						}
						b.Logf("seed %d: a gap of %.2f %% after %.1f s: %s", seed+1,
							100*(r.Bound/r.Candidates[0].Throughput-1), time.Since(start).Seconds(), r.Status)
						times = append(times, time.Since(start).Seconds())
						gaps = append(gaps, 100*(r.Bound/r.Candidates[0].Throughput-1))
					}
					slices.Sort(gaps)
					slices.Sort(times)
					b.ReportMetric(gaps[len(gaps)/2], "%gap-median")
					b.ReportMetric(gaps[len(gaps)-1], "%gap-worst")
					b.ReportMetric(times[len(times)/2], "s-median")
					b.ReportMetric(times[len(times)-1], "s-worst")
					b.ReportMetric(100*float64(proven)/float64(len(gaps)), "%proven")
				}
			})
		}
	}
}
