package view

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"xopt/internal/validate"
)

// Factors are how many times its own time each kernel takes in place.
func Factors(r *validate.Refinement) *Table {
	t := &Table{ID: "factors", Title: "Service times in place over those that the profile has alone: mean over " +
		"mappings, " +
		"measured, where the 95 % interval leaves out 1", Columns: []Column{name("kernel"), name("platform"),
		number("times"), number("95 % from"), number("to"), number("mappings"), number("runs")}}
	for _, f := range r.Factors {
		t.add(text(f.Kernel), text(f.Platform), decimals(f.Ratio, 3), decimals(f.Low, 3), decimals(f.High, 3),
			whole(f.Mappings), whole(f.Runs))
	}
	return t
}

// Refinement is what refining a profile is worth.
func Refinement(r *validate.Refinement) *Table {
	t := &Table{ID: "refinement", Title: fmt.Sprintf("Errors of the predicted throughput of %d mappings that ran; "+
		"left out: of each, with factors from the others alone", len(r.Before)), Columns: []Column{name(""),
		number("mean"), number("median"), number("95 %").about(mostErrors), number("worst")}}
	for _, x := range []struct {
		name string
		errs []float64
	}{{"before", r.Before}, {"after, left out", r.LeftOut}, {"after, fitted to all", r.Fitted}} {
		var errs []float64
		for _, e := range x.errs {
			errs = append(errs, math.Abs(e))
		}
		slices.Sort(errs)
		t.add(text(x.name), percent(stat.Mean(errs, nil)), percent(middle(errs)), percent(stat.Quantile(0.95,
			stat.Empirical, errs, nil)), percent(errs[len(errs)-1]))
	}
	return t
}
