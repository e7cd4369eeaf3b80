package report

import (
	"testing"

	"xopt/bench/unseen"
)

// TestUncorrected: if the runs of a mapping do not support a correction, its undisturbed throughput is a dash, not 0.
func TestUncorrected(t *testing.T) {
	slowed := 0.7
	r := &unseen.Results{Apps: []unseen.Study{{Seed: 1, Cases: []unseen.Case{
		{Name: "corrected", Predicted: 2e6, Measured: 1e6, Slowed: &slowed, Undisturbed: 1.5e6},
		{Name: "not corrected", Predicted: 2e6, Measured: 1e6, Slowed: &slowed},
	}}}}
	table := UnseenMappings(r)
	at := table.column("undisturbed")
	if at < 0 {
		t.Fatal("the table has no column of the undisturbed throughput")
	}
	if got := table.Rows[0].Cells[at]; got.Text == "-" || !got.Valued {
		t.Errorf("corrected: %+v", got)
	}
	if got := table.Rows[1].Cells[at]; got.Text != "-" || got.Valued {
		t.Errorf("not corrected: %+v, want a dash", got)
	}
}
