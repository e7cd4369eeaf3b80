package report_test

import (
	"bytes"
	"strings"
	"testing"

	"xopt/cmd/internal/report"
	"xopt/cmd/internal/report/text"
	"xopt/mapper/result"
)

// searched returns the result of a search with the given throughputs, in MB/s.
func searched(rates ...result.Number) *result.Result {
	r := &result.Result{Search: &result.Search{Method: "exhaustive", Status: "optimal", Optimal: true}}
	for i, x := range rates {
		r.Candidates = append(r.Candidates, result.Candidate{Name: string(rune('1' + i)), Throughput: x * 1e6,
			Queues: []result.Queue{{Edge: "top.e", Recommended: &result.Recommendation{Level: "heuristic",
				Estimate: result.Estimate{Elements: 10, Bytes: 1e3}}}}})
	}
	return r
}

// TestSearchHead checks the head of a search: the throughput with buffers if it is lower, the certainty of their
// sizes, and the candidates within the first one's interval.
func TestSearchHead(t *testing.T) {
	costs := func(r *result.Result, left result.Number, stopped string) {
		r.Candidates[0].Limit(&result.WithBuffers{Throughput: left, Sizes: "recommended", Level: "simulated",
			Interval: &[2]result.Number{65e6, 67e6}, Events: 1e6, Stopped: stopped})
	}
	for _, x := range []struct {
		change   func(r *result.Result)
		has, not string
	}{
		{func(*result.Result) {}, "1 kB in total, as recommended\n", "cannot rank"},
		{func(r *result.Result) { costs(r, 66e6, "") }, "as recommended (heuristic); with them " +
			"the throughput is 66 MB/s, 80.5 % of the flow bound (simulated)", "deadlocks"},
		{func(r *result.Result) { costs(r, 81.9e6, "") }, "as recommended\n", "with them"},
		{func(r *result.Result) { costs(r, 66e6, "a waits for b") }, "mapping deadlocks", "with them the throughput"},
		{func(r *result.Result) {
			r.Candidates[1].Robustness = &result.Robustness{Behind: .6, Decide: &result.Doubt{Block: "B", Platform: "C",
				Part: .7}}
		}, "the measurements cannot rank candidates 1 and 2", "1 to 3"},
		{func(r *result.Result) { r.Candidates[1].Robustness = &result.Robustness{Behind: .96} }, "proven optimal",
			"cannot rank"},
	} {
		r := searched(82, 80, 50)
		x.change(r)
		var b bytes.Buffer
		if err := text.Write(&b, report.Terminal(r), text.Style{}); err != nil {
			t.Fatal(err)
		}
		if printed := b.String(); !strings.Contains(printed, x.has) || strings.Contains(printed, x.not) {
			t.Errorf("%q is missing, or %q is in\n%s", x.has, x.not, printed)
		}
	}
}
