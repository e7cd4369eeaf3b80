package report

import (
	"fmt"
	"slices"
	"strings"

	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/result"
)

// frontID is the ID of the chart of the front of two objectives.
const frontID = "front"

// frontOf charts the front of a search for two objectives as a staircase. The label of a point states its cost and
// benefit relative to the previous point. It returns nil for other searches.
func frontOf(r *result.Result) *Chart {
	if r.Search == nil || len(r.Search.Objectives) != 2 || len(r.Candidates) < 2 {
		return nil
	}
	by, cost := r.Search.Objectives[0], r.Search.Objectives[1]
	if cost == mapper.Throughput.String() {
		by, cost = cost, by
	}
	var xs, ys []float64
	for i := range r.Candidates {
		x, y := objectiveOf(&r.Candidates[i], cost), objectiveOf(&r.Candidates[i], by)
		if !x.Valued || !y.Valued {
			return nil
		}
		xs, ys = append(xs, x.Value), append(ys, y.Value)
	}
	order := sortedIndices(len(xs), func(a, b int) int {
		return slices.Compare([]float64{xs[a], ys[b]}, []float64{xs[b], ys[a]})
	})
	across, up := objectiveScale(cost, xs), objectiveScale(by, ys)
	steps, points := Series{Name: "front", Kind: Steps}, Series{Name: "mappings", Kind: Markers}
	last := -1
	for _, i := range order {
		x, y, name := across.Of(xs[i]), up.Of(ys[i]), r.Candidates[i].Name
		if at := points.at(x, y); at >= 0 { // coincident points become one point with all names
			was, rest, _ := strings.Cut(points.Labels[at], ": ")
			points.Labels[at] = strings.Replace(was, "mapping ", "mappings ", 1) + " = " + name + ": " + rest
			continue
		}
		label := objectiveChange(cost, xs[i], "") + ": " + FormatObjective(by, ys[i])
		if last >= 0 {
			label = objectiveChange(cost, xs[i]-xs[last], "+") + ": " + objectiveChange(by, ys[i]-ys[last], "+")
		}
		last = i
		steps.X, steps.Y = append(steps.X, x), append(steps.Y, y)
		points.X, points.Y = append(points.X, x), append(points.Y, y)
		points.Labels = append(points.Labels, "mapping "+name+": "+label)
		points.Links = append(points.Links, candidateID(i))
		points.Mappings = append(points.Mappings, i+1)
	}
	if len(points.X) < 2 {
		return nil
	}
	return &Chart{ID: frontID, Title: "The front: " + by + " versus " + cost + ", predicted",
		Note: "A click on a point draws its mapping.", X: Axis{Name: across.Heading(cost)},
		Y: Axis{Name: up.Heading(by)}, Series: []Series{steps, points}}
}

// objectiveScale returns the axis scale of an objective. It shows energy per byte as an energy.
func objectiveScale(name string, values []float64) units.Scale {
	if unit := strings.TrimSuffix(objectiveUnit(name), "/B"); prefixed(unit) {
		return scaleOf(unit, values...)
	}
	return units.ScaleFor(objectiveUnit(name))
}

// objectiveChange formats a figure of an objective. The text plus precedes figures that are not negative.
func objectiveChange(name string, v float64, plus string) string {
	if v < 0 {
		plus = ""
	}
	if name == mapper.Cores.String() {
		return plus + count(int(v), "core")
	}
	return plus + FormatObjective(name, v)
}

// fewCandidates returns the table of candidates for a short answer. For several objectives, it prefers the extremes of
// each objective. Otherwise, it keeps the first candidates.
func fewCandidates(r *result.Result, t *Table) *Table {
	all, n := len(t.Rows), units.Shown(len(t.Rows), shortCandidates)
	if n == all {
		return t
	}
	hidden := ""
	if len(r.Search.Objectives) > 1 {
		for place, i := range extremesFirst(r) {
			t.Rows[i].Load = 1 / float64(1+place)
		}
	}
	short, _ := t.Top(n)
	if len(r.Search.Objectives) > 1 {
		var names []string
		for i := range t.Rows {
			if name := t.Rows[i].Cells[0].Text; !slices.ContainsFunc(short.Rows, func(x Row) bool {
				return x.Cells[0].Text == name
			}) {
				names = append(names, name)
			}
		}
		hidden = ", with the extremes of each objective; hidden: " + strings.Join(first(names, maxNamed), ", ")
	}
	if hidden != "" { // the title remains if the note does not fit
		short.Title = fmt.Sprintf("Front of %d mappings, sorted by %s, with the extremes of each objective", all,
			r.Search.Objectives[0])
	}
	short.Note = fmt.Sprintf("(%d of %d candidates%s)", n, all, hidden)
	return short
}

// extremesFirst orders the candidates of a front: the best in each objective, then the worst in each objective, then
// the other candidates.
func extremesFirst(r *result.Result) []int {
	var order []int
	add := func(i int) {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	for _, sign := range []float64{1, -1} {
		for _, o := range r.Search.Objectives {
			sign := sign
			if o != mapper.Throughput.String() { // less is better
				sign = -sign
			}
			best := 0
			for i := range r.Candidates {
				if sign*objectiveOf(&r.Candidates[i], o).Value > sign*objectiveOf(&r.Candidates[best], o).Value {
					best = i
				}
			}
			add(best)
		}
	}
	for i := range r.Candidates {
		add(i)
	}
	return order
}
