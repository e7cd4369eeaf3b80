package report

import (
	"fmt"
	"strings"
	"testing"

	"xopt/mapper/result"
)

// manyKernels returns a candidate with a chain of kernels, in pipes of ten, on eight cores.
func manyKernels(n int) (*result.Result, *result.Candidate) {
	r, c := &result.Result{Application: "top"}, &result.Candidate{Throughput: 1e6}
	for i := range 8 {
		name := fmt.Sprintf("proc[%d]", i+1)
		r.Architecture = append(r.Architecture, result.Resource{Name: name, Platform: "C"})
		c.Resources = append(c.Resources, result.Share{Name: name, Utilization: 0.5, Members: n / 8})
	}
	name := func(i int) string { return fmt.Sprintf("top.pipe[%d].k%d", i/10, i%10) }
	for i := range n {
		c.Place = append(c.Place, result.Placement{Kernel: name(i), Resource: fmt.Sprintf("proc[%d]", i*8/n+1)})
		c.Stations = append(c.Stations, result.Station{Name: name(i), Share: 0.1, ArrivalRate: 1e6, SharedRate: 4e6})
		if i > 0 {
			edge := fmt.Sprintf("top.e%d", i)
			r.Edges = append(r.Edges, result.Edge{Name: edge, From: name(i - 1), To: name(i)})
			c.Queues = append(c.Queues, result.Queue{Edge: edge, Flow: 1e6})
		}
	}
	return r, c
}

// TestDetails checks that up to 40 kernels are drawn one by one at first, more as blocks or resources, and that no
// level of detail loses a kernel.
func TestDetails(t *testing.T) {
	for _, x := range []struct {
		kernels, max int
		usual        Detail
	}{{8, 40, Kernels}, {40, 40, Kernels}, {41, 40, Blocks}, {80, 40, Blocks}, {1000, 60, Blocks}} {
		r, c := manyKernels(x.kernels)
		m := placedCandidate(r, c)
		if got := m.usual(); got != x.usual {
			t.Errorf("of %d kernels %s are drawn, want %s", x.kernels, got, x.usual)
		}
		if n := len(m.graph(m.usual()).Nodes); n > x.max {
			t.Errorf("%d nodes are drawn for %d kernels", n, x.kernels)
		}
		for _, d := range m.details() {
			g := m.graph(d)
			kernels := make(map[string]bool)
			for _, node := range g.Nodes {
				if len(node.Parts) == 0 {
					kernels[node.Name] = true
				}
				for _, k := range node.Parts {
					kernels[k] = true
				}
			}
			if len(kernels) != x.kernels {
				t.Errorf("%s: %d kernels are drawn, want %d", d, len(kernels), x.kernels)
			}
			if g.Layout().Width() <= 0 {
				t.Errorf("%s of %d kernels has no layout", d, x.kernels)
			}
		}
	}
}

// TestUse checks that kernels, resources and links show one utilization, that more than 90 % is red, and that the
// critical path and the bottleneck are marked.
func TestUse(t *testing.T) {
	r, c := manyKernels(16)
	c.Resources[2].Utilization = 0.91
	r.Links = []result.Link{{Name: "PCIX", Linktype: "bus"}}
	c.Links = []result.Share{{Name: "PCIX", Members: 1, Rate: 640e6, Utilization: 14.6 / 640}}
	c.Queues[1].Flow = 14.6e6
	c.Routes = []result.Route{{Edge: "top.e2", Links: []string{"PCIX"}}}
	c.Bottlenecks = []result.Step{{Limits: []result.Limit{{Name: "PCIX", Members: []string{"top.e2"}}}}}
	c.Latency = &result.Latency{Kernels: []string{"top.pipe[0].k0", "top.pipe[0].k1"}}
	m := placedCandidate(r, c)
	g := m.graph(Kernels)
	if got := g.Nodes[0].Lines; strings.Join(got, "|") != "pipe[0].k0|1 MB/s|10 % busy" {
		t.Errorf("a kernel says %q", got)
	}
	if got := g.Links[0]; got.Label != "PCIX   14.6 MB/s, 2.28 % busy" || got.Border != limitColour() ||
		got.Part != 14.6/640 {
		t.Errorf("the link is %+v", got)
	}
	red := heat(1)
	if g.Groups[2].Fill != red || g.Groups[1].Fill == red || heat(0.9) == red {
		t.Error("what is busy more than 90 % of the time is not red, or other things are")
	}
	if g.Edges[0].Color != pathColour() || g.Edges[1].Color == pathColour() {
		t.Error("the critical path is not marked, or more than that")
	}
	if len(g.Frames) != 1 || g.Frames[0].Label != "proc (C), 8 of 8 in use" {
		t.Errorf("frames are %+v", g.Frames)
	}
	if text := m.text(); !strings.Contains(text, "Bottleneck: PCIX.") {
		t.Errorf("the text is %s", text)
	}
}

