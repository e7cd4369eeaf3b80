package report

import (
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestSweepFacts checks the summary of a sweep: its greatest throughput, its knee, and where each mapping is best.
func TestSweepFacts(t *testing.T) {
	s := &result.Sweep{Varied: []result.Varied{{Name: "mem.bandwidth", Unit: "B/s"}}, Mappings: []string{"x", "y", "z"}}
	for i, p := range []struct {
		at      string
		rate    result.Number
		mapping int
	}{{"1e8", 40e6, 0}, {"2e8", 80e6, 0}, {"3e8", 96e6, 1}, {"4e8", 100e6, 2}, {"5e8", 100e6, 2}, {"6e8", 0, -1}} {
		s.Points = append(s.Points, result.SweptPoint{Values: []string{p.at}, Throughput: p.rate, Mapping: p.mapping,
			Bottleneck: []string{"mem", "mem", "mem", "core", "core", ""}[i]})
	}
	var got []string
	for _, f := range sweepFacts(s) {
		got = append(got, f.Label+": "+f.Value+", "+f.Note)
	}
	want := "Maximum throughput: 100 MB/s, with unlimited buffers, at mem.bandwidth = 400 MB/s, " +
		"mapping C; limited by core; predicted\n" +
		"Knee: mem.bandwidth = 300 MB/s, 96 MB/s, the first point with at least 95 % of the maximum throughput\n" +
		"Mappings: 3 in total, A from 100 to 200 MB/s; B at 300 MB/s; C from 400 to 500 MB/s"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	s.Points[1] = result.SweptPoint{Values: []string{"2e8"}, Mapping: -1, Proof: result.NotComputed}
	if f := sweepFacts(s); !strings.HasSuffix(f[0].Note, "predicted; 5 of 6 points are done") ||
		!strings.HasSuffix(f[1].Note, "throughput; 5 of 6 points are done") || f[2].Value != "3 so far" {
		t.Errorf("of a part of the points: %q", f)
	}
	s.Points, s.Varied[0].Values = s.Points[:1], []string{"1e8", "2e8", "3e8"}
	if f := sweepFacts(s); !strings.HasSuffix(f[0].Note, "1 of 3 points are done") {
		t.Errorf("of an interrupted sweep: %q", f)
	}
	if f := sweepFacts(&result.Sweep{}); f != nil {
		t.Errorf("of nothing: %v", f)
	}
	// An interrupted point is not done: it is the answer only if no other is, and points not reached count.
	s.Points = append(s.Points, result.SweptPoint{Values: []string{"2e8"}, Throughput: 90e6, Proof: result.Interrupted})
	if f := sweepFacts(s); s.Best() != 0 || f[1].Value != "1 of 3 points" {
		t.Errorf("of an interrupted point: %q", f)
	}
	s.Points = s.Points[1:]
	if f := sweepFacts(s); s.Best() != 0 || !strings.Contains(f[0].Note, "none of 3 points is done") {
		t.Errorf("of an interrupted point alone: %q", f)
	}
	s.Points[0].Stale = 2
	if f := sweepFacts(s); f[1].Label != "Stale" || f[1].Value != "1 of 3 points" {
		t.Errorf("of stale figures: %q", f)
	}
	for proof, want := range map[string]string{"optimal": "optimal for these figures", "within 2 %": "within 2 %",
		"optimal without copies": "optimal for these figures without copies"} {
		if got := sweptProof(&result.SweptPoint{Proof: proof, Stale: 1}); got != want {
			t.Errorf("proof of a point with stale figures: %q, want %q", got, want)
		}
		if got := sweptProof(&result.SweptPoint{Proof: proof}); got != proof {
			t.Errorf("proof of a point: %q, want %q", got, proof)
		}
	}
}

// TestShare checks that tables and drawings print a share with the same three digits.
func TestShare(t *testing.T) {
	for v, want := range map[float64]string{1: "100", 0.9986: "99.9", 0.5: "50"} {
		if c := share(v); c.Text != want {
			t.Errorf("%g is %s, want %s", v, c.Text, want)
		}
	}
	if s := busyWords(0.9986); s != "99.9 % busy" {
		t.Errorf("a drawing says %q", s)
	}
}

// TestHeld checks that the first screen of a search names the kernels of each resource, or the first of many.
func TestHeld(t *testing.T) {
	c := &result.Candidate{File: "a.1.map.x", Resources: []result.Share{{Name: "core[1]"}, {Name: "core[2]"}}}
	for _, k := range []string{"a", "b", "c", "d", "e", "f"} {
		c.Place = append(c.Place, result.Placement{Kernel: k, Resource: "core[1]"})
	}
	c.Place = append(c.Place, result.Placement{Kernel: "g", Resource: "core[2]"})
	if s := kernelsByResource(c); s != "core[1]: a, b, c, and 3 more; core[2]: g" {
		t.Errorf("got %q", s)
	}
}

// TestSweepLeads checks that a sweep starts with its objective, and that its head and table have the same best point
// and show an early end. An interrupted point is not the best. Values with units are quantities, and other possible
// bottlenecks are named.
func TestSweepLeads(t *testing.T) {
	s := &result.Sweep{Objective: "latency", Varied: []result.Varied{{Name: "PCI.bandwidth",
		Values: []string{"50MB/s", "1GB/s", "2GB/s"}}}, Mappings: []string{"x", "y"}, Points: []result.SweptPoint{
		{Values: []string{"50MB/s"}, Throughput: 2e8, Objective: "30 us", Value: 30e-6, Bottleneck: "a"},
		{Values: []string{"1GB/s"}, Throughput: 1e8, Objective: "20 us", Value: 20e-6, Mapping: 1, Bottleneck: "a, b",
			Possible: []string{"core[1]"}, Early: true, Proof: "within 3 %"},
		{Values: []string{"2GB/s"}, Throughput: 3e8, Objective: "10 us", Value: 10e-6, Proof: result.Interrupted}}}
	f := sweepFacts(s)
	if len(f) != 3 || f[0].Value != "20 us" || !strings.Contains(f[0].Note, endedEarly) ||
		!strings.HasSuffix(f[0].Note, "2 of 3 points are done") || f[1].Value != "2 of 3 points" {
		t.Errorf("got %q", f)
	}
	table := SweepTable(s)
	if table.Rows[0].Cells[0].Value != 50e6 {
		t.Errorf("the first value is %+v, want 50 MB/s", table.Rows[0].Cells[0])
	}
	for i, hot := range []bool{false, true, false} {
		if table.Rows[i].Hot != hot {
			t.Errorf("row %d of the table is marked as the best: %v", i, !hot)
		}
	}
	if got := cells(&table.Rows[1]); got[3] != "within 3 %; ended early" || got[4] != "a, b or core[1]" {
		t.Errorf("a point that ended early is shown as %q", got)
	}
	s.Points = s.Points[:2]
	if f := sweepFacts(s)[0]; f.Value != "20 us" ||
		!strings.Contains(f.Note, "; limited by a, b (or core[1]: the intervals overlap); ") {
		t.Errorf("got %q", f)
	}
}

// cells returns the texts of a row.
func cells(r *Row) []string {
	var list []string
	for i := range r.Cells {
		list = append(list, r.Cells[i].Text)
	}
	return list
}

// TestSweepHeadRests checks that the head of a sweep has the origins of its figures and their interval.
func TestSweepHeadRests(t *testing.T) {
	s := &result.Sweep{Varied: []result.Varied{{Name: "p", Values: []string{"1"}}}, Mappings: []string{"p: a"},
		Points: []result.SweptPoint{{Values: []string{"1"}, Throughput: 10e6, Bottleneck: "p", Proof: "optimal",
			Sureness: result.Sureness{Figures: []result.OriginCount{{Origin: "measured", Count: 3}},
				Interval: &[2]result.Number{9e6, 12e6}}}}}
	if got := sweepFacts(s)[0].Note; !strings.Contains(got, "3 measured") || !strings.Contains(got, "9 to 12 MB/s") {
		t.Errorf("the head is %q, want the origins and the interval", got)
	}
}

// TestUnlimitedHeadline checks that a headline names unlimited buffers exactly if no finite ones confirm it, in the
// short and the complete answer, on the page and for a sweep.
func TestUnlimitedHeadline(t *testing.T) {
	simulated := &result.WithBuffers{Throughput: 100e6, Sizes: "recommended", Level: "simulated"}
	for want, w := range map[string]*result.WithBuffers{"-": simulated, "unlimited": nil,
		"stops": {Sizes: "recommended", Level: "proven", Stopped: "a waits for b"}} {
		c := result.Candidate{Name: "1", Throughput: 100e6, WithBuffers: w}
		r := &result.Result{Candidates: []result.Candidate{c}, Search: &result.Search{}}
		for form, text := range map[string]string{"short": Short(r, nil)[0].Lead.Text,
			"complete": headline(&c), "page": facts(r)[0].Note} {
			if strings.Contains(text, withUnlimited) != (want != "-") {
				t.Errorf("%s, %s: %s", want, form, text)
			}
		}
	}
	s := &result.Sweep{Varied: []result.Varied{{Name: "p", Values: []string{"1"}}}, Mappings: []string{"p: a"},
		Points: []result.SweptPoint{{Values: []string{"1"}, Throughput: 1e6}}}
	if f := sweepFacts(s)[0]; !strings.HasPrefix(f.Note, withUnlimited) {
		t.Errorf("a sweep starts with %+v", f)
	}
}

// TestPointRange checks that the range of a mapping in a sweep has one unit.
func TestPointRange(t *testing.T) {
	point := func(v string, m int) result.SweptPoint { return result.SweptPoint{Values: []string{v}, Mapping: m} }
	s := &result.Sweep{Mappings: []string{"p: a", "q: a"},
		Varied: []result.Varied{{Name: "bus.bandwidth", Unit: "B/s"}},
		Points: []result.SweptPoint{point("1e6", 0), point("1e7", 0), point("316e6", 1), point("1e10", 1)}}
	if got := strings.Join(wins(s), "; "); got != "A from 1 to 10 MB/s; B from 316 to 10000 MB/s" {
		t.Errorf("got %q", got)
	}
	s.Varied[0].Unit = ""
	if got := wins(s)[0]; !strings.Contains(got, " to ") {
		t.Errorf("without a unit: %q", got)
	}
}

// TestSaturatedEstimate checks that the closed-form size before a saturated server, which only reflects φ, is a dash.
func TestSaturatedEstimate(t *testing.T) {
	q := &result.Queue{Utilization: 0.5, Estimates: []result.Estimate{{Estimator: "M/M/1 Eq. 8", Elements: 22}}}
	if c := estimate(q, "M/M/1 Eq. 8"); c.Text != "22" {
		t.Errorf("at 50 %%: %q", c.Text)
	}
	q.Utilization, q.Estimates[0].Elements = 0.99998, 140111
	if c := estimate(q, "M/M/1 Eq. 8"); c.Text != dash().Text {
		t.Errorf("saturated: %q", c.Text)
	}
}
