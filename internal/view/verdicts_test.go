package view

import (
	"strings"
	"testing"

	"xopt/internal/result"
)

// TestNotTold: what a validation cannot tell is said, with the reason: repeatability, and the bottleneck of mappings
// in which nothing was busy.
func TestNotTold(t *testing.T) {
	ran := func(idle ...bool) *result.Validation {
		v := &result.Validation{}
		for _, x := range idle {
			v.Cases = append(v.Cases, result.ValidatedCase{Name: "a", Predicted: 4, Measured: 2, Holds: true, Idle: x,
				Significant: true, Runs: []result.Number{2, 2}})
		}
		return v
	}
	all := func(v *result.Validation) string {
		var b strings.Builder
		for _, p := range verdicts(v) {
			b.WriteString(p.Text + "\n")
		}
		return b.String()
	}
	for _, x := range []struct {
		v          *result.Validation
		want, lack string
	}{
		{ran(false, false), "right in 2 of 2 mappings", "cannot be told"},
		{ran(false, true), "right in 1 of 1 mappings (the predicted bottleneck was the busiest resource, within 3 " +
			"points). In 1 more it cannot be told", "of 2"},
		{ran(true, true), "cannot be told: in none of 2 mappings", "was predicted right in"},
	} {
		if got := all(x.v); !strings.Contains(got, x.want) || strings.Contains(got, x.lack) {
			t.Errorf("it tells %q, want %q and not %q", got, x.want, x.lack)
		}
	}
	v := ran(false)
	v.NotRepeatable = "nothing left the sources in 1 of 2 runs of a"
	if got := repeatNote(v); !strings.Contains(got,
		"could not be computed because nothing left the sources in 1 of 2") ||
		strings.Contains(all(v), "unknown") {
		t.Errorf("it tells %q and %q", got, all(v))
	}
	if _, beyond := repeatWords(&v.Cases[0]); beyond != "yes" {
		t.Errorf("an error of 100 %% is significant: %q", beyond)
	}
}
