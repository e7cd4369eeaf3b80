package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"xopt/mapper"
)

// ProofKinds returns the names of the kinds of problems for [Proofs]: synthetic problems with a slow bus, and the
// problems of [Kinds].
func ProofKinds() []string {
	list := []string{slowBus}
	for _, k := range Kinds() {
		list = append(list, strings.ToLower(k.Name))
	}
	return list
}

// slowBus is the name of the synthetic problems with a slow bus.
const slowBus = "slow-bus"

// ProofCases draws the given number of graphs for each kind of problem and each number of tasks.
func ProofCases(kinds []string, tasks []int, graphs int) ([]Case, error) {
	var cases []Case
	for _, kind := range kinds {
		draw, err := drawer(kind)
		if err != nil {
			return nil, err
		}
		for _, n := range tasks {
			for seed := range graphs {
				cases = append(cases, draw(uint64(seed+1), n))
			}
		}
	}
	return cases, nil
}

// drawer returns the function that draws problems of a kind.
func drawer(kind string) (func(seed uint64, tasks int) Case, error) {
	if kind == slowBus {
		buses := Buses()
		return func(seed uint64, tasks int) Case { return Synthetic(seed, tasks, buses[len(buses)-1]) }, nil
	}
	for _, k := range Kinds() {
		if strings.EqualFold(k.Name, kind) {
			return k.Draw, nil
		}
	}
	return nil, fmt.Errorf("unknown kind of problems %q, expected one of %s", kind, strings.Join(ProofKinds(), ", "))
}

// ProofOptions configures [Proofs].
type ProofOptions struct {
	Time     time.Duration // time limit of every search, including its proof
	Threads  int
	Progress func(done, all int) // called before each search, if not nil
}

// Proof is the result of the search and proof for one case.
type Proof struct {
	Gap     float64 `json:"gap"` // largest possible improvement relative to the best mapping found
	Proven  bool    `json:"proven"`
	Seconds float64 `json:"seconds"` // duration
	Rate    float64 `json:"mappingsPerSecond"`
	Status  string  `json:"status"`
}

// ProofRow contains the results for one group of cases.
type ProofRow struct {
	Group  string  `json:"group"`
	Cases  []Proof `json:"cases"` // one result for each case, in order
	Proven int     `json:"proven"`
	// Medians (the higher middle value of an even number of values) and worst values.
	Gap          float64 `json:"gap"`
	WorstGap     float64 `json:"worstGap"`
	Seconds      float64 `json:"seconds"`
	WorstSeconds float64 `json:"worstSeconds"`
}

// Prove searches one case by annealing, and then continues its proof until the proof is complete or the time limit is
// reached.
func Prove(ctx context.Context, c *Case, o ProofOptions) (*Proof, error) {
	start := time.Now()
	r, err := mapper.Search(ctx, c.Problem, c.Constraints, mapper.Options{Method: mapper.Anneal, Seed: 1,
		Threads: o.Threads, MaxTime: o.Time})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("searching %s, %s: %w", c.Group, c.Name, err)
	}
	elapsed := time.Since(start).Seconds()
	return &Proof{Gap: r.Bound/r.Candidates[0].Throughput - 1, Proven: r.Optimal(), Seconds: elapsed,
		Rate: float64(r.Evals) / elapsed, Status: r.Status.String()}, nil
}

// Proofs calls [Prove] for each case, and summarizes the results by group.
func Proofs(ctx context.Context, cases []Case, o ProofOptions) ([]ProofRow, error) {
	rows := make([]ProofRow, 0)
	for i := range cases {
		if o.Progress != nil {
			o.Progress(i, len(cases))
		}
		p, err := Prove(ctx, &cases[i], o)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(rows, func(r ProofRow) bool { return r.Group == cases[i].Group })
		if at < 0 {
			at = len(rows)
			rows = append(rows, ProofRow{Group: cases[i].Group})
		}
		rows[at].Cases = append(rows[at].Cases, *p)
	}
	for i := range rows {
		rows[i].sum()
	}
	return rows, nil
}

// sum computes the summary of the row's cases.
func (r *ProofRow) sum() {
	var gaps, times []float64
	for _, p := range r.Cases {
		if gaps, times = append(gaps, p.Gap), append(times, p.Seconds); p.Proven {
			r.Proven++
		}
	}
	slices.Sort(gaps)
	slices.Sort(times)
	last := len(gaps) - 1
	r.Gap, r.WorstGap = gaps[len(gaps)/2], gaps[last]
	r.Seconds, r.WorstSeconds = times[len(times)/2], times[last]
}
