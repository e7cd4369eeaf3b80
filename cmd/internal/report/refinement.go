package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"xopt/deploy/validate"
	"xopt/flow"
)

// Learned is what runs teach of what kernels and cores take.
func Learned(r *validate.Refinement) *Table {
	ns := func(v float64) Cell {
		x := decimals(v*nanoseconds, 3)
		x.Value = v
		return x
	}
	t := &Table{ID: "learned", Title: fmt.Sprintf("Learned from %d mappings that ran: what the profile has, and what "+
		"was measured in place; only what is beyond chance", r.Ran), Columns: []Column{name("of"),
		name("platform"), name("part"), name("for a"), inNanoseconds("before", "s"),
		inNanoseconds("refined", "s"), inNanoseconds("95 % from", "s"), inNanoseconds("to", "s"), number("times"),
		number("mappings"), number("runs")}}
	for i := range r.Learned {
		l := &r.Learned[i]
		part, per, times := l.Part.String(), "byte", dash()
		switch l.Part {
		case flow.Compute:
			part, times = "alone", decimals(l.Factor(), 3)
		case flow.Switching:
			per = "firing"
		}
		t.add(text(cmp.Or(l.Kernel, "shared cores")), text(l.Platform), text(part), text(per), ns(l.Was), ns(l.Is),
			ns(l.Low), ns(l.High), times, whole(l.Mappings), whole(l.Runs))
	}
	return t
}

// Refinement is what refining a profile is worth.
func Refinement(r *validate.Refinement) *Table {
	t := &Table{ID: "refinement", Title: fmt.Sprintf("Errors of the predicted throughput of %d mappings that ran; "+
		"left out: of each, refined by the others alone", len(r.Before)), Columns: []Column{name(""),
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
