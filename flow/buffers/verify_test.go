package buffers

import (
	"context"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/queueing/maxplus"
	"xopt/queueing/sdf"
)

// verified returns the sizes of a mapping by the full rule, and the network and solution to simulate it.
func verified(t *testing.T, p *flow.Problem, m *flow.Mapping) ([]Size, *flow.Network, *flow.Solution) {
	t.Helper()
	n, s, sizes, err := VerifiedOf(context.Background(), p, m)
	if err != nil {
		t.Fatal(err)
	}
	return sizes, n, s
}

// TestProven: of static counts and constant times sizes are the exact least that keep 99 %, on an
// FPGA, where the runtime needs nothing; on cores they are no less.
func TestProven(t *testing.T) {
	static := func(rule flow.SharingRule) (*flow.Problem, *flow.Mapping) {
		p := &flow.Problem{Architecture: cores(3, 0)}
		m := &flow.Mapping{Place: []int{0, 1, 2}, Route: [][]int{{0}, {0}}}
		if rule == flow.AreaOnly {
			m = &flow.Mapping{Place: []int{0, 0, 0}, Route: [][]int{nil, nil}}
			p.Architecture.Resources[0].Sharing.Rule = rule
		}
		p.Application.Kernels = []flow.Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 1}, {Name: "c"}}
		p.Application.Kernels[1].Joins = []flow.Join{{Ports: []flow.JoinPort{{Name: "x", Edges: []int{0}, Bytes: 3}}}}
		p.Application.Edges = []flow.Edge{
			{Name: "ab", To: 1, FromPort: "y", ToPort: "x", ElementBytes: 1, Routing: 1, Emits: 2},
			{Name: "bc", From: 1, To: 2, FromPort: "y", ToPort: "x", ElementBytes: 1, Routing: 1, Emits: 3}}
		for range 3 {
			row := make([]flow.Figures, 3)
			for r := range row {
				row[r] = flow.Figures{Available: true, ServiceRate: 1e3}
			}
			p.Figures = append(p.Figures, row)
		}
		return p, m
	}
	p, m := static(flow.AreaOnly)
	sizes, n, _ := verified(t, p, m)
	graph, err := Static(n)
	if err != nil {
		t.Fatal(err)
	}
	front, err := graph.Graph.Front(context.Background(), sdf.FrontOptions{Keep: 0.99})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, len(sizes))
	for c, x := range front.Points[len(front.Points)-1].Capacities {
		want[graph.Edge[c]] = float64(x)
	}
	for e, x := range sizes {
		if x.Level != Proven || x.Elements != want[e] || !strings.Contains(x.Reason, "exact") {
			t.Errorf("%+v, want %g, proven", x, want[e])
		}
	}
	p, m = static(flow.Conserving)
	p.Architecture.Links = append(p.Architecture.Links, p.Architecture.Links[0]) // an edge each
	m.Route[1] = []int{1}
	if sizes, _, _ = verified(t, p, m); sizes[0].Level != Proven || sizes[0].Elements < want[0] {
		t.Errorf("on cores %+v", sizes[0])
	}
}

// TestSimulated: closed-form sizes that are too small are enlarged until the simulation keeps 99 %; the others
// stay.
func TestSimulated(t *testing.T) {
	p, m := pair{writer: 1e3, reader: 1e3, scv: 1, element: 1}.mapped()
	sizes, n, s := verified(t, p, m)
	closed := sized(t, p, m)
	if sizes[0].Level != Simulated || sizes[0].Elements != closed[0].Elements {
		t.Errorf("%+v, want %g elements, simulated", sizes[0], closed[0].Elements)
	}
	small := []Size{{Elements: 20, Level: Heuristic, Reason: "too little", By: "test"}}
	if err := simulate(context.Background(), n, s, small); err != nil {
		t.Fatal(err)
	}
	if x := small[0]; x.Elements < 60 || x.Elements > 200 || x.Level != Simulated || x.By != bySimulation ||
		!strings.Contains(x.Reason, "with only 20 elements on this edge") {
		t.Errorf("%+v", x)
	}
}

// TestNoneStalls: with recommended sizes the simulations of diamonds whose one branch filters, gathers or
// waits for transfers never stop, with draws that sizing has not seen.
func TestNoneStalls(t *testing.T) {
	for i, of := range []diamond{
		{passes: .01, consumes: 100, takesLong: 1}, {passes: .1, consumes: 10, takesLong: 1},
		{passes: .1, consumes: 100, takesLong: 10}, {passes: 1, consumes: 1, takesLong: 1, rounds: 64},
		{passes: 1, consumes: 1, takesLong: 1, bulk: 256}, {passes: 1, consumes: 1, takesLong: 1, rounds: 64,
			middle: true},
		{passes: .01, consumes: 1000, takesLong: 10, bulk: 64}, {passes: 1, consumes: 1, takesLong: 1, emits: 1},
	} {
		p, m := of.problem()
		p.JoinTolerance = 0.1
		for range p.Application.Kernels {
			f := flow.Figures{Available: true, ServiceRate: 1e6, ServiceSCV: -1}
			p.Figures = append(p.Figures, []flow.Figures{f, f})
		}
		sizes, n, s := verified(t, p, m)
		model, err := Network(n, s, Setting{})
		if err != nil {
			t.Fatal(err)
		}
		sim, err := model.Simulator()
		if err != nil {
			t.Fatal(err)
		}
		elements := make([]int, len(sizes))
		for e, x := range sizes {
			elements[e] = int(x.Elements)
		}
		for seed := range uint64(4) {
			out, err := sim.Run(context.Background(), elements, maxplus.Options{Events: 100_000, Seed: 100 + seed})
			if err != nil || out.Stopped != "" {
				t.Errorf("diamond %d, seed %d, sizes %v: %v, %s", i, seed, elements, err, out.Stopped)
			}
		}
		t.Logf("diamond %d: %v %+v", i, elements, sizes[1])
	}
}
