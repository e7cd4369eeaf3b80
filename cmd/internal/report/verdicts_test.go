package report

import (
	"slices"
	"strings"
	"testing"

	"xopt/flow/profile"
	"xopt/mapper/result"
)

// TestNotTold checks that what a validation cannot determine is stated with the reason: repeatability, and the
// bottleneck of mappings without anything busy.
func TestNotTold(t *testing.T) {
	ran := func(idle ...bool) *result.Validation {
		v := &result.Validation{}
		for _, x := range idle {
			v.Cases = append(v.Cases, result.ValidatedCase{Name: "a", Predicted: 4, Measured: 2, Holds: true, Idle: x,
				Significant: true, Runs: []float64{2, 2}})
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
		{ran(false, false), "correctly in 2 of 2 mappings", "cannot be checked"},
		{ran(false, true), "correctly in 1 of 1 mapping (the utilization of the predicted bottleneck was at most 3 " +
			"points below the highest utilization). 1 more mapping cannot be checked", "of 2"},
		{ran(true, true), "cannot be checked: in none of 2 mappings", "was predicted correctly in"},
	} {
		if got := all(x.v); !strings.Contains(got, x.want) || strings.Contains(got, x.lack) {
			t.Errorf("it tells %q, want %q and not %q", got, x.want, x.lack)
		}
	}
	v := ran(false, false, true, false)
	v.Cases[1].Bottleneck, v.Cases[1].Possible = []string{"core[1]"}, []string{"core[2]"}
	v.Cases[3].Holds = false
	if got := all(v); !strings.Contains(got, "correctly in 2 of 3 mappings") ||
		!strings.Contains(got, "In 1 of these mappings, the prediction named several resources") ||
		!strings.Contains(got, "Predictions of a single bottleneck were correct in 1 of 2 mappings.") {
		t.Errorf("with several named it tells %q", got)
	}
	v = ran(false)
	v.NotRepeatable = "the sources sent nothing in 1 of 2 runs of a"
	if got := repeatNote(v); !strings.Contains(got,
		"is unknown because the sources sent nothing in 1 of 2") ||
		strings.Contains(all(v), "unknown") {
		t.Errorf("it tells %q and %q", got, all(v))
	}
	if _, beyond := repeatWords(&v.Cases[0]); beyond != "yes" {
		t.Errorf("an error of 100 %% is significant: %q", beyond)
	}
}

// TestQueuesTold checks that each edge has the mapping whose queue was furthest from the simulation, a full buffer
// only if there is no other, and that all are counted.
func TestQueuesTold(t *testing.T) {
	of := func(name string, list ...result.EdgeQueue) result.ValidatedCase {
		return result.ValidatedCase{Name: name, Measured: 2, EdgeQueues: list}
	}
	full := result.EdgeQueue{Edge: "top.b", Predicted: 64, Measured: 64, Buffer: 64, Full: true, Why: "bottleneck"}
	parts := queues(&result.Validation{Cases: []result.ValidatedCase{
		of("one", result.EdgeQueue{Edge: "top.a", Predicted: 0, Measured: 2}, full),
		of("two", result.EdgeQueue{Edge: "top.a", Predicted: 1, Measured: 9, Why: "a join"}, full,
			result.EdgeQueue{Edge: "top.c", Measured: 3, Unknown: "it stops"})}})
	var rows [][]string
	reported := ""
	for _, p := range parts {
		reported += p.Text
		if p.Table == nil {
			continue
		}
		for _, r := range p.Table.Rows {
			var row []string
			for _, c := range r.Cells {
				row = append(row, c.Text)
			}
			rows = append(rows, row)
		}
	}
	want := [][]string{{"top.a", "two", "1", "9", "0", "0.11", "no", "a join"},
		{"top.b", "one", "64", "64", "64", "1.00", "full", "bottleneck"},
		{"top.c", "two", "-", "3", "0", "-", "-", "not simulated: it stops"}}
	if !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	if reported != "Queues: 1 of 2 were within a factor of 2 of the simulation; 2 more queues fill their buffers, as "+
		"predicted; 1 queue could not be simulated." {
		t.Errorf("it tells %q", reported)
	}
	if none := queues(&result.Validation{Cases: []result.ValidatedCase{of("old")}}); none != nil {
		t.Errorf("of a result without them: %+v", none)
	}
}

// TestCalibrationDisturbed checks that measurements state, on page and standard output, that the machine was
// disturbed and which rates are extrapolated.
func TestCalibrationDisturbed(t *testing.T) {
	rate := &profile.Figure{Value: 1e9, N: 6}
	p := &profile.Profile{Conditions: &profile.Conditions{Disturbed: "others used 1.5 processors"},
		Kernels: []profile.Kernel{
			{Block: "A", Instance: "top.a", ServiceRate: rate, Undisturbed: &profile.Undisturbed{Windows: 6}},
			{Block: "B", Instance: "top.b", ServiceRate: rate, Undisturbed: &profile.Undisturbed{Windows: 6, Good: 5}}}}
	reported, note := "", ""
	for _, x := range Calibration(p) {
		if x.Lead != nil && x.Lead.Word == "Disturbed" {
			reported = x.Lead.Text
		}
		if x.Table != nil && x.Table.ID == "profile" {
			note = x.Table.Note
		}
	}
	if !strings.HasPrefix(reported, "others used 1.5 processors: calibrate again") ||
		!strings.Contains(note, "in all windows of top.a: the undisturbed rates of these kernels are extrapolated") {
		t.Errorf("it tells %q and %q", reported, note)
	}
}
