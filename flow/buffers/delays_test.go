package buffers

import (
	"fmt"
	"strings"
	"testing"

	"xopt/flow"
)

// lattice returns a source, layers of kernels that each join the output of two before them, and a sink that
// joins all.
func lattice(layers, width int) *flow.Problem {
	p := &flow.Problem{}
	app := &p.Application
	app.Kernels = []flow.Kernel{{Name: "source", Gain: 1}}
	connect := func(from, to int, out, in string, routing float64) {
		app.Edges = append(app.Edges, flow.Edge{Name: fmt.Sprint(from, ".", out), From: from, To: to, FromPort: out,
			ToPort: in, ElementBytes: 4, Routing: routing})
		app.Kernels[to].Joins[0].Ports = append(app.Kernels[to].Joins[0].Ports,
			flow.JoinPort{Name: in, Edges: []int{len(app.Edges) - 1}, Bytes: 4})
	}
	for l := range layers {
		for i := range width {
			k := len(app.Kernels)
			app.Kernels = append(app.Kernels, flow.Kernel{Name: fmt.Sprintf("k%d_%d", l, i), Gain: 1,
				Joins: make([]flow.Join, 1)})
			if l == 0 {
				connect(0, k, fmt.Sprint("y", i), "a", 1/float64(width))
				continue
			}
			connect(k-width, k, "y0", "a", .5)
			connect(1+(l-1)*width+(i+1)%width, k, "y1", "b", .5)
		}
	}
	sink := len(app.Kernels)
	app.Kernels = append(app.Kernels, flow.Kernel{Name: "sink", Joins: make([]flow.Join, 1)})
	for i := range width {
		connect(sink-width+i, sink, "y0", fmt.Sprint("x", i), 1)
	}
	return p
}

// TestTooManyJoins: if the joins and forks exceed the limit of the search, the edges into the last joins are
// unknown and no level is above heuristic. The other edges are known.
func TestTooManyJoins(t *testing.T) {
	for _, x := range []struct {
		layers, width int
		some          bool
	}{{8, 8, false}, {20, 30, true}} {
		p := lattice(x.layers, x.width)
		flows, err := flow.NewFlows(&p.Application, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		unknown, sizes := 0, []Size(nil)
		for _, minimum := range MinSizes(p, flows, nil) {
			if minimum.Unknown != "" {
				unknown++
			}
			sizes = append(sizes, Size{Level: Simulated, Minimum: minimum})
		}
		if last := len(sizes) - 1; (unknown > 0) != x.some || unknown == len(sizes) ||
			(sizes[last].Minimum.Unknown != "") != x.some || sizes[0].Minimum.Unknown != "" {
			t.Errorf("%d layers of %d: %d of %d edges are unknown", x.layers, x.width, unknown, len(sizes))
		}
		doubt(p, sizes)
		for e, s := range sizes {
			const why = "too many joins and forks to compute the delay of each branch; a run may enlarge the buffer"
			if want := s.Minimum.Unknown != ""; (s.Level == Heuristic) != want ||
				strings.Contains(s.Reason, why) != want {
				t.Errorf("%s: %v: %s", p.Application.Edges[e].Name, s.Level, s.Reason)
			}
		}
	}
}
