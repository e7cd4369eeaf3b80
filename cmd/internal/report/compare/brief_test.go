package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"xopt/cmd/internal/report/compare"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// TestNeeds checks that a changed latency, memory and area are listed with their units, and equal ones are not.
func TestNeeds(t *testing.T) {
	of := func(seconds, bytes, lut result.Number) *result.Result {
		return &result.Result{Candidates: []result.Candidate{{Throughput: 1e6,
			Latency: &result.Latency{Load: 0.9, Seconds: seconds},
			Queues: []result.Queue{{Edge: "e", Recommended: &result.Recommendation{
				Estimate: result.Estimate{Bytes: bytes}}}},
			Resources: []result.Share{{Name: "fpga", Area: []result.Area{{Kind: "lut", Used: lut}}}}}}}
	}
	var got []string
	for _, c := range compare.Results(of(2e-3, 400, 1000), of(1e-3, 800, 1000)).Predicted[1:] {
		got = append(got, fmt.Sprint(c.What, c.Unit, c.Change))
	}
	if s := strings.Join(got, ";"); s != "latencys-50 %;buffersB+100 %" {
		t.Errorf("changed %s", s)
	}
	if list := compare.Results(of(1, 1, 1000), of(1, 1, 1500)).Predicted[1:]; len(list) != 1 || list[0].Unit != "" ||
		list[0].Change != "+50 %" {
		t.Errorf("area %+v", list)
	}
}

// TestOverlap checks that two profiles with overlapping intervals show no significant change, and one profile does.
func TestOverlap(t *testing.T) {
	of := func(rate result.Number, p *profile.Profile) *result.Result {
		return &result.Result{Profile: p, Candidates: []result.Candidate{{Throughput: rate,
			Interval: &[2]result.Number{0.8 * rate, 1.2 * rate}}}}
	}
	p := &profile.Profile{Kernels: []profile.Kernel{{Block: "A"}}}
	q := &profile.Profile{Kernels: []profile.Kernel{{Block: "B"}}}
	for _, c := range []struct {
		after *result.Result
		want  string
	}{{of(1.1e6, q), "~"}, {of(2e6, q), "+100 %"}, {of(1.1e6, p), "+10 %"}} {
		x := compare.Results(of(1e6, p), c.after).Predicted[0]
		if x.Change != c.want || x.Spread[0] != "(0.8 to 1.2 MB/s)" {
			t.Errorf("got %+v, want %s", x, c.want)
		}
	}
}

// TestBrief checks that a terminal shows the throughput and the three worst rows after the common error.
func TestBrief(t *testing.T) {
	d := &compare.Difference{BesideOf: "1", Comparisons: []predict.Comparison{{What: "throughput", Predicted: 2,
		Measured: 1}}}
	for i := range 9 {
		d.Comparisons = append(d.Comparisons, predict.Comparison{What: fmt.Sprint("e", i), Measured: 1,
			Predicted: result.Number(2 + 0.1*float64(i%5))})
	}
	for _, p := range d.Brief() {
		if p.Table == nil || p.Table.ID != "beside" {
			continue
		}
		if len(p.Table.Rows) != 4 || p.Table.Rows[1].Cells[0].Text != "e0" || !strings.Contains(p.Table.Note,
			"9 edges: +120 %") {
			t.Errorf("%d rows, first %+v, note %q", len(p.Table.Rows), p.Table.Rows[1].Cells[0], p.Table.Note)
		}
	}
}

// TestHeadline checks that a difference between predictions starts with the change in throughput.
func TestHeadline(t *testing.T) {
	of := func(rate result.Number, p *profile.Profile) *result.Result {
		return &result.Result{Profile: p, Candidates: []result.Candidate{{Throughput: rate,
			Interval: &[2]result.Number{0.8 * rate, 1.2 * rate}}}}
	}
	p, q := &profile.Profile{Kernels: []profile.Kernel{{Block: "A"}}}, &profile.Profile{}
	for want, d := range map[string]*compare.Difference{
		"Throughput  -50 %: 2 MB/s before, 1 MB/s after (predicted)": compare.Results(of(2e6, p), of(1e6, p)),
		"Throughput  unchanged: 2 MB/s (predicted)":                  compare.Results(of(2e6, p), of(2e6, p)),
		"Throughput  no significant change: 1 MB/s (0.8 to 1.2 MB/s) before, 1.1 MB/s (0.88 to 1.32 MB/s) after " +
			"(predicted)": compare.Results(of(1e6, p), of(1.1e6, q)),
		"Throughput  2 MB/s predicted, 1 MB/s measured: error +100 %": {BesideOf: "1",
			Remarks:     []fault.Note{{Text: "busy"}},
			Comparisons: []predict.Comparison{{What: "throughput", Predicted: 2e6, Measured: 1e6}}},
	} {
		if got := d.Brief()[0].Text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
