package validate

import (
	"slices"
	"testing"

	"xopt/flow/design"
	"xopt/mapper/result"
)

// TestBounded checks that runs in which other programs used the processors yield only a lower bound, however small the
// correction by the reference is: no undisturbed throughput, no interval, no significant error and no rank. Summaries
// count only the other mappings. Two undisturbed runs suffice for a throughput.
func TestBounded(t *testing.T) {
	d := threeKernels(t)
	of := func(name string, crowded ...bool) Case {
		c := ran(t, d, 20e6, 1e-9, 20e-9, 1e-9)
		c.design, c.Name, c.Crowded, c.Runs, c.Slowed, c.States = d, name, crowded, nil, nil, nil
		for i, busy := range crowded {
			c.Runs = append(c.Runs, 20e6+1e5*float64(i))
			c.Slowed, c.States = append(c.Slowed, 0.99), append(c.States, &design.MachineState{})
			if busy {
				c.Disturbed, c.Others, c.Disturbance = c.Disturbed+1, 1.6, "other programs used 1.60 of 2 processors"
			}
		}
		return *c
	}
	cases := []Case{of("busy", true, true, true), of("one undisturbed run", true, false, true),
		of("two undisturbed runs", true, false, false), of("undisturbed", false, false, false)}
	for i := range cases {
		cases[i].Measured = median(cases[i].Runs)
		if err := cases[i].correct(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	discardUnsupported(cases)
	repeat(cases)
	for i := range cases {
		if err := cases[i].explain(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	v := Result(d, cases, Kind{})
	for i, bounded := range []bool{true, true, false, false} {
		c := &v.Cases[i]
		if c.Bounded != bounded || (c.Interval == nil) != bounded || (c.Undisturbed == 0) != bounded ||
			(c.Repeats == nil) != bounded || (c.Slowed == 0) != bounded || c.Significant == bounded ||
			(len(c.Parts) == 0) != bounded {
			t.Errorf("%s: %+v", c.Name, c)
		}
	}
	if s := v.Summary; s.Cases != 2 || s.Bounded != 2 {
		t.Errorf("%d mappings and %d bounds", s.Cases, s.Bounded)
	}
	if x := v.Verdict.Standings; !slices.Equal(x[:2], []result.Standing{result.Disturbed, result.Disturbed}) {
		t.Errorf("standings %v", x)
	}
	if r := v.Repeatability; r == nil || r.Freedom != 3 { // one of two runs, and two of three
		t.Errorf("repeatability %+v", r)
	}
	all := Result(d, cases[:2], Kind{})
	if all.Summary.Cases != 0 || all.Repeatability != nil || all.NotRepeatable == "" ||
		all.Verdict.Unknown != result.MostDisturbed {
		t.Errorf("only bounds: %+v, %+v", all.Summary, all.Verdict)
	}
}
