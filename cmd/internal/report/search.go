package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/result"
)

// searched returns the page section about the search.
func searched(r *result.Result) Section {
	s := Section{ID: "search", Title: "Search"}
	x := r.Search
	if x == nil {
		return s
	}
	t := &Table{ID: "search-facts", Title: "Details of the search", Columns: []Column{name(""), name("")}}
	add := func(label, value string) { t.add(text(label), text(value)) }
	add("method", methodName(x.Method))
	if w := wanted(x); w != "" {
		add("objective and limits", w)
	}
	add("ended", x.Status)
	bound := "no bound was proven: a better mapping may exist"
	switch {
	case x.Optimal:
		bound = "0 %: " + x.Status
	case x.Bound > 0 && len(r.Candidates) > 0:
		bound = units.Percent(x.Gap(r.Predicted())) + ": " + noneExceeds(x.Bound) + boundBy(x)
	}
	add("distance from the bound", bound)
	proofFacts(r, add)
	if x.Runs > 1 {
		add("resumed", fmt.Sprintf("%d runs: evaluations and time are totals", x.Runs))
	}
	add("placements in the search space", shortNumber(x.Placements))
	for _, x := range x.LeftOut {
		add("not in the search space", x)
	}
	add("mappings evaluated", fmt.Sprint(x.Evals))
	if x.ProofNodes > 0 {
		add("nodes of branch and bound", fmt.Sprint(x.ProofNodes))
	}
	add("time (measured here)", units.Time(x.Seconds))
	if x.Seconds > 0 {
		add("evaluations per second (measured here)", units.Count(float64(x.Evals)/x.Seconds))
	}
	add("seed, threads", fmt.Sprintf("%d, %d", x.Seed, x.Threads))
	s.Parts = append(s.Parts, Part{Table: t})
	if len(x.History) > 0 {
		var rates []float64
		for _, h := range x.History {
			rates = append(rates, float64(h.Throughput))
		}
		scale := scaleOf("B/s", rates...)
		line := Series{Name: "best so far", Kind: Steps}
		for _, h := range x.History {
			line.X, line.Y = append(line.X, h.Seconds), append(line.Y, scale.Of(float64(h.Throughput)))
		}
		line.X, line.Y = append(line.X, x.Seconds), append(line.Y, line.Y[len(line.Y)-1])
		var limits []Limit
		if x.Bound > 0 && !x.Optimal {
			limits = append(limits, Limit{"proven bound", scale.Of(float64(x.Bound)), false})
		}
		s.Parts = append(s.Parts, Part{Chart: &Chart{ID: "history", Limits: limits,
			Title: "Best throughput over time, predicted",
			X:     Axis{Name: "time (s)"}, Y: Axis{Name: scale.Heading("throughput")}, Series: []Series{line}}})
	}
	if len(x.Course) > 1 {
		accept, heat := Series{Name: "moves accepted", Kind: Line}, Series{Name: "temperature", Kind: Line}
		for _, m := range x.Course {
			accept.X, accept.Y = append(accept.X, m.Seconds), append(accept.Y, 100*float64(m.Acceptance))
			heat.X, heat.Y = append(heat.X, m.Seconds), append(heat.Y, float64(m.Temperature))
		}
		s.Parts = append(s.Parts,
			Part{Chart: &Chart{ID: "acceptance", Title: "Moves accepted", X: Axis{Name: "time (s)"},
				Y: Axis{Name: "accepted (%)"}, Series: []Series{accept}}},
			Part{Chart: &Chart{ID: "temperature", Title: "Temperature", X: Axis{Name: "time (s)"},
				Y: Axis{Name: "relative to the throughput"}, Series: []Series{heat}}})
	}
	return s
}

// integerTolerance is the maximum relative difference between an integer certificate and its bound.
const integerTolerance = 1e-5

// provenMax returns the proven upper bound on throughput.
func provenMax(r *result.Result) result.Number {
	if r.Search.Optimal {
		return r.Predicted().Unlimited()
	}
	return r.Search.Bound
}

// proofFacts adds the quality of the bound: the constraints that the bound ignores, its certificate, and the bound of
// another solver.
func proofFacts(r *result.Result, add func(label, value string)) {
	x := r.Search
	if len(r.Candidates) > 0 && !x.Optimal && x.FlowGap(r.Predicted()) > wideGap {
		for _, x := range x.Weak {
			add("ignored by the bound", x)
		}
	}
	if c := x.Certificate; c != nil {
		what := "for a weaker bound than the bound above"
		if len(r.Candidates) > 0 && c.Throughput <= provenMax(r)*(1+integerTolerance) {
			what = "for the bound: " + noneExceeds(provenMax(r))
		}
		add("certificate in the result file", what)
	}
	if v := x.Solver; v != nil && v.Bound > 0 {
		add("bound by "+strings.TrimSpace(v.Name+" "+v.Version), fmt.Sprintf("%s, in %s (measured here)",
			units.Rate(float64(v.Bound)), units.Time(v.Seconds)))
	}
}

