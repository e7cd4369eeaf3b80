package validate

import (
	"math"
	"slices"
	"testing"

	"xopt/mapper/result"
)

// TestSummarize compares the summary with hand-computed values.
func TestSummarize(t *testing.T) {
	edge := func(p, m float64) []result.ValidatedEdge {
		return []result.ValidatedEdge{{Predicted: p, Equal: p, Measured: m}}
	}
	cases := []Case{
		{Name: "1", Predicted: 110, Measured: 100, Edges: edge(110, 100)}, // +10 %
		{Name: "2", Predicted: 105, Measured: 120, Edges: edge(105, 120)}, // -12.5 %
		{Name: "3", Predicted: 60, Measured: 60, Edges: edge(60, 60)},     // 0
		{Name: "4", Predicted: 50, Measured: 40, Edges: edge(50, 40)},     // +25 %
		{Name: "5", Predicted: 1, Fail: "it crashed"},
	}
	s := Summarize(cases)
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
	if s.Cases != 4 {
		t.Errorf("%d cases", s.Cases)
	}
	near("mean", s.Mean, (0.1+0.125+0+0.25)/4)
	near("median", s.Median, 0.1125)
	near("worst", s.Worst, 0.25)
	near("edge median", s.EdgeMedian, 0.1125)
	// Only one of six pairs is in the wrong order, that of the first two mappings.
	near("tau", *s.Kendall, 4./6)
	near("regret", *s.Regret, 20./120)
	near("R squared of four mappings", s.RSquare, 0)
	// The order of the cases changes nothing, and a first candidate that failed has no regret.
	slices.Reverse(cases)
	near("regret in another order", *Summarize(cases).Regret, 20./120)
	cases[0].Predicted = 200
	if r := Summarize(cases).Regret; r != nil {
		t.Errorf("the regret of a first candidate that failed is %g, want none", *r)
	}
	// r = Sxy / sqrt(Sxx Syy) for (110,100), (105,120), (60,60), (50,40) and their mean, which adds nothing.
	cases[0] = Case{Predicted: 81.25, Measured: 80, Edges: edge(81.25, 80)}
	near("R squared", Summarize(cases).RSquare, 3200.0*3200/(2818.75*4000))
	if r := RSquare([]float64{1, 2, 3}, []float64{3, 2, 1}); r != 0 {
		t.Errorf("a reversed ranking has R² %g", r)
	}
	if empty := Summarize(nil); empty.Cases != 0 {
		t.Errorf("nothing gives %+v", empty)
	}
}

// TestDisturbedOfRuns: a disturbed run that failed is not among the runs, and does not count as a disturbed one.
func TestDisturbedOfRuns(t *testing.T) {
	c := Case{}
	for range 2 {
		before := len(c.Runs)
		c.Runs = append(c.Runs, 1)
		c.countDisturbed(before, true, true)
	}
	c.countDisturbed(len(c.Runs), true, true) // it failed
	if c.Disturbed != 2 || c.Disturbed > len(c.Runs) {
		t.Errorf("disturbed in %d of %d runs, want 2 of 2", c.Disturbed, len(c.Runs))
	}
	c.Fail = "a later run failed" // a result has no runs of the mapping then
	if x := Result(nil, []Case{c}, Kind{}).Cases[0]; x.Disturbed > len(x.Runs) {
		t.Errorf("a failed mapping is disturbed in %d of %d runs", x.Disturbed, len(x.Runs))
	}
}
