package view

import (
	"strings"
	"testing"

	"xopt/internal/result"
)

// TestRunHeadline: a run names what was used most, a bus too, with what was predicted; failed assertions stand
// in its headline.
func TestRunHeadline(t *testing.T) {
	r := &result.Result{Measured: &result.Measured{Simulated: "federated simulation", Throughput: 75e6,
		Used: []result.MeasuredUse{{Name: "proc", Sharers: 2, Utilization: 0.55, Busiest: "top.sum"},
			{Name: "bus", IsLink: true, Sharers: 3, Utilization: 0.94, Rate: 188e6, Bandwidth: 200e6,
				Origin: "published"}},
		Assertions: []result.Assertion{{Name: "a1", Frames: 10, Failed: 4},
			{Name: "a2", Holds: true, Frames: 10}}},
		Prediction: &result.Candidate{Throughput: 80e6,
			Bottlenecks: []result.Step{{Limits: []result.Limit{{Name: "bus"}}}},
			Links:       []result.Share{{Name: "bus", Utilization: 1}}}}
	facts := make(map[string]string)
	for _, f := range Of(r).Facts {
		facts[f.Label] = f.Value + ": " + f.Note
	}
	for label, want := range map[string]string{
		"Bottleneck": "bus: in use 94 % of the run, more than all else; it carried 188 MB/s of 200 MB/s, published; " +
			"predicted: bus",
		"Assertions": "1 of 2 FAILED: a1 failed in 4 of 10 frames",
	} {
		if facts[label] != want {
			t.Errorf("%s: %q, want %q", label, facts[label], want)
		}
	}
	table := runUsed(r.Measured, r.Prediction)
	if row := table.Rows[1]; !row.Hot || table.Rows[0].Hot || row.Cells[2].Text != "94.00" ||
		row.Cells[3].Text != "100.00" {
		t.Errorf("the bus in the table: %+v", row)
	}
	if !strings.Contains(table.Title, "simulated") {
		t.Errorf("a simulation is called %q", table.Title)
	}
}

// TestTies: candidates that tie are told by what they differ in.
func TestTies(t *testing.T) {
	of := func(name string, latency result.Number) result.Candidate {
		return result.Candidate{Name: name, Throughput: 5e6, Latency: &result.Latency{Seconds: latency}}
	}
	r := &result.Result{Search: &result.Search{}, Candidates: []result.Candidate{of("1", 3e-3), of("2", 2e-3),
		{Name: "3", Throughput: 4e6}}}
	if f := tieFacts(r); len(f) != 1 || f[0].Value != "candidates 1 and 2" || !strings.Contains(f[0].Note,
		"2 has a latency of 2 ms, not 3 ms") {
		t.Errorf("%+v", f)
	}
	r.Candidates[1].Throughput = 4.9e6
	if f := tieFacts(r); len(f) > 0 {
		t.Errorf("no tie: %+v", f)
	}
}
