package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"xopt/calibrate/profile"
	"xopt/flow"
	"xopt/mapper"
)

// Case is one problem on which methods of search are compared.
type Case struct {
	Group       string // cases of one group are summed up together
	Name        string
	Problem     *flow.Problem
	Constraints *flow.Constraints
}

// Options say how to compare methods.
type Options struct {
	Time     time.Duration // of every search
	Runs     int           // seeds of every method on every case
	Threads  int
	Methods  []mapper.Method
	Progress func(done, all int) // called before each run, if set
}

// Moments are the parts of the time at which searches are compared.
func Moments() []float64 { return []float64{0.001, 0.01, 0.1, 1} }

// Row is how one method did on one group of cases.
type Row struct {
	Group  string `json:"group"`
	Method string `json:"method"`
	// Quality is, at each of the Moments, the best throughput that was found by then
	// over the best that any run found on that case: the median of the runs, and the worst.
	Quality []float64 `json:"quality"`
	Worst   []float64 `json:"worst"`
	Rate    float64   `json:"mappingsPerSecond"` // median
	Proven  int       `json:"proven"`            // runs that proved their answer optimal
	Runs    int       `json:"runs"`              // 0 where the method does not apply
}

// Compare runs every method for the same time on every case, in turns.
func Compare(ctx context.Context, cases []Case, o Options) ([]Row, error) {
	all := make([][][]attempt, len(cases)) // case, method
	best := make([]float64, len(cases))
	total, done := len(cases)*o.Runs*len(o.Methods), 0
	for i := range cases {
		all[i] = make([][]attempt, len(o.Methods))
	}
	for seed := range o.Runs {
		for i := range cases {
			for m, method := range o.Methods {
				if o.Progress != nil {
					o.Progress(done, total)
				}
				done++
				r, err := try(ctx, &cases[i], method, uint64(seed+1), o)
				if err != nil {
					return nil, fmt.Errorf("searching %s, %s by %v: %w", cases[i].Group, cases[i].Name, method, err)
				}
				if r != nil {
					best[i] = math.Max(best[i], r.at[len(r.at)-1])
					all[i][m] = append(all[i][m], *r)
				}
			}
		}
	}
	var rows []Row
	for _, group := range groups(cases) {
		for m, method := range o.Methods {
			var runs []attempt
			for i := range cases {
				if cases[i].Group == group {
					for _, r := range all[i][m] {
						runs = append(runs, r.over(best[i]))
					}
				}
			}
			rows = append(rows, summarize(group, method, runs))
		}
	}
	return rows, nil
}

// attempt is one search.
type attempt struct {
	at     []float64 // throughput by each of the Moments
	rate   float64   // mappings/s
	proven bool
}

// over is the attempt with its throughputs over the best that any attempt found.
func (a attempt) over(best float64) attempt {
	at := make([]float64, len(a.at))
	for i, x := range a.at {
		at[i] = x / best
	}
	a.at = at
	return a
}

// try searches one case by one method; nil where the method does not apply.
func try(ctx context.Context, c *Case, method mapper.Method, seed uint64, o Options) (*attempt, error) {
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
	r := &attempt{rate: float64(found.Evals) / found.Elapsed.Seconds(), proven: found.Optimal()}
	for _, part := range Moments() {
		at := 0.0
		for _, p := range found.History {
			if p.Elapsed.Seconds() <= part*o.Time.Seconds() {
				at = p.Throughput
			}
		}
		r.at = append(r.at, at)
	}
	r.at[len(r.at)-1] = found.Candidates[0].Throughput
	return r, nil
}

// groups are those of the cases, in their order.
func groups(cases []Case) []string {
	var list []string
	for i := range cases {
		if !slices.Contains(list, cases[i].Group) {
			list = append(list, cases[i].Group)
		}
	}
	return list
}

// summarize is how a method did on a group, of attempts whose throughputs are over the best.
func summarize(group string, method mapper.Method, runs []attempt) Row {
	row := Row{Group: group, Method: method.String(), Runs: len(runs)}
	if len(runs) == 0 {
		return row
	}
	for m := range Moments() {
		quality := make([]float64, len(runs))
		for i, r := range runs {
			quality[i] = r.at[m]
		}
		slices.Sort(quality)
		row.Quality, row.Worst = append(row.Quality, quality[(len(quality)-1)/2]), append(row.Worst, quality[0])
	}
	var rates []float64
	for _, r := range runs {
		rates = append(rates, r.rate)
		if r.proven {
			row.Proven++
		}
	}
	row.Rate = profile.MedianOf(rates).Value
	return row
}

// proofOf is how many nodes may go into a proof: none, but where the proof is the search.
func proofOf(m mapper.Method) int {
	if m == mapper.Exact {
		return 0
	}
	return -1
}
