package report

import (
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestCandidatesAsGiven checks that mappings from files keep their order, and are compared with the fastest.
func TestCandidatesAsGiven(t *testing.T) {
	r := &result.Result{Candidates: []result.Candidate{{Name: "a.x", Throughput: 80e6},
		{Name: "b.x", Throughput: 60e6}, {Name: "c.x", Throughput: 100e6}}}
	table := candidateTable(r)
	if table.Title != "Candidates, in the given order" || table.column("moved vs c.x") < 0 {
		t.Errorf("the title is %q, the columns are %v", table.Title, table.Columns)
	}
	var below []string
	for _, row := range table.Rows {
		below = append(below, row.Cells[table.column("below the best")].Text)
	}
	if got := strings.Join(below, ", "); got != "-20, -40, 0" {
		t.Errorf("below the best: %s", got)
	}
	r.Candidates = r.Candidates[:2]
	if table := candidateTable(r); table.Title != "Candidates, best first" {
		t.Errorf("in the order of their throughput they have the title %q", table.Title)
	}
}

// TestDerivedRates checks that a rate derived from a measured one is shown beside the measured one.
func TestDerivedRates(t *testing.T) {
	c := &result.Candidate{Stations: []result.Station{{Name: "top.a", Origin: "measured", ServiceRate: 3e9},
		{Name: "top.b", Origin: "stated", ServiceRate: 1e9, Factors: []result.Factor{{Name: "clock", Times: 0.5}}}}}
	if note := stations(c).Note; note != "" {
		t.Errorf("no derived rates: %s", note)
	}
	c.Stations[0].Factors = []result.Factor{{Name: "clock", Times: 1.5}}
	if note := stations(c).Note; !strings.Contains(note, "top.a 2 GB/s × 1.5 (clock)") ||
		strings.Contains(note, "top.b") {
		t.Errorf("a derived rate: %s", note)
	}
}

// TestOrderNote checks that the table of candidates explains an order that its column of throughputs does not, and that
// a candidate without a simulation ties with none that has one.
func TestOrderNote(t *testing.T) {
	simulated := func(name string, rate result.Number) result.Candidate {
		return result.Candidate{Name: name, Throughput: rate, FlowBound: 30e6, WithBuffers: &result.WithBuffers{
			Throughput: rate, Interval: &[2]result.Number{rate - 1e6, rate + 1e6}}}
	}
	missing := result.Candidate{Name: "2", Throughput: 28e6}
	for _, c := range []struct {
		list []result.Candidate
		want string
		ties int
	}{
		{[]result.Candidate{simulated("1", 20e6), simulated("2", 15e6)}, "", 1},
		{[]result.Candidate{simulated("1", 20e6), simulated("2", 21e6)}, "if simulations do not decide", 2},
		{[]result.Candidate{simulated("1", 20e6), missing, simulated("3", 19e6)}, "-: not simulated", 1},
	} {
		r := &result.Result{Search: &result.Search{}, Candidates: c.list}
		note := candidateTable(r).Note
		if !strings.Contains(note, c.want) || (note == "") != (c.want == "") || tied(r) != c.ties {
			t.Errorf("note %q, want %q; %d tie, want %d", note, c.want, tied(r), c.ties)
		}
	}
}

// TestLimitNotNext checks that a link that limits the throughput is not also a link that limits next, although an
// interrupted search has computed no gains.
func TestLimitNotNext(t *testing.T) {
	c := &result.Candidate{Links: []result.Share{{Name: "bus", Utilization: 1}, {Name: "mem", Utilization: 1}},
		Bottlenecks: []result.Step{{Limits: []result.Limit{{Name: "bus"}}}}}
	var f findings
	f.links(c)
	if len(f.list) != 1 || !strings.HasPrefix(f.list[0].seen, "mem") {
		t.Errorf("found %+v", f.list)
	}
}
