package report

import (
	"cmp"
	"slices"

	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/result"
)

// BestSeed is which of several searches of one problem has found the best mapping by an objective, the first of those
// that tie; -1 where none has found one.
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

// beats reports whether a candidate is better than another: throughput decides between those of one objective.
func beats(a, b *result.Candidate, name string) bool {
	if name != mapper.Throughput.String() {
		x, y := objectiveOf(a, name), objectiveOf(b, name)
		if x.Valued && y.Valued && x.Value != y.Value {
			return x.Value < y.Value // low is good
		}
	}
	return float64(a.Throughput) > float64(b.Throughput)*(1+result.TieTolerance)
}

// Seeds are searches of one problem with different seeds.
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
			proof = "within " + units.Percent(r.Search.Gap(r.Candidates[0].Throughput))
		}
		if i == best {
			mark = "best"
		}
		row.Cells = append(row.Cells, text(proof), compact(float64(r.Search.Evals)), text(mark))
	}
	return t.scaled()
}

// Front merges the Pareto fronts of several searches of one problem: the candidates of which no other is as good in
// every objective and better in one, each once, the best by the first objective first. of holds the number of the
// search that found each.
func Front(searches []*result.Result, objectives []string) (front []result.Candidate, of []int) {
	type found struct {
		search    int
		candidate *result.Candidate
		values    []float64 // low is good
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
		kept = slices.DeleteFunc(kept, func(k found) bool { return atMost(x.values, k.values) }) // but for rounding
		kept = append(kept, x)
	}
	for _, k := range kept {
		front, of = append(front, *k.candidate), append(of, k.search)
	}
	return front, of
}

// atMost reports whether every value of a is at most that of b, but for rounding.
func atMost(a, b []float64) bool {
	for i := range a {
		if a[i] > b[i]+result.TieTolerance*max(b[i], -b[i]) {
			return false
		}
	}
	return true
}
