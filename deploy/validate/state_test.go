package validate

import (
	"math"
	"slices"
	"testing"

	"xopt/flow/design"
	"xopt/mapper/result"
)

// TestInUndisturbed: runs with distant cores or with large corrections do not count if there are enough others.
// All runs are corrected.
func TestInUndisturbed(t *testing.T) {
	near, far := &design.MachineState{}, &design.MachineState{FarApart: true}
	for name, x := range map[string]struct {
		c      Case
		want   []float64
		enough bool
	}{
		"nothing tells": {Case{Runs: []float64{90, 100}}, []float64{90, 100}, false},
		"two are good": {Case{Runs: []float64{99, 70, 98, 80}, Slowed: []float64{0.99, 0.9, 0.98, 0.8},
			States: []*design.MachineState{near, far, near, near}}, []float64{100, 100}, true},
		"one is good": {Case{Runs: []float64{99, 70}, Slowed: []float64{0.99, 0.7},
			States: []*design.MachineState{near, far}}, []float64{100, 100}, false},
		"far, but nothing is known to cost more": {Case{Runs: []float64{80, 100, 100}, Slowed: []float64{1, 1, 1},
			States: []*design.MachineState{far, near, near}}, []float64{100, 100}, true},
		"faster than in good time": {Case{Runs: []float64{100, 102, 104}, Slowed: []float64{1.1, 1.2, 1.1},
			States: []*design.MachineState{near, near, near}}, []float64{100, 102, 104}, true},
		"the good ones were slower": {Case{Runs: []float64{99, 100, 120, 130}, Slowed: []float64{1, 1, 0.9, 0.9},
			States: []*design.MachineState{near, near, near, near}}, []float64{99, 100, 120, 130}, true},
	} {
		got := x.c.undisturbedTimes()
		if !slices.EqualFunc(got, x.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
		if median(got) < median(x.c.Runs) {
			t.Errorf("%s: corrected to %g, measured %g", name, median(got), median(x.c.Runs))
		}
		if x.c.Slowed != nil && x.c.enoughGood() != x.enough {
			t.Errorf("%s: enough is %v", name, !x.enough)
		}
	}
}

// TestFaster: a machine that was clearly faster than when undisturbed is reported, and lowers no throughput.
func TestFaster(t *testing.T) {
	for slowed, want := range map[float64]float64{0.9: 0, 1.02: 0, 1.25: 0.25} {
		c := Case{Name: "best 1", Predicted: 90, Measured: 100, Runs: []float64{100}, Slowed: []float64{slowed},
			States: []*design.MachineState{{}}}
		c.Undisturbed = median(c.undisturbedTimes())
		v := Result(threeKernels(t), []Case{c}, Kind{})
		if x := v.Cases[0]; x.Faster != want || x.Slowed > 1 || x.Slowed != min(1, slowed) {
			t.Errorf("%g of good time: slowed %g, faster by %g", slowed, x.Slowed, x.Faster)
		}
	}
}

// TestMeanState: each quantity is averaged over the states that contain it.
func TestMeanState(t *testing.T) {
	mean := meanState([]*design.MachineState{
		{Slow: [][]float64{{0.1, 0.3}, nil}, Distance: 30e-9},
		{Slow: [][]float64{{0.3, 0.1}, nil}},
		{Slow: [][]float64{{0.2, 0.2}, nil}, Distance: 90e-9}})
	if math.Abs(mean.Distance-60e-9) > 1e-15 || mean.Slow[1] != nil || math.Abs(mean.Slow[0][0]-0.2) > 1e-12 ||
		math.Abs(mean.Slow[0][1]-0.2) > 1e-12 {
		t.Errorf("the mean is %+v", mean)
	}
}

// TestOnlyRunsThatCount: a case with some invalid runs has as many degrees of freedom as one with only the
// valid runs, and is settled when these agree.
func TestOnlyRunsThatCount(t *testing.T) {
	near, far := &design.MachineState{}, &design.MachineState{FarApart: true}
	with := Case{Runs: []float64{100, 60, 101, 55, 50, 99}, Slowed: []float64{1, 1, 1, 1, 1, 1},
		States: []*design.MachineState{near, far, near, far, far, near}}
	without := Case{Runs: []float64{100, 101, 99}}
	a, b := []Case{with}, []Case{without}
	got, want := Repeatability(a), Repeatability(b)
	if got.Freedom != 2 || math.Abs(float64(got.Spread-want.Spread)) > 1e-12 {
		t.Errorf("repeatability is %+v, and of the runs that count %+v", got, want)
	}
	repeat(a)
	repeat(b)
	if math.Abs(a[0].Repeats-b[0].Repeats) > 1e-12 {
		t.Errorf("the runs repeat within %v, and those that count within %v", a[0].Repeats, b[0].Repeats)
	}
	if !with.settled() {
		t.Error("three of three runs that count agree within 2 %, and more are wanted")
	}
}

// TestUnsupportedCorrection: a single run is not corrected, nor are runs whose interval is wide and contains the
// measured throughput. Its error and interval are then of the measured throughput.
func TestUnsupportedCorrection(t *testing.T) {
	type runs struct{ measured, slowed []float64 }
	wide := runs{[]float64{40e6, 60e6}, []float64{0.5, 0.9}}
	firm := runs{[]float64{50e6, 50.2e6, 50.4e6}, []float64{0.5, 0.5, 0.5}}
	single := runs{[]float64{50e6}, []float64{0.5}}
	for name, x := range map[string]struct {
		runs []runs
		want []result.Uncorrected
	}{
		"one run each":     {[]runs{single, single}, []result.Uncorrected{result.SingleRun, result.SingleRun}},
		"the runs differ":  {[]runs{wide}, []result.Uncorrected{result.WideInterval}},
		"the runs agree":   {[]runs{firm}, []result.Uncorrected{""}},
		"one of two":       {[]runs{firm, single}, []result.Uncorrected{"", result.SingleRun}},
		"nothing was slow": {[]runs{{[]float64{50e6}, []float64{0.99}}}, []result.Uncorrected{""}},
	} {
		t.Run(name, func(t *testing.T) {
			d := threeKernels(t)
			cases, flows := make([]Case, len(x.runs)), make([][][]float64, len(x.runs))
			for i, r := range x.runs {
				cases[i] = *ran(t, d, median(r.measured), 1e-9, 20e-9, 1e-9)
				cases[i].design = d
				cases[i].Runs, cases[i].Slowed = r.measured, r.slowed
				for range r.measured {
					cases[i].States = append(cases[i].States, &design.MachineState{})
				}
				flows[i] = make([][]float64, len(cases[i].Edges))
				for e := range flows[i] {
					flows[i][e] = r.measured
				}
			}
			if err := (&trials{cases: cases, sums: flows}).summarize(t.Context()); err != nil {
				t.Fatal(err)
			}
			v := Result(d, cases, Kind{})
			for i, want := range x.want {
				c := &v.Cases[i]
				plain := want != "" || len(c.Runs) < 2
				if c.Uncorrected != want || plain != (c.Undisturbed == 0) || plain != (c.Ran() == c.Measured) {
					t.Errorf("%d: %q, undisturbed %g, measured %g", i, c.Uncorrected, c.Undisturbed, c.Measured)
				}
				if (want != "") != (c.Slowed < 0.9 && plain) {
					t.Errorf("%d: the machine had %g of its speed", i, c.Slowed)
				}
				if c.Interval != nil && (c.Ran() < c.Interval[0] || c.Ran() > c.Interval[1]) {
					t.Errorf("%d: %g is not in %v", i, c.Ran(), *c.Interval)
				}
				if not := v.Verdict.Standings[i] == result.NotCorrected; not != (want != "" && x.want[0] == "") {
					t.Errorf("%d: its standing is %q", i, v.Verdict.Standings[i])
				}
			}
			if name == "one of two" && v.Verdict.Unknown != result.FewCorrected {
				t.Errorf("the ranking is unknown because %q", v.Verdict.Unknown)
			}
		})
	}
}
