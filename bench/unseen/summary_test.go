package unseen_test

import (
	"math"
	"strings"
	"testing"

	"xopt/bench/unseen"
	"xopt/mapper/result"
)

// TestSummarize summarizes two applications. All mappings have the same weight, and failed ones do not count.
func TestSummarize(t *testing.T) {
	mapping := func(predicted, measured, repeats float64, correct bool) unseen.Case {
		return unseen.Case{Predicted: predicted, Measured: measured, Runs: []float64{measured}, Repeats: &repeats,
			Significant: math.Abs(predicted-measured) > repeats*measured,
			Interval:    &[2]float64{0.99 * predicted, 1.01 * predicted},
			RunInterval: &[2]float64{0.9 * predicted, 1.05 * predicted}, Holds: correct}
	}
	several := mapping(80, 100, 0.3, true)
	several.Bottleneck, several.PossibleBottlenecks = []string{"core[1]"}, []string{"core[2]"}
	regret, one, zero := 0.25, 1., 0.
	r := &unseen.Results{Apps: []unseen.Study{
		{Kind: unseen.Text, FirstRan: true, Summary: result.Summary{Cases: 2, Kendall: &one, Regret: &regret},
			Cases: []unseen.Case{mapping(100, 100, 0.1, true), mapping(150, 100, 0.1, false), {Fail: "it crashed"}}},
		{Kind: unseen.Vector, Summary: result.Summary{Cases: 1, Kendall: &zero, Regret: nil},
			Cases: []unseen.Case{several}},
		{Kind: unseen.Mixed, Fail: "it could not be built"},
	}}
	r.Summarize()
	kinds := r.Kinds()
	if len(kinds) != 2 || kinds[0].Kind != unseen.Text || kinds[0].Apps != 1 || kinds[0].Mappings != 2 ||
		math.Abs(kinds[0].Errors.Median-0.25) > 1e-9 || kinds[1].Kind != unseen.Vector || kinds[1].Mappings != 1 {
		t.Errorf("by kind: %+v", kinds)
	}
	o := r.Overall
	if o.Apps != 2 || o.Mappings != 3 || o.Regrets != 1 || o.Regret.Worst != 0.25 || o.MinKendall != 0 {
		t.Errorf("%+v", o)
	}
	if o.Holds != (unseen.Share{Of: 3, Are: 2}) || o.Inside != (unseen.Share{Of: 3, Are: 1}) {
		t.Errorf("bottlenecks %+v, in interval %+v", o.Holds, o.Inside)
	}
	if o.Significant != (unseen.Share{Of: 3, Are: 1}) {
		t.Errorf("significant %+v", o.Significant)
	}
	for _, x := range []struct{ got, want float64 }{
		{o.Errors.Median, 0.2}, {o.Errors.Worst, 0.5}, {o.Repeats.Median, 0.1}, {o.Repeats.Worst, 0.3},
	} {
		if math.Abs(x.got-x.want) > 1e-9 {
			t.Errorf("%g, want %g: %+v", x.got, x.want, o)
		}
	}
	if o.HoldsAlone != (unseen.Share{Of: 2, Are: 1}) || o.Idle != 0 {
		t.Errorf("where only one bottleneck is named %+v, not told %d", o.HoldsAlone, o.Idle)
	}
	r.Apps[0].Cases[1].Idle = true
	if r.Summarize(); r.Overall.Holds != (unseen.Share{Of: 2, Are: 2}) || r.Overall.Idle != 1 {
		t.Errorf("with a mapping that was idle %+v, not told %d", r.Overall.Holds, r.Overall.Idle)
	}
	disturbed := unseen.Study{Cases: []unseen.Case{{Name: "best 1", Fail: "it was disturbed"}}}
	if why := disturbed.Excluded(); !strings.Contains(why, "best 1: it was disturbed") || r.Apps[0].Excluded() != "" ||
		r.Apps[2].Excluded() != "" {
		t.Errorf("excluded because %q, %q, %q", why, r.Apps[0].Excluded(), r.Apps[2].Excluded())
	}
	none := &unseen.Results{Apps: []unseen.Study{{Fail: "it could not be built"}}}
	if none.Summarize(); none.Overall != nil {
		t.Errorf("of nothing there is %+v", none.Overall)
	}
}
