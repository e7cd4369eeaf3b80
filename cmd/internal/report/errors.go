package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"xopt/deploy/validate"
	"xopt/mapper/result"
)

// mostErrors explains the column p95.
const mostErrors = "95th percentile of the errors"

// pairs contains predictions and measurements of the same quantities.
type pairs struct {
	predicted, measured []float64
	mappings            int
}

func (p *pairs) add(predicted, measured float64) {
	if predicted > 0 && measured > 0 {
		p.predicted, p.measured = append(p.predicted, predicted), append(p.measured, measured)
	}
}

// errorSummary compares predictions of throughput and edge flows with measurements.
func errorSummary(v *result.Validation) *Table {
	x := validate.VerdictOf(v)
	mappings := count(v.Summary.Cases, "mapping")
	t := &Table{ID: "errors", Title: fmt.Sprintf("Errors of %s: predicted versus %s", mappings,
		verb(v)),
		Columns: []Column{name("quantity"), number("mean"), number("median"), number("p95").about(mostErrors),
			number("worst"),
			number("R²").about(fmt.Sprintf("coefficient of determination, 1 for perfect agreement; - for fewer "+
				"than %d mappings", validate.MinMappings)),
			number("Kendall τ").about("rank correlation of prediction and runs by throughput: 1 for the same order, " +
				"-1 for the reverse order; only for pairs of mappings whose intervals do not overlap"),
			number("regret").about(regretMeaning + "; - if no mapping is the best of a search, or if the runs do not " +
				"distinguish the first candidate from the fastest mapping")}}
	var rates, raw, equalRates, flows, equalFlows pairs
	for _, c := range checkedCases(v) {
		for _, p := range []*pairs{&rates, &raw, &equalRates, &flows, &equalFlows} {
			p.mappings++
		}
		good := c.Ran() / c.Measured
		rates.add(float64(c.Predicted), c.Ran())
		raw.add(float64(c.Predicted), c.Measured)
		equalRates.add(float64(c.Equal), c.Ran())
		for i := range c.Edges {
			e := &c.Edges[i]
			flows.add(e.Predicted, e.Measured*good)
			equalFlows.add(e.Equal, e.Measured*good)
		}
	}
	tau, regret, none := dash(), dash(), dash()
	if x.Kendall != nil {
		tau = decimals(*x.Kendall, 2)
	}
	if x.Regret != nil {
		regret = percent(*x.Regret)
	}
	if ifUndisturbed(v) == "" {
		rates.row(t, "throughput", tau, regret)
	} else {
		rates.row(t, "throughput, undisturbed", tau, regret)
		raw.row(t, "throughput, as measured", none, none)
	}
	flows.row(t, "edge flows", none, none)
	equalRates.row(t, "throughput, equal sharing", none, none)
	equalFlows.row(t, "edge flows, equal sharing", none, none)
	t.Note = "(τ and regret rank by throughput; regret is " + regretMeaning
	switch {
	case x.Unknown == result.SingleMapping:
		t.Note += "; both are unknown for a single mapping"
	case x.Unknown != "":
		why, _ := unknownRanking(v, x.Unknown)
		t.Note += "; both are unknown: " + why
	case v.Unranked:
		t.Note += "; regret is unknown because no mapping is the best of a search"
	case x.Regret == nil:
		t.Note += "; regret is unknown because the runs do not distinguish the first candidate from the fastest mapping"
	}
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Cells[t.column("R²")].Text == "-" }) {
		t.Note += fmt.Sprintf("; R² needs %d mappings whose measured flows increase with the predicted flows",
			validate.MinMappings)
	}
	t.Note += ")"
	return t
}

// row adds a row with the errors of pairs, as computed by validate.Summarize.
func (p *pairs) row(t *Table, of string, tau, regret Cell) {
	if len(p.predicted) == 0 {
		return
	}
	var errs []float64
	for i := range p.predicted {
		errs = append(errs, math.Abs(p.predicted[i]-p.measured[i])/p.measured[i])
	}
	agree := dash()
	if r := validate.RSquare(p.predicted, p.measured); r > 0 && p.mappings >= validate.MinMappings {
		agree = decimals(r, 3)
	}
	t.add(append(append([]Cell{text(of)}, errorCells(errs)...), agree, tau, regret)...)
}

// errorCells sorts absolute errors, and shows their mean, their median, their 95 % quantile and the largest error.
func errorCells(errs []float64) []Cell {
	slices.Sort(errs)
	return []Cell{percent(stat.Mean(errs, nil)), percent(middle(errs)), percent(stat.Quantile(0.95, stat.Empirical,
		errs, nil)), percent(errs[len(errs)-1])}
}