// BestSeed returns the index of the search that found the best mapping by an objective, or the first in a tie. It
// returns -1 if no search found a mapping.
func BestSeed(searches []*result.Result, objective string) int {
	best := -1
	for i, r := range searches {
		if len(r.Candidates) == 0 {
			continue
		}
		if best < 0 || beats(&r.Candidates[0], &searches[best].Candidates[0], objective) {
			best = i
		}
	}
	return best
}

// beats reports whether a candidate is better than another candidate by the named objective. In a tie, the higher
// throughput decides.
func beats(a, b *result.Candidate, name string) bool {
	if name != mapper.Throughput.String() {
		x, y := objectiveOf(a, name), objectiveOf(b, name)
		if x.Valued && y.Valued && x.Value != y.Value {
			return x.Value < y.Value // lower is better
		}
	}
	return float64(a.Throughput) > float64(b.Throughput)*(1+result.TieTolerance)
}

// Seeds compares searches of one problem that use different seeds.
func Seeds(searches []*result.Result, objective string) *Table {
	t := &Table{ID: "seeds", Title: "The best mapping of each search, predicted", Columns: []Column{number("seed"),
		rate("throughput")}}
	if objective != mapper.Throughput.String() {
		t.Columns = append(t.Columns, name(objective))
	}
	t.Columns = append(t.Columns, name("proof"), counted("scored", "mappings"), name("best"))
	best := BestSeed(searches, objective)
	for i, r := range searches {
		row := t.add(dash(), dash())
		if r.Search == nil || len(r.Candidates) == 0 {
			for len(row.Cells) < len(t.Columns) {
				row.Cells = append(row.Cells, dash())
			}
			continue
		}
		row.Cells = []Cell{digits(float64(r.Search.Seed), 20), figure(r.Candidates[0].Throughput)}
		if objective != mapper.Throughput.String() {
			row.Cells = append(row.Cells, objectiveOf(&r.Candidates[0], objective))
		}
		proof, mark := "not proven", ""
		switch {
		case r.Search.Optimal:
			proof = "optimal"
		case r.Search.Bound > 0:
			proof = "within " + units.Percent(r.Search.Gap(&r.Candidates[0]))
		}
		if i == best {
			mark = "best"
		}
		row.Cells = append(row.Cells, text(proof), compact(float64(r.Search.Evals)), text(mark))
	}
	return t.scaled()
}

// Front merges the Pareto fronts of several searches of one problem and removes duplicates. It sorts by the first
// objective, best first. of contains the index of each candidate's search.
func Front(searches []*result.Result, objectives []string) (front []result.Candidate, of []int) {
	type found struct {
		search    int
		candidate *result.Candidate
		values    []float64 // lower is better
	}
	var all []found
	for i, r := range searches {
		for j := range r.Candidates {
			x := found{search: i, candidate: &r.Candidates[j]}
			for _, name := range objectives {
				c := objectiveOf(x.candidate, name)
				v := c.Value
				if name == mapper.Throughput.String() {
					v = -v
				}
				x.values = append(x.values, v)
			}
			all = append(all, x)
		}
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(slices.Compare(a.values, b.values), cmp.Compare(a.search, b.search))
	})
	var kept []found
	for _, x := range all {
		if slices.ContainsFunc(kept, func(k found) bool { return atMost(k.values, x.values) }) {
			continue
		}
		kept = slices.DeleteFunc(kept, func(k found) bool { return atMost(x.values, k.values) }) // allow rounding
		kept = append(kept, x)
	}
	for _, k := range kept {
		front, of = append(front, *k.candidate), append(of, k.search)
	}
	return front, of
}

// atMost reports whether every value of a is at most the corresponding value of b, with tolerance for rounding.
func atMost(a, b []float64) bool {
	for i := range a {
		if a[i] > b[i]+result.TieTolerance*max(b[i], -b[i]) {
			return false
		}
	}
	return true
}

// MergedFront returns a copy of results[best] with the merged front and the evaluations of all searches. It also
// returns the index of each candidate's search. The front is proven if one search has proven its own front.
func MergedFront(results []*result.Result, best int, goal mapper.Goal) (*result.Result, []int) {
	var names []string
	for _, o := range goal.Objectives {
		names = append(names, o.String())
	}
	all, search := *results[best], *results[best].Search
	var of []int
	all.Candidates, of = Front(results, names)
	for i := range all.Candidates {
		all.Candidates[i].Name = fmt.Sprint(i + 1)
	}
	search.Evals = 0
	for _, x := range results {
		if x.Search == nil {
			continue
		}
		search.Evals += x.Search.Evals
		if x.Search.Optimal && !search.Optimal {
			search.Optimal, search.Status = true, x.Search.Status
		}
	}
	all.Search = &search
	return &all, of
}
