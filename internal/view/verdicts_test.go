package view

import (
	"strings"
	"testing"

	"xopt/calibrate/profile"
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
	v := ran(false, false, true, false)
	v.Cases[1].Bottleneck, v.Cases[1].Perhaps = []string{"core[1]"}, []string{"core[2]"}
	v.Cases[3].Holds = false
	if got := all(v); !strings.Contains(got, "right in 2 of 3 mappings") ||
		!strings.Contains(got, "In 1 of them several were named") ||
		!strings.Contains(got, "where only one was named, it was right in 1 of 2.") {
		t.Errorf("with several named it tells %q", got)
	}
	v = ran(false)
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

// TestQueueBeyondBuffer: a queue that is predicted longer than its buffer cannot grow so long, and has no error.
func TestQueueBeyondBuffer(t *testing.T) {
	c := result.ValidatedCase{Name: "a", Measured: 2, Queues: []result.ValidatedQueue{
		{Kernel: "top.dec", Predicted: 190880, Measured: 256, Buffer: 256},
		{Kernel: "top.adc", Predicted: 200, Measured: 100, Buffer: 256}}}
	rows := queues(&result.Validation{Cases: []result.ValidatedCase{c}}).Rows
	for i, want := range []string{"-", "+100"} {
		cells := rows[i].Cells
		if got := cells[5].Text; !strings.HasPrefix(got, want) ||
			(cells[7].Text == "the buffer holds less than predicted") != (i == 0) {
			t.Errorf("%s has the error %q, and the note %q", cells[0].Text, got, cells[7].Text)
		}
	}
}

// TestCalibrationDisturbed: what was measured says itself, on page and standard output, that the machine was disturbed
// and which rates are extrapolated.
func TestCalibrationDisturbed(t *testing.T) {
	rate := &profile.Figure{Value: 1e9, N: 6}
	p := &profile.Profile{Conditions: &profile.Conditions{Disturbed: "others used 1.5 processors"},
		Kernels: []profile.Kernel{
			{Block: "A", Instance: "top.a", ServiceRate: rate, GoodTime: &profile.GoodTime{Windows: 6}},
			{Block: "B", Instance: "top.b", ServiceRate: rate, GoodTime: &profile.GoodTime{Windows: 6, Good: 5}}}}
	told, note := "", ""
	for _, x := range Calibration(p) {
		if x.Lead != nil && x.Lead.Word == "Disturbed" {
			told = x.Lead.Text
		}
		if x.Table != nil && x.Table.ID == "profile" {
			note = x.Table.Note
		}
	}
	if !strings.HasPrefix(told, "others used 1.5 processors: calibrate again") ||
		!strings.Contains(note, "in all windows of top.a: these rates of good time are extrapolated") {
		t.Errorf("it tells %q and %q", told, note)
	}
}
