package validate

import (
	"math"
	"slices"
	"testing"

	"xopt/mapper/result"
)

// TestJudge: runs rank mappings by their intervals alone, and disturbed or unsteady ones not at all.
func TestJudge(t *testing.T) {
	type run struct {
		predicted, low, high float64
		disturbed            int // of 3 runs
		unsteady             bool
	}
	of := func(runs ...run) *result.Validation {
		v := &result.Validation{}
		for _, x := range runs {
			c := result.ValidatedCase{Predicted: result.Number(x.predicted), Measured: math.Sqrt(x.low * x.high),
				Runs: []float64{x.low, x.low, x.high}, Disturbed: x.disturbed, Unsteady: x.unsteady}
			if x.low < x.high {
				c.Interval = &[2]float64{x.low, x.high}
			}
			v.Cases = append(v.Cases, c)
		}
		return v
	}
	const none = -9 // no τ, or no regret
	fastest, among, slower := result.Fastest, result.AmongFastest, result.Slower
	for _, c := range []struct {
		name        string
		runs        []run
		unknown     result.Unknown
		standings   []result.Standing
		tau, regret float64
	}{
		{"in order", []run{{3, 90, 110, 0, false}, {2, 60, 70, 0, false}, {1, 40, 50, 1, false}}, "",
			[]result.Standing{fastest, slower, slower}, 1, 0},
		{"the first is slower", []run{{3, 24, 26, 0, false}, {2, 99, 101, 0, false}}, "",
			[]result.Standing{slower, fastest}, -1, 0.75},
		{"two overlap", []run{{3, 80, 100, 0, false}, {2, 90, 110, 0, false}, {1, 40, 50, 0, false}}, "",
			[]result.Standing{among, among, slower}, 1, none},
		{"the first is slower than two", []run{{3, 24, 26, 0, false}, {2, 99, 102, 0, false}, {1, 98, 101, 0, false}},
			"", []result.Standing{slower, among, among}, -1, 0.75},
		{"all overlap", []run{{3, 80, 100, 0, false}, {2, 90, 110, 0, false}}, result.AllOverlap,
			[]result.Standing{"", ""}, none, none},
		{"most runs disturbed", []run{{3, 90, 110, 3, false}, {2, 40, 50, 2, false}, {1, 20, 30, 0, false}},
			result.MostDisturbed, []result.Standing{result.Disturbed, result.Disturbed, ""}, none, none},
		{"the first is disturbed", []run{{3, 90, 110, 3, false}, {2, 40, 50, 0, false}, {1, 20, 30, 0, false}}, "",
			[]result.Standing{result.Disturbed, fastest, slower}, 1, none},
		{"not steady", []run{{3, 90, 110, 0, true}, {2, 40, 50, 0, false}}, result.MostUnsteady,
			[]result.Standing{result.Unsteady, ""}, none, none},
		{"one run each", []run{{3, 100, 100, 0, false}, {2, 50, 50, 0, false}}, result.NoInterval,
			[]result.Standing{"", ""}, none, none},
		{"one mapping", []run{{3, 90, 110, 0, false}}, result.SingleMapping, []result.Standing{""}, none, none},
	} {
		v := of(c.runs...)
		for range 2 { // the order of the cases changes nothing
			x := Judge(v)
			near := func(got *float64, want float64) bool {
				return got == nil && want == none || got != nil && math.Abs(*got-want) < 0.01
			}
			if x.Unknown != c.unknown || !slices.Equal(x.Standings, c.standings) || !near(x.Kendall, c.tau) ||
				!near(x.Regret, c.regret) || (x.Fastest >= 0) != (x.Unknown == "") {
				t.Errorf("%s: %+v", c.name, x)
			}
			slices.Reverse(v.Cases)
			slices.Reverse(c.standings)
		}
	}
	v := of(run{3, 24, 26, 0, false}, run{2, 99, 101, 0, false})
	if v.Unranked = true; Judge(v).Regret != nil {
		t.Error("there is a regret where nothing was searched")
	}
	v = of(run{3, 100, 100, 0, false}, run{2, 50, 50, 0, false})
	if v.FromProfile = true; Judge(v).Regret == nil {
		t.Error("times from a profile do not rank mappings, though every run is the same")
	}
	wide := math.Sqrt2 * math.Log(1.5) // older files have no intervals
	v.FromProfile, v.Cases[0].Repeats, v.Cases[1].Repeats = false, &wide, &wide
	if x := Judge(v); x.Unknown != result.AllOverlap {
		t.Errorf("66 to 150 and 33 to 75: %+v", x)
	}
	tau := 0.5
	v.Verdict, v.Summary.Kendall = &result.Verdict{Unknown: result.NoInterval}, &tau
	if x := VerdictOf(v); x.Unknown != result.NoInterval || x.Kendall != &tau {
		t.Errorf("the verdict of the file is not used: %+v", x)
	}
}

