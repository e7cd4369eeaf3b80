package report

import (
	"strings"
	"testing"

	"xopt/cmd/faults"
	"xopt/flow/profile"
	"xopt/internal/fault"
	"xopt/mapper/result"
)

// TestHeads checks that a calibration and a validation start with their answer.
func TestHeads(t *testing.T) {
	text := func(parts []Part) string {
		var list []string
		for _, p := range parts {
			list = append(list, p.Lead.Word+": "+p.Lead.Text)
		}
		return strings.Join(list, "\n")
	}
	well := &profile.Figure{Value: 2e9, N: 6, CI95: [2]float64{1.99e9, 2.01e9}}
	p := &profile.Profile{Kernels: []profile.Kernel{{Block: "A", Platform: "C", ServiceRate: well},
		{Block: "B", Platform: "C", ServiceRate: &profile.Figure{Value: 1e9, N: 2}}, {Block: "None"}}}
	if got, want := text(CalibrationHead(p)), "Measured: 2 kernels; slowest kernel undetermined; 1 figure "+
		"has an interval wider than ± 10 %"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.Kernels = p.Kernels[:1]
	if got := text(CalibrationHead(p)); !strings.HasSuffix(got, "2 GB/s; intervals within ± 10 %") {
		t.Errorf("got %q", got)
	}
	if got := text(CalibrationHead(&profile.Profile{})); got != "Measured: no kernels" {
		t.Errorf("got %q", got)
	}
	v := &result.Validation{Cases: []result.ValidatedCase{{Name: "a", Candidate: 0, Fail: "it hung"}}}
	if got, want := text(ValidationHead(&result.Result{Validation: v})),
		"Error: unknown: no mapping could be measured: it hung"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v = &result.Validation{Cases: []result.ValidatedCase{{Name: "a", Candidate: 0, Measured: 100e6, Predicted: 110e6,
		Runs: []float64{99e6, 100e6, 101e6}}}, Summary: result.Summary{Cases: 1, Median: 0.1, Worst: 0.1}}
	if got, want := text(ValidationHead(&result.Result{Validation: v})), "Measured: 100 MB/s, measured here, median "+
		"of the runs, range from 99 to 101 MB/s; error of the prediction: "+
		"+10 %\nError: 10 %, median of 1 mapping, "+
		"maximum 10 %; (predicted - measured) / measured"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v.Cases = append(v.Cases, result.ValidatedCase{Name: "c", Candidate: 2, Measured: 80e6, Undisturbed: 100e6,
		Predicted: 120e6, Runs: []float64{70e6, 80e6, 90e6}, Interval: &[2]float64{95e6, 105e6}})
	without := []fault.Note{faults.CopiesNotTried.Notef("search them")}
	for of, notes := range map[string][]fault.Note{"of these mappings": nil, "without copies": without} {
		got, _, _ := strings.Cut(text(ValidationHead(&result.Result{Validation: v, Notes: notes})), "\n")
		if got != "Measured: 100 MB/s, c (predicted best "+of+"), measured here, median of the runs "+
			"(undisturbed), 95 % confidence interval from 95 to 105 MB/s; uncorrected throughput 80 MB/s, range "+
			"from 70 to 90 MB/s; error of the prediction: +20 %" {
			t.Errorf("the first choice stands second: %q", got)
		}
	}
	table := cases(&result.Result{Validation: v})
	for _, row := range table.Rows[:1] { // the interval of the undisturbed throughput
		cell := func(name string) float64 { return row.Cells[table.column(name)].Value }
		if low, at, high := cell(goodFrom), cell("undisturbed"), cell(goodTo); !(low < at && at < high) ||
			table.column("from") >= 0 {
			t.Errorf("%g in %g to %g", at, low, high)
		}
	}
	x := &v.Cases[1]
	x.Undisturbed, x.Slowed, x.Uncorrected, x.Runs, x.Interval = 0, 0.75, result.SingleRun, []float64{80e6}, nil
	if got, _, _ := strings.Cut(text(ValidationHead(&result.Result{Validation: v})), "\n"); got != "Measured: 80 "+
		"MB/s, c (predicted best of these mappings), measured here, one run; not corrected for the slowdown of the "+
		"machine by 25 %: one run has no confidence interval; error of the prediction: +50 %" {
		t.Errorf("without a correction, the first choice stands as %q", got)
	}
	v.Cases = v.Cases[:1]
	v.Cases = append(v.Cases, result.ValidatedCase{Name: "b", Candidate: 1, Fail: "it hung"})
	got, _, _ := strings.Cut(text(ValidationHead(&result.Result{Validation: v})), "\n")
	if want := "Missing: 1 of 2 mappings, not measured: b (it hung)"; got != want {
		t.Errorf("the first line of a validation of which a mapping failed is %q, want %q", got, want)
	}
}

// TestSlowestAlone checks that a kernel is the slowest only if its interval is below those of all others.
func TestSlowestAlone(t *testing.T) {
	rate := func(low, value, high float64) *profile.Figure {
		return &profile.Figure{Value: value, N: 6, CI95: [2]float64{low, high}}
	}
	type rates = map[string]*profile.Figure
	for name, c := range map[string]struct {
		rates rates
		want  string
	}{
		"separate":            {rates{"a": rate(1, 2, 3), "b": rate(4, 5, 6)}, "a"},
		"overlapping":         {rates{"a": rate(1, 2, 4), "b": rate(3, 5, 6)}, ""},
		"touching":            {rates{"a": rate(1, 2, 3), "b": rate(3, 5, 6)}, ""},
		"two windows, slow":   {rates{"a": {Value: 1, N: 2}, "b": rate(4, 5, 6)}, ""},
		"two windows, fast":   {rates{"a": rate(1, 2, 3), "b": {Value: 9, N: 2}}, ""},
		"no interval":         {rates{"a": {Value: 1, N: 2}}, ""},
		"a bound above":       {rates{"a": rate(1, 2, 3), "b": {Value: 9, N: 6, AtLeast: true}}, "a"},
		"a bound below":       {rates{"a": rate(4, 5, 6), "b": {Value: 2, N: 6, AtLeast: true}}, ""},
		"not measured":        {rates{"a": rate(1, 2, 3), "b": nil}, "a"},
		"exact beside others": {rates{"a": {Value: 2, Exact: true}, "b": rate(4, 5, 6)}, "a"},
	} {
		p := &profile.Profile{}
		for block, r := range c.rates {
			p.Kernels = append(p.Kernels, profile.Kernel{Block: block, Platform: "C", ServiceRate: r})
		}
		got := ""
		if k := slowestAlone(p); k != nil {
			got = k.Block
		}
		if got != c.want {
			t.Errorf("%s: the slowest is %q, want %q", name, got, c.want)
		}
	}
	alike := profile.Kernel{Block: "a", Platform: "C", ServiceRate: rate(1, 2, 3)}
	if slowestAlone(&profile.Profile{Kernels: []profile.Kernel{alike, alike}}) == nil {
		t.Error("two instances with one rate hide each other")
	}
}
