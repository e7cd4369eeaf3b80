package report

import (
	"strings"
	"testing"

	"xopt/flow/profile"
	"xopt/mapper/result"
)

// TestHeads: a calibration and a validation begin with their answer.
func TestHeads(t *testing.T) {
	said := func(parts []Part) string {
		var list []string
		for _, p := range parts {
			list = append(list, p.Lead.Word+": "+p.Lead.Text)
		}
		return strings.Join(list, "\n")
	}
	well := &profile.Figure{Value: 2e9, N: 6, CI95: [2]float64{1.99e9, 2.01e9}}
	p := &profile.Profile{Kernels: []profile.Kernel{{Block: "A", Platform: "C", ServiceRate: well},
		{Block: "B", Platform: "C", ServiceRate: &profile.Figure{Value: 1e9, N: 2}}, {Block: "None"}}}
	if got, want := said(CalibrationHead(p)), "Measured: 2 kernels; the slowest alone is B on C, 1 GB/s; 1 of them "+
		"not known to ± 10 %"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.Kernels = p.Kernels[:1]
	if got := said(CalibrationHead(p)); !strings.HasSuffix(got, "2 GB/s; all known to ± 10 %") {
		t.Errorf("got %q", got)
	}
	if got := said(CalibrationHead(&profile.Profile{})); got != "Measured: no kernel" {
		t.Errorf("got %q", got)
	}
	v := &result.Validation{Cases: []result.ValidatedCase{{Name: "a", Candidate: 0, Fail: "it hung"}}}
	if got, want := said(ValidationHead(&result.Result{Validation: v})),
		"Error: not known: no mapping could be measured: it hung"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v = &result.Validation{Cases: []result.ValidatedCase{{Name: "a", Candidate: 0, Measured: 100e6, Predicted: 110e6,
		Runs: []float64{99e6, 100e6, 101e6}}}, Summary: result.Summary{Cases: 1, Median: 0.1, Worst: 0.1}}
	if got, want := said(ValidationHead(&result.Result{Validation: v})), "Measured: 100 MB/s, measured here, median "+
		"of the runs, which lie from 99 to 101 MB/s; the prediction is off by "+
		"+10 %\nError: 10 %, median of 1 mapping, "+
		"10 % at the worst; (predicted - measured) / measured"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v.Cases = append(v.Cases, result.ValidatedCase{Name: "b", Candidate: 1, Fail: "it hung"})
	got, _, _ := strings.Cut(said(ValidationHead(&result.Result{Validation: v})), "\n")
	if want := "Missing: 1 of 2 mappings, not measured: b (it hung)"; got != want {
		t.Errorf("the first line of a validation of which a mapping failed is %q, want %q", got, want)
	}
}