// TestJudgeSimulated: a difference of 0.1 % between simulated mappings is not significant.
func TestJudgeSimulated(t *testing.T) {
	v := &result.Validation{FromProfile: true}
	for _, x := range []float64{98.4, 98.5, 50} {
		v.Cases = append(v.Cases, result.ValidatedCase{Predicted: result.Number(x), Measured: x, Runs: []float64{x}})
	}
	if x := Judge(v); x.Separate != 2 || x.Pairs != 3 || x.Standings[0] != result.AmongFastest {
		t.Errorf("%+v", x)
	}
}

// TestIntervalOfCase: a mapping whose own runs spread more than the others has a wider interval.
func TestIntervalOfCase(t *testing.T) {
	cases := []Case{{Measured: 100, Runs: []float64{99, 100, 101}}, {Measured: 100, Runs: []float64{50, 100, 200}},
		{Measured: 100, Runs: []float64{99, 100, 101}}}
	repeat(cases)
	v := Result(nil, cases, Kind{})
	quiet, wide := v.Cases[0].Interval, v.Cases[1].Interval
	if quiet == nil || wide == nil || !(wide[0] < quiet[0] && quiet[0] < 100 && 100 < quiet[1] && quiet[1] < wide[1]) {
		t.Errorf("intervals %v and %v", quiet, wide)
	}
	if d := math.Log(quiet[1]/quiet[0]) - math.Sqrt2**v.Cases[0].Repeats; math.Abs(d) > 1e-12 {
		t.Errorf("the interval differs from that of the critical difference by %g", d)
	}
	if v.Summary.Kendall != nil || v.Summary.Regret != nil || v.Verdict.Unknown != result.AllOverlap {
		t.Errorf("mappings that cannot be distinguished: %+v, %+v", v.Verdict, v.Summary)
	}
}

// TestJudgeExpected checks that simulations with the figures of a profile rank mappings only as far as the intervals of
// the figures separate them.
func TestJudgeExpected(t *testing.T) {
	v := &result.Validation{FromProfile: true}
	for _, x := range [][3]float64{{230, 145, 298}, {228, 144, 297}, {80, 60, 100}} {
		v.Cases = append(v.Cases, result.ValidatedCase{Predicted: result.Number(x[0]), Measured: x[0],
			Runs: []float64{x[0]}, Expected: &[2]result.Number{result.Number(x[1]), result.Number(x[2])}})
	}
	if x := Judge(v); x.Separate != 2 || x.Regret != nil || x.Standings[1] != result.AmongFastest {
		t.Errorf("%+v", x)
	}
	v.Cases = v.Cases[:2]
	if x := Judge(v); x.Unknown != result.AllOverlap || x.Kendall != nil || x.Fastest >= 0 || x.Standings[0] != "" {
		t.Errorf("figures that do not separate the mappings: %+v", x)
	}
}

// TestFirstChoice checks that a difference below the repeatability of simulations does not change the first choice.
func TestFirstChoice(t *testing.T) {
	for _, x := range []struct {
		list []float64
		want int
	}{{nil, -1}, {[]float64{0, 0}, 0}, {[]float64{145.89, 145.96, 144}, 0}, {[]float64{140, 145.96, 145.97}, 1}} {
		if got := FirstChoice(len(x.list), func(i int) float64 { return x.list[i] }); got != x.want {
			t.Errorf("%v: %d, want %d", x.list, got, x.want)
		}
	}
}

// TestSizesOrigin checks that buffers are called given only if a file gives them.
func TestSizesOrigin(t *testing.T) {
	d := threeKernels(t)
	c := ran(t, d, 50e6, 1e-9, 20e-9, 1e-9)
	c.design, c.Sizes = d, make([]result.ValidatedSize, len(c.Edges))
	for e := range c.Sizes {
		c.Sizes[e].Recommended = 8
	}
	for _, x := range []struct {
		given       int
		virtual     bool
		recommended float64
		want        string
	}{{0, false, 8, "recommended"}, {1, false, 8, "given, else recommended"}, {len(c.Edges), false, 8, "given"},
		{0, true, 8, "simulated"}, {0, false, 1e12, "default"}} {
		c.Given, c.Virtual, c.Sizes[0].Recommended = x.given, x.virtual, x.recommended
		if got := c.sizesOrigin(); got != x.want {
			t.Errorf("%+v: %q", x, got)
		}
	}
}
