package report

import (
	"testing"

	"xopt/mapper/result"
)

// TestShared checks that parts refer to the bottleneck's load, whatever its utilization.
func TestShared(t *testing.T) {
	for _, c := range []struct {
		limit result.Limit
		want  string
	}{
		{result.Limit{Name: "core", Members: []string{"a"}, Parts: []result.Number{0.5}}, ""},
		{result.Limit{Name: "mem", Members: []string{"raw", "vals"}, Parts: []result.Number{0.08, 0.02}},
			"raw 80 %, vals 20 %"},
		{result.Limit{Name: "mem", Members: []string{"a", "b", "c", "d"}, Parts: []result.Number{0.1, 0.1, 0.1, 0.1}},
			"a 25 %, b 25 %, c 25 %, d 25 %"},
		{result.Limit{Name: "mem", Members: []string{"a", "b", "c", "d", "e"}, Parts: []result.Number{4, 2, 2, 1, 1}},
			"a 40 %, b 20 %, c 20 %, 2 more"},
		{result.Limit{Name: "mem", Members: []string{"a", "b"}, Parts: []result.Number{0, 0}}, "a, b"},
	} {
		if got := shared(&c.limit); got != c.want {
			t.Errorf("%v: %q, want %q", c.limit, got, c.want)
		}
	}
}

// TestCycle checks that a cycle shows its elements, its time by member, and how to speed it up.
func TestCycle(t *testing.T) {
	limit := result.Limit{Name: "cycle a -> b -> a", Members: []string{"a", "b"}, Parts: []result.Number{0.5, 0.25},
		Cycle: &result.Cycle{Kernels: []string{"a", "b"}, Edges: []string{"e", "back"}, Initial: 2, Every: 12.5e-6,
			MoreOn: "back", More: 3e6}}
	c := &result.Candidate{Bottlenecks: []result.Step{{Throughput: 2e6, Limits: []result.Limit{limit}}},
		Stations: []result.Station{{Name: "a", TenPercent: 0.048}, {Name: "b", TenPercent: 0.023},
			{Name: "a", IsLink: true, TenPercent: 0.5}, {Name: "c", TenPercent: 0.5}}}
	ways, initial := hastened(c)
	if !initial {
		t.Error("an initial element with a gain is not reported")
	}
	for _, x := range [][2]string{
		{LimitNames(c.Bottlenecks, 0) + ": " + sharers(&c.Bottlenecks[0]),
			"cycle a -> b -> a: 2 initial elements every 12.5 us (a 50 %, b 25 %, " +
				"latency of links 25 %)"},
		{ways, "one more initial element on back would give a throughput of 3 MB/s (+50 %); making a 10 % faster " +
			"would give +4.8 % throughput"},
		{sharers(&c.Bottlenecks[0]), turning(&limit)},
	} {
		if x[0] != x[1] {
			t.Errorf("got %s, want %s", x[0], x[1])
		}
	}
	l := &c.Bottlenecks[0].Limits[0]
	l.Cycle.More = 2e6
	if ways, initial := hastened(c); initial || ways != "making a 10 % faster would give +4.8 % throughput" {
		t.Errorf("an initial element without a gain is advised: %s", ways)
	}
	r := &result.Result{Application: "top", Edges: []result.Edge{{Name: "e", From: "a", To: "b"},
		{Name: "back", From: "b", To: "a", Initial: 2}, {Name: "self", From: "b", To: "b", Initial: 1}}}
	c.Place = []result.Placement{{Kernel: "a", Resource: "r"}, {Kernel: "b", Resource: "r"}}
	c.Resources = []result.Share{{Name: "r"}}
	g := placedCandidate(r, c).graph(Kernels)
	if got := g.Edges[1].Label; got != "0 B/s, 2 initial" {
		t.Errorf("the edge back says %s", got)
	}
	if lines := g.Nodes[1].Lines; lines[len(lines)-1] != "1 initial" {
		t.Errorf("b says %q", lines)
	}
}
