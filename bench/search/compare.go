// Package search compares search methods on the same problems with the same time limit, in interleaved runs. It reports
// the quality of the best mapping found at several times.
//
// The problems are task graphs of package taskgraph with random figures, or problems that the caller provides. The
// machine for the task graphs is similar to the machine of Beard 2013, Table 2.
package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"xopt/flow"
	"xopt/flow/profile"
	"xopt/mapper"
)

// Case is one problem for the comparison of search methods.
type Case struct {
	Group       string // cases with the same group are summarized together
	Name        string
	Problem     *flow.Problem
	Constraints *flow.Constraints
}

// Options configures [Compare].
type Options struct {
	Time     time.Duration // time limit of every search
	Runs     int           // number of seeds for every method on every case
	Threads  int
	Methods  []mapper.Method
	Progress func(done, all int) // called before each run, if not nil
}

// Moments returns the fractions of the time limit at which searches are compared.
func Moments() []float64 { return []float64{0.001, 0.01, 0.1, 1} }

// Row is the result of one method for one group of cases.
type Row struct {
	Group  string `json:"group"`
	Method string `json:"method"`
	// Quality contains, for each of the Moments, the median over the runs of the best throughput found until then.
	// Throughputs are relative to the best throughput of all runs for the case. Worst contains the minimum over the
	// runs.
	Quality []float64 `json:"quality"`
	Worst   []float64 `json:"worst"`
	Rate    float64   `json:"mappingsPerSecond"` // median
	Proven  int       `json:"proven"`            // number of runs that proved their best mapping optimal
	Runs    int       `json:"runs"`              // 0 if the method does not apply
}

// Compare runs every method for the same time on every case, in interleaved order.
func Compare(ctx context.Context, cases []Case, o Options) ([]Row, error) {
	all := make([][][]*Attempt, o.Runs) // by run, case and method; nil if a method does not apply
	done := 0
	for seed := range all {
		all[seed] = make([][]*Attempt, len(cases))
		for i := range cases {
			for _, method := range o.Methods {
				if o.Progress != nil {
					o.Progress(done, len(cases)*o.Runs*len(o.Methods))
				}
				done++
				r, err := try(ctx, &cases[i], method, uint64(seed+1), o)
				if err != nil {
					return nil, fmt.Errorf("searching %s, %s with method %v: %w", cases[i].Group,
						cases[i].Name, method, err)
				}
				all[seed][i] = append(all[seed][i], r)
			}
		}
	}
	return rows(cases, o.Methods, all), nil
}

// rows summarizes all attempts, by run, case and method.
func rows(cases []Case, methods []mapper.Method, all [][][]*Attempt) []Row {
	best := make([]float64, len(cases))
	for _, runs := range all {
		for i := range cases {
			for _, r := range runs[i] {
				if r != nil {
					best[i] = math.Max(best[i], r.At[len(r.At)-1])
				}
			}
		}
	}
	var rows []Row
	for _, group := range groups(cases) {
		for m, method := range methods {
			var list []Attempt
			for i := range cases {
				for _, runs := range all {
					if r := runs[i][m]; r != nil && cases[i].Group == group {
						list = append(list, r.relativeTo(best[i]))
					}
				}
			}
			rows = append(rows, summarize(group, method, list))
		}
	}
	return rows
}

// Attempt is the result of one search with one method.
type Attempt struct {
	At     []float64 `json:"at"`                // throughput at each of the Moments
	Rate   float64   `json:"mappingsPerSecond"` // evaluated mappings per second
	Proven bool      `json:"proven"`
}

// relativeTo returns the attempt with throughputs relative to the best throughput of all attempts.
func (a Attempt) relativeTo(best float64) Attempt {
	at := make([]float64, len(a.At))
	for i, x := range a.At {
		at[i] = x / best
	}
	a.At = at
	return a
}

// try searches one case with one method. It returns nil if the method does not apply.
func try(ctx context.Context, c *Case, method mapper.Method, seed uint64, o Options) (*Attempt, error) {
	found, err := mapper.Search(ctx, c.Problem, c.Constraints, mapper.Options{Method: method, Seed: seed,
		Threads: o.Threads, MaxTime: o.Time, ProofNodes: proofOf(method)})
	var goal *mapper.GoalError
	if errors.As(err, &goal) {
		return nil, nil
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	r := &Attempt{Rate: float64(found.Evals) / found.Elapsed.Seconds(), Proven: found.Optimal()}
	for _, part := range Moments() {
		at := 0.0
		for _, p := range found.History {
			if p.Elapsed.Seconds() <= part*o.Time.Seconds() {
				at = p.Throughput
			}
		}
		r.At = append(r.At, at)
	}
	r.At[len(r.At)-1] = found.Candidates[0].Throughput
	return r, nil
}

func groups(cases []Case) []string {
	var list []string
	for i := range cases {
		if !slices.Contains(list, cases[i].Group) {
			list = append(list, cases[i].Group)
		}
	}
	return list
}

// summarize returns the row of a method and a group. The throughputs of runs must be relative to the best throughput
// for the case.
func summarize(group string, method mapper.Method, runs []Attempt) Row {
	row := Row{Group: group, Method: method.String(), Runs: len(runs)}
	if len(runs) == 0 {
		return row
	}
	for m := range Moments() {
		quality := make([]float64, len(runs))
		for i, r := range runs {
			quality[i] = r.At[m]
		}
		slices.Sort(quality)
		row.Quality, row.Worst = append(row.Quality, quality[(len(quality)-1)/2]), append(row.Worst, quality[0])
	}
	var rates []float64
	for _, r := range runs {
		rates = append(rates, r.Rate)
		if r.Proven {
			row.Proven++
		}
	}
	row.Rate = profile.MedianOf(rates).Value
	return row
}

// proofOf returns mapper.Options.ProofNodes for a method: 0 (the default) for branch and bound, and -1 (no proof after
// the search) for other methods.
func proofOf(m mapper.Method) int {
	if m == mapper.Exact {
		return 0
	}
	return -1
}
