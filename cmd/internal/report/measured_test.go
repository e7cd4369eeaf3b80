package report

import (
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestClock checks that a frequency is printed only if it is known.
func TestClock(t *testing.T) {
	for want, c := range map[string]result.Clock{"TSC": {Name: "TSC"}, "TSC at 2.5 GHz": {Name: "TSC", Hertz: 2.5e9}} {
		if got := clockName(&c); got != want {
			t.Errorf("%v: %q, want %q", c, got, want)
		}
	}
}

// TestQueueQuantiles checks that a quantile is omitted if its bin is too wide.
func TestQueueQuantiles(t *testing.T) {
	t.Parallel()
	d := &result.Distribution{Samples: 100, Elements: 100, Mean: 1.72, Max: 100,
		Bins: []result.Bin{{From: 0, To: 33, Elements: 90}, {From: 96, To: 104, Elements: 10}}}
	if p50, p99 := quantile(d, 0.5).Text, quantile(d, 0.99).Text; p50 != dash().Text || p99 != "100" {
		t.Errorf("p50 is %s and p99 %s, want a dash and 100", p50, p99)
	}
	d.Bins[0].To, d.Max = 1, 103
	if p50 := quantile(d, 0.5).Text; p50 != "0" {
		t.Errorf("p50 is %s, want 0", p50)
	}
}

// TestHistogramRows checks that the requested bins are printed one per row, that merged rows say so, and that samples
// are not counted as elements.
func TestHistogramRows(t *testing.T) {
	t.Parallel()
	q := result.Query{Name: "m1", Type: "occupancy", Statistic: "hist", Bins: 32}
	d := &result.Distribution{Samples: 11, Elements: 33}
	for i := range 33 { // including values above the range
		d.Bins = append(d.Bins, result.Bin{From: float64(100 * i), To: float64(100*i + 100), Elements: 1})
	}
	q.Total.Samples = d
	got := queryHistogram(0, &q)
	if len(got.Rows) != 33 || got.Note != "" || !strings.Contains(got.Title,
		"11 samples, which represent 33 elements") {
		t.Errorf("%d rows, note %q, title %q", len(got.Rows), got.Note, got.Title)
	}
	q.Bins, d.Samples = 0, 33
	got = queryHistogram(0, &q)
	if len(got.Rows) != 11 || !strings.Contains(got.Note, "each row combines 3 bins") || !strings.HasSuffix(got.Title,
		"of 33 elements") {
		t.Errorf("%d rows, note %q, title %q", len(got.Rows), got.Note, got.Title)
	}
}
