package report

import (
	"strings"
	"testing"

	"xopt/mapper/result"
)

// lines returns the text of a short answer, without its tables.
func lines(parts []Part) string {
	var s strings.Builder
	for i := range parts {
		if l := parts[i].Lead; l != nil {
			s.WriteString(l.Word + " " + l.Text + "\n")
		}
	}
	return s.String()
}

// TestShortBuffers: memory counts each ring once, and a short answer has the sum of the buffers that were simulated.
func TestShortBuffers(t *testing.T) {
	size := func(edge, ring string, bytes result.Number) result.Queue {
		return result.Queue{Edge: edge, Ring: ring, Recommended: &result.Recommendation{
			Estimate: result.Estimate{Bytes: bytes}}}
	}
	c := result.Candidate{Throughput: 1e6, Figures: []result.OriginCount{{Origin: "measured", Count: 7}},
		Queues: []result.Queue{size("a->b#1", "", 1000), size("a->b#2", "a->b#1", 3000), size("b#1->c", "", 500)}}
	if got := c.BufferBytes(); got != 3500 {
		t.Errorf("%g bytes, want 3500", got)
	}
	r := &result.Result{Candidates: []result.Candidate{c}}
	if s := lines(Short(r, nil)); !strings.Contains(s, "3.5 kB") || !strings.Contains(s, "7 measured figures") {
		t.Error(s)
	}
	r.Candidates[0].WithBuffers = &result.WithBuffers{Throughput: 1e6, Sizes: "given", Memory: 800}
	r.Candidates[0].Interval = &[2]result.Number{9e5, 11e5}
	r.Candidates[0].IntervalAssumed = 2
	s := lines(Short(r, nil))
	if !strings.Contains(s, "800 B in total, as given (recommended: 3.5 kB)") || !strings.Contains(s, "2 intervals") ||
		strings.Contains(s, "no interval") {
		t.Error(s)
	}
}

// undecided is a comparison with the first candidate that does not distinguish them.
func undecided() *result.Robustness {
	return &result.Robustness{Behind: .7, Decide: &result.Doubt{Block: "B", Platform: "C", Part: .6}}
}

// TestShortWithin: candidates that the intervals do not order are named, and rows and columns left out are counted.
func TestShortWithin(t *testing.T) {
	r := &result.Result{Search: &result.Search{Optimal: true, Status: "optimal: all mappings were evaluated"}}
	for _, x := range []struct {
		name string
		rate result.Number
	}{{"1", 100}, {"2", 98}, {"3", 95}, {"4", 80}, {"5", 70}, {"6", 60}} {
		r.Candidates = append(r.Candidates, result.Candidate{Name: x.name, Throughput: x.rate,
			Interval: &[2]result.Number{x.rate * 0.93, x.rate * 1.1}})
		if x.rate > 90 {
			r.Candidates[len(r.Candidates)-1].Robustness = undecided()
		}
	}
	parts := Short(r, nil)
	if s := lines(parts); !strings.Contains(s, "candidates 1 to 3") {
		t.Error(s)
	}
	for i := range parts {
		table := parts[i].Table
		if table == nil {
			continue
		}
		moved := &table.Columns[table.column("moved vs 1")]
		for _, c := range table.Columns {
			if c.Spare > moved.Spare {
				t.Errorf("%q is kept longer than %q", c.Name, moved.Name)
			}
		}
		if len(table.Rows) != shortCandidates || !strings.Contains(table.Note, "4 of 6") {
			t.Errorf("%d rows, %q", len(table.Rows), table.Note)
		}
	}
}

// TestShortLimitNamed checks that the limit without which a throughput is given is named if there may be others.
func TestShortLimitNamed(t *testing.T) {
	step := func(name string, rate result.Number, possible ...string) result.Step {
		return result.Step{Limits: []result.Limit{{Name: name}}, Throughput: rate, Possible: possible}
	}
	r := &result.Result{Candidates: []result.Candidate{{Throughput: 5e8,
		Bottlenecks: []result.Step{step("core[1]", 5e8, "core[2]"), step("core[2]", 6e8)}}}}
	if s := lines(Short(r, nil)); !strings.Contains(s, "; without the limit of core[1], the throughput would be 600 "+
		"MB/s") {
		t.Error(s)
	}
}

// TestShortFrontOrigin checks that the short answer of buffers has the origin of the throughput, as an evaluation has.
func TestShortFrontOrigin(t *testing.T) {
	r := &result.Result{Candidates: []result.Candidate{{Throughput: 5e8, Interval: &[2]result.Number{25e7, 75e7},
		Figures: []result.OriginCount{{Origin: "measured", Count: 12}}, Disturbed: 12,
		BufferFront: &result.BufferFront{Level: "simulated", Keep: .99, Max: 5e8, Low: 5e8,
			Longer: &result.LongerRun{Throughput: 5e8, Interval: &[2]result.Number{499e6, 501e6}},
			Points: []result.BufferPoint{{Memory: 1e3, Throughput: 5e8}}}}}}
	s := lines(Short(r, nil))
	for _, want := range []string{"simulated throughput with these sizes is 500 MB/s\n",
		"500 MB/s (250 to 750), predicted from 12 measured figures, 12 measured on a disturbed machine"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing in\n%s", want, s)
		}
	}
}

// TestKeptPart checks that buffers that cost less than the tolerance are not said to keep all of the throughput.
func TestKeptPart(t *testing.T) {
	for rate, want := range map[result.Number]string{57.24e6: "; the recommended buffers keep the throughput (exact)",
		56.72e6: "; the recommended buffers keep 99.1 % of the throughput (exact)"} {
		c := &result.Candidate{Throughput: 57.24e6, WithBuffers: &result.WithBuffers{Throughput: rate,
			Sizes: "recommended", Level: "proven", Edges: []result.BufferedEdge{}}}
		if got := keptWithBuffers(c); got != want {
			t.Errorf("at %g: %q, want %q", float64(rate), got, want)
		}
	}
}

// TestShortFront checks that the short answer of a front with many points contains its ends and the chosen point.
func TestShortFront(t *testing.T) {
	const points, chosen = 40, 30
	f := &result.BufferFront{Level: "simulated", Max: points, Keep: .99, Chosen: chosen}
	for i := range points {
		f.Points = append(f.Points, result.BufferPoint{Memory: result.Number(i + 1), Throughput: result.Number(i + 1)})
	}
	got := fewPoints(f, BufferFrontTable(f), shortRows)
	var memory []string
	hot := false
	for i := range got.Rows {
		memory = append(memory, got.Rows[i].Cells[0].Text)
		hot = hot || got.Rows[i].Hot
	}
	if len(memory) != shortRows || memory[0] != "1" || memory[len(memory)-1] != "40" || !hot ||
		got.Note != "(8 of 40 rows are shown)" {
		t.Errorf("%q, the chosen point is there: %v, note %q", memory, hot, got.Note)
	}
}
