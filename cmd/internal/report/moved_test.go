package report

import (
	"strings"
	"testing"

	"xopt/mapper/result"
)

// TestMovedKernels checks that two results are drawn with the kernels highlighted that moved between them, and not if
// none moved.
func TestMovedKernels(t *testing.T) {
	of := func(rate result.Number, on ...string) *result.Result {
		c := result.Candidate{Throughput: rate}
		for i, r := range on {
			c.Place = append(c.Place, result.Placement{Kernel: []string{"top.a", "top.b"}[i], Resource: r})
			c.Resources = append(c.Resources, result.Share{Name: r, Utilization: 0.5, Members: 1})
		}
		return &result.Result{Application: "top", Candidates: []result.Candidate{c}}
	}
	before, after := of(1e6, "core[1]", "core[2]"), of(2e6, "core[1]", "core[3]")
	parts := MovedDrawings(before, after)
	if len(parts) != 2 || parts[0].Drawing.ID != "before" || parts[1].Drawing.Title != "After: 2 MB/s" {
		t.Fatalf("%+v", parts)
	}
	for _, p := range parts {
		for _, n := range p.Drawing.Graph.Nodes {
			moved := strings.HasSuffix(n.Title, "; moved")
			if want := n.Name == "top.b"; moved != want || (n.Look.Width == limitWidth) != want {
				t.Errorf("%s: %s is marked %v: %s", p.Drawing.ID, n.Name, moved, n.Title)
			}
		}
		if key := p.Drawing.Key(); len(key) < 3 || key[len(key)-3].Text != "moved" {
			t.Errorf("legend %+v", key)
		}
	}
	if parts := MovedDrawings(before, of(2e6, "core[1]", "core[2]")); parts != nil {
		t.Errorf("nothing moved: %+v", parts)
	}
	if parts := MovedDrawings(before, &result.Result{}); parts != nil {
		t.Errorf("a result without a mapping: %+v", parts)
	}
}

// TestMovedUnknown checks that nothing is claimed of a candidate whose placement was not computed.
func TestMovedUnknown(t *testing.T) {
	full := &result.Candidate{Place: []result.Placement{{Kernel: "top.a", Resource: "core"}}}
	if x, y := moved(&result.Candidate{}, full), moved(full, &result.Candidate{}); x != "" || y != "" {
		t.Errorf("moved: %q and %q", x, y)
	}
}
