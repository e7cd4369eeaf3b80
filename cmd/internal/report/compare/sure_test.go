package compare

import (
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestSure checks that the certainty of a predicted change includes the origins of the figures and the intervals.
func TestSure(t *testing.T) {
	of := func(rate result.Number, interval *[2]result.Number, origins ...result.OriginCount) *result.Candidate {
		return &result.Candidate{Throughput: rate, Figures: origins, Interval: interval}
	}
	measured, assumed := result.OriginCount{Origin: "measured", Count: 3}, result.OriginCount{Origin: "assumed",
		Count: 1}
	wide, narrow := &[2]result.Number{1e6, 9e6}, &[2]result.Number{7e6, 8e6}
	for want, got := range map[string]string{
		"predicted from 3 measured and 1 assumed figures": throughputSure(of(5e6, nil, measured, assumed),
			of(7e6, nil, measured, assumed)),
		"predicted from 1 assumed figure, then predicted from 3 measured figures": throughputSure(
			of(5e6, nil, assumed), of(7e6, nil, measured)),
		"predicted from 3 measured figures; their 95 % confidence intervals overlap": throughputSure(
			of(5e6, wide, measured), of(7.5e6, narrow, measured)),
		"predicted from 3 measured figures; their 95 % confidence intervals do not overlap": throughputSure(
			of(5e6, &[2]result.Number{4e6, 6e6}, measured), of(7.5e6, narrow, measured)),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	doubted := of(5e6, nil, measured)
	doubted.Disturbed = 2
	if s := throughputSure(doubted, doubted); !strings.Contains(s, "2 measured on a disturbed machine") {
		t.Errorf("a disturbed profile is not told: %q", s)
	}
}
