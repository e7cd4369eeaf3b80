package predict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"xopt/mapper"
	"xopt/mapper/result"
)

// printedDigits is the number of significant digits of printed figures.
const printedDigits = 3

// FrontMembers returns the indices of the members of a front to print, in the order of the first objective. It omits a
// member if another member is at least as good in all objectives at the printed precision. It returns nil for a search
// with one objective, or if only some members were simulated with buffers.
func FrontMembers(r *result.Result) []int {
	if r.Search == nil || len(r.Search.Objectives) < 2 {
		return nil
	}
	var rows [][]float64
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if c.Measures == nil || (c.WithBuffers == nil) != (r.Candidates[0].WithBuffers == nil) {
			return nil
		}
		rows = append(rows, printedValues(c, r.Search.Objectives))
	}
	var kept []int
	for i := range rows {
		dropped := false
		for j := range rows {
			dropped = dropped || j != i && noWorse(rows[j], rows[i]) && (j < i || !noWorse(rows[i], rows[j]))
		}
		if !dropped {
			kept = append(kept, i)
		}
	}
	slices.SortStableFunc(kept, func(i, j int) int { return cmp.Compare(rows[i][0], rows[j][0]) })
	return kept
}

// printedValues returns a candidate's values of objectives, rounded as printed. Lower values are better.
func printedValues(c *result.Candidate, objectives []string) []float64 {
	var list []float64
	for _, o := range objectives {
		v, _ := ObjectiveOf(c, o)
		if o == mapper.Throughput.String() {
			v = -v
		}
		x, _ := strconv.ParseFloat(fmt.Sprintf("%.*g", printedDigits, v), 64)
		list = append(list, x)
	}
	return list
}

// ObjectiveOf returns a candidate's value of an objective, in SI units. isKnown is false if the objective or its value
// is unknown.
func ObjectiveOf(c *result.Candidate, objective string) (value float64, isKnown bool) {
	if objective == mapper.Throughput.String() {
		return float64(c.Throughput), true
	}
	o := slices.Index(mapper.Objectives(), objective)
	if o < 0 || c.Measures == nil {
		return 0, false
	}
	return c.Measures.Value(mapper.Objective(o), float64(c.Throughput)), true
}

// noWorse reports whether each value of a is at most the corresponding value of b.
func noWorse(a, b []float64) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}
