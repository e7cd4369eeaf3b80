package flowgraphs

import (
	"context"
	"math"
	"os"
	"testing"
	"time"

	"xopt/deploy/gnuradio"
	"xopt/internal/testkit"
)

// TestSummary compares the figures of two graphs, and of an unsteady one, with numbers computed by hand.
func TestSummary(t *testing.T) {
	t.Parallel()
	mean := func(v float64) gnuradio.Estimate { return gnuradio.Estimate{Mean: v, Low: v - 0.01, High: v + 0.01} }
	s := &Study{Graphs: []Graph{
		{Agrees: true, Cost: mean(0.02), Slowed: []gnuradio.Slowed{{Predicted: -0.3, Measured: mean(-0.2)}},
			Pinnings: []Pinning{{0.1, 0.3}}, Change: "pin", Promised: mean(0.2), Gain: mean(-0.1)},
		{Cost: mean(-0.04), Slowed: []gnuradio.Slowed{{Predicted: -0.1, Measured: mean(-0.4)}}},
		{Cost: mean(-0.01), Limit: gnuradio.Limit{Kind: gnuradio.LimitUnsteady}, Agrees: true},
	}}
	x := s.Summary()
	for _, f := range []struct {
		name      string
		got, want float64
	}{
		{"agreement", x.Agreement, 0.5}, {"named", float64(x.Named), 2}, {"slowed", x.SlowedError, 0.2},
		{"pinned", x.PinnedError, 0.2},
		{"applied", float64(x.Applied), 1}, {"gain", x.GainError, 0.3}, {"slower", float64(x.Slower), 1},
		{"cost", x.Cost, -0.01},
	} {
		if math.Abs(f.got-f.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", f.name, f.got, f.want)
		}
	}
}

// TestRun measures a random graph as a user does. It leaves no folder.
func TestRun(t *testing.T) {
	testkit.Long(t, "it runs GNU Radio for half a minute")
	testkit.Tool(t, "grcc", "gnuradio")
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s, err := Run(context.Background(), Options{Random: 1, Seed: 3, Time: 100 * time.Millisecond, Pairs: 2})
	if err != nil || len(s.Graphs) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	g := &s.Graphs[0]
	if !(g.Rate > 0) || len(g.Slowed) != 2 || !(g.Slowed[0].Work > 0) || len(g.Pinnings) == 0 || g.Cost.N < 2 {
		t.Errorf("%+v", g)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
