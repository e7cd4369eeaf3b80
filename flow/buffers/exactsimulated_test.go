package buffers

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"xopt/flow"
	"xopt/queueing/maxplus"
)

// TestExactSimulated: the event simulation of static applications, with cycles and with finite buffers, has the
// throughput of the exact analysis and stops in the same cases.
func TestExactSimulated(t *testing.T) {
	moved, stopped := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 6))
		p, m := randomStatic(r, 2+r.IntN(5), r.IntN(3))
		n, err := flow.NewNetwork(p, m)
		if err != nil {
			continue // a loop with too few initial elements
		}
		s, err := flow.Fast{}.Solve(context.Background(), n)
		if err != nil {
			t.Fatal(seed, err)
		}
		x, err := Static(n)
		if err != nil {
			t.Fatal(seed, err)
		}
		sizes, exactly := make([]int, len(p.Application.Edges)), make([]float64, len(p.Application.Edges))
		for e, minimum := range MinSizes(p, n.Flows, n.Mapping) {
			sizes[e] = max(1, p.Application.Edges[e].Initial, int(minimum.Elements)+r.IntN(6)-1)
			exactly[e] = float64(sizes[e])
		}
		model, err := Network(n, s, Setting{})
		if err != nil {
			t.Fatal(seed, err)
		}
		sim, err := model.Simulator()
		if err != nil {
			t.Fatal(seed, err)
		}
		out, err := sim.Run(context.Background(), sizes, maxplus.Options{Events: 20_000})
		if err != nil {
			t.Fatal(seed, err)
		}
		want, err := x.Throughput(exactly)
		if (err != nil) != (out.Stopped != "") {
			t.Fatalf("seed %d: exactly %v, simulated %q", seed, err, out.Stopped)
		}
		if err != nil {
			stopped++
			continue
		}
		moved++
		if got := out.Throughput.Value; math.Abs(got/want-1) > 0.01 {
			t.Errorf("seed %d: simulated %g bytes/s, exactly %g", seed, got, want)
		}
	}
	if moved < 60 || stopped < 3 {
		t.Errorf("%d moved, %d stopped", moved, stopped)
	}
}
