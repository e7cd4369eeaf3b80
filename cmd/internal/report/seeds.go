package report

import (
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