// TestRunDrawing checks that a run's drawing shows the utilization of links and resources, whether it was simulated,
// and the busiest part.
func TestRunDrawing(t *testing.T) {
	r := &result.Result{Application: "top", Architecture: []result.Resource{{Name: "proc[1]"}, {Name: "fpga"}},
		Links: []result.Link{{Name: "bus", Bandwidth: 10e6}, {Name: "mem", Linktype: "memory"}},
		Edges: []result.Edge{{Name: "top.e", From: "top.a", To: "top.b"}, {Name: "top.f", From: "top.b", To: "top.c"}},
		Measured: &result.Measured{Simulated: "the FPGA",
			Place: []result.Placement{{Kernel: "top.a", Resource: "proc[1]"}, {Kernel: "top.b", Resource: "fpga"},
				{Kernel: "top.c", Resource: "proc[1]"}},
			Kernels: []result.MeasuredKernel{{Kernel: "top.a", Utilization: 0.5}, {Kernel: "top.b", Utilization: 0.25},
				{Kernel: "top.c", Utilization: 0.25}},
			Used: []result.MeasuredUse{{Name: "proc[1]", Utilization: 0.75}, {Name: "fpga", Utilization: 0.25},
				{Name: "bus", IsLink: true, Utilization: 0.95, Rate: 9.5e6, Bandwidth: 10e6}},
			Edges: []result.MeasuredEdge{{Edge: "top.e", Rate: 6e6, Links: []string{"bus"}},
				{Edge: "top.f", Rate: 3.5e6, Links: []string{"bus"}}}}}
	d := runDrawing(r)
	if !strings.Contains(d.Title, "simulated") || strings.Contains(d.Title, "measured") {
		t.Errorf("the title is %s", d.Title)
	}
	g := placedRun(r).graph(Kernels)
	if got := g.Groups[0].Label; got != "proc[1]   75 % busy" {
		t.Errorf("the core says %s", got)
	}
	if len(g.Links) != 1 || g.Links[0].Label != "bus   9.5 MB/s, 95 % busy" || g.Links[0].Part != 0.95 ||
		g.Links[0].Border != limitColour() {
		t.Errorf("links are %+v", g.Links)
	}
	r.Measured.Simulated = ""
	if d := runDrawing(r); !strings.Contains(d.Title, "measured") {
		t.Errorf("the title is %s", d.Title)
	}
}

// TestFills checks that each kernel, resource and link is filled by the one utilization that its text states.
func TestFills(t *testing.T) {
	r, c := manyKernels(8)
	c.Resources[0].Utilization, c.Stations[0].Share = 0.25, 0.125
	c.Links = []result.Share{{Name: "bus", Utilization: 0.75, Members: 1}}
	g := placedCandidate(r, c).graph(Kernels)
	for _, x := range []struct {
		text, want string
		part, is   float64
	}{
		{g.Groups[0].Label, "25 % busy", g.Groups[0].Part, 0.25},
		{g.Nodes[0].Lines[2], "12.5 % busy", g.Nodes[0].Part, 0.125},
		{g.Links[0].Label, "75 % busy", g.Links[0].Part, 0.75},
	} {
		if x.part != x.is || !strings.Contains(x.text, x.want) {
			t.Errorf("%q is filled by %g, want %q and %g", x.text, x.part, x.want, x.is)
		}
	}
}
