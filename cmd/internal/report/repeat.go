package report

import (
	"fmt"

	"xopt/internal/units"
	"xopt/mapper/result"
)

// againMeaning says what the column of repeatability has.
const againMeaning = "two measurements of the mapping, medians of as many runs, differ by no more in 95 % of cases"

// repeatWords are how well the measurement of a case repeats, and whether its error is beyond that.
func repeatWords(c *result.ValidatedCase) (Cell, string) {
	again, beyond := dash(), "no"
	if c.Repeats != nil {
		again = percent(*c.Repeats)
	}
	switch {
	case c.Unsteady:
		beyond = "not steady"
	case c.Repeats == nil && !c.Significant:
		beyond = "-"
	case c.Significant && 2*c.Disturbed > len(c.Runs):
		beyond = "disturbed"
	case c.Significant:
		beyond = "yes"
	}
	return again, beyond
}

// repeatNote explains the columns of repeatability.
func repeatNote(v *result.Validation) string {
	if v.Repeatability == nil {
		why := v.NotRepeatable
		if why == "" {
			why = "no mapping ran twice"
		}
		return "(repeats: repeatability could not be computed because " + why +
			"; an error of 3 % or more is taken to be significant)"
	}
	note := "(repeats: " + againMeaning + "; beyond: whether the error is greater than that, and so significant"
	if disturbed, _, _ := disturbedRuns(v); disturbed > 0 {
		note += "; disturbed: it is, but other programs were busy in most of the runs"
	}
	return note + ")"
}

// spreadWords say what repeatability is, and how it was found.
func spreadWords(r *result.Repeatability) string {
	return fmt.Sprintf("Runs of one mapping spread by %s from round to round (95 %% interval %s to %s): standard "+
		"deviation "+
		"of the logarithm, over all mappings, %s.", units.Percent(r.Spread), units.Percent(r.Interval[0]),
		units.Percent(r.Interval[1]), units.Counted(r.Freedom, "degree of freedom", "degrees of freedom"))
}

// notSignificant says why no parts of an error are told.
func notSignificant(c *result.ValidatedCase) string {
	if c.Repeats == nil {
		return "below 3 %: not analysed"
	}
	return fmt.Sprintf("not significant: the machine itself repeats within %s", units.Percent(float64(*c.Repeats)))
}
