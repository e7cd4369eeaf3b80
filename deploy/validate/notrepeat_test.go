package validate

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNotRepeatable: if a run has no output of the sources, no repeatability is computed and the reason names
// the runs. An error of 3 % or more then counts as significant. The output contains no number that JSON cannot
// represent.
func TestNotRepeatable(t *testing.T) {
	still := func(runs ...float64) []Case {
		return []Case{{Name: "best 1", Predicted: 9, Measured: 3, Runs: runs},
			{Name: "best 2", Predicted: 3, Measured: 3, Runs: []float64{3, 3.1}}}
	}
	for _, x := range []struct {
		name  string
		cases []Case
		why   string // "" if it can be computed
	}{
		{"all moved", still(3, 2.9, 3.1), ""},
		{"one run stood still", still(3, 0, 3.1), "the sources sent nothing in 1 of 3 runs of best 1"},
		{"one run each", []Case{{Name: "a", Runs: []float64{3}}}, "no mapping ran twice"},
		{"one failed", []Case{{Name: "a", Runs: []float64{3}}, {Name: "b", Runs: []float64{1, 2}, Fail: "it crashed"}},
			"no mapping that could be measured ran twice"},
		{"all failed", []Case{{Name: "b", Runs: []float64{1, 2}, Fail: "it crashed"}}, "no mapping could be measured"},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := Repeatability(x.cases)
			if why := NotRepeatable(x.cases); why != x.why || (r == nil) != (x.why != "") {
				t.Errorf("repeatability is %v, because %q", r, why)
			}
			repeat(x.cases)
			if c := &x.cases[0]; x.why != "" && c.Fail == "" && c.Repeated95 {
				t.Error("a case has a repeatability that could not be computed")
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		})
	}
	cases := still(3, 0, 3.1)
	if repeat(cases); !cases[0].Significant() || cases[1].Significant() {
		t.Error("an error of 200 % is not significant, or one of 0 % is")
	}
}

// TestSignificantDisturbed: a prediction above runs of which most were disturbed is not significant, because other
// programs can only slow a run. Its parts are computed nevertheless. A prediction below them is significant.
func TestSignificantDisturbed(t *testing.T) {
	d := threeKernels(t)
	for _, x := range []struct {
		measured  float64
		disturbed int
		want      bool
	}{{50e6, 0, true}, {50e6, 1, true}, {50e6, 2, false}, {50e6, 3, false}, {200e6, 3, true}} {
		c := ran(t, d, x.measured, 1e-9, 20e-9, 1e-9)
		c.Runs, c.Repeats, c.Repeated95 = []float64{x.measured, x.measured, x.measured}, 0.01, true
		c.Disturbed = x.disturbed
		if err := c.explain(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if c.Significant() != x.want || len(c.Parts) == 0 {
			t.Errorf("%d of 3 runs at %g disturbed: significant %t, %d parts", x.disturbed, x.measured,
				c.Significant(), len(c.Parts))
		}
	}
}

// TestNothingMoved: a mapping without output of the sources in most runs counts as not measured, because an
// error relative to 0 is undefined.
func TestNothingMoved(t *testing.T) {
	cases := []Case{{Name: "best 1", Predicted: 9, Runs: []float64{0, 0, 3}}}
	if err := (&trials{cases: cases, sums: make([][][]float64, 1)}).summarize(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(cases[0].Fail, "the sources sent nothing in 2 of 3 runs: ") {
		t.Errorf("it fails because %q", cases[0].Fail)
	}
	if _, err := json.Marshal(Summarize(cases)); err != nil {
		t.Error(err)
	}
}
