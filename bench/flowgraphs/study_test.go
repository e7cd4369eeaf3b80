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

// slowed returns cases with work of 0.2 s/s and the given relative losses.
func slowed(losses ...float64) (list []gnuradio.Slowed) {
	for _, loss := range losses {
		list = append(list, gnuradio.Slowed{Work: 0.2, Measured: gnuradio.Estimate{Mean: -loss}})
	}
	return list
}

// TestAgrees: work of 0.2 s/s in the limiting thread costs 20 % of the rate, on two limiting processors 10 %, and
// otherwise nothing; half of that is the boundary.
func TestAgrees(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		limit  gnuradio.LimitKind
		losses []float64
		agrees bool
	}{
		{gnuradio.LimitThread, []float64{0.19, 0.01}, true},
		{gnuradio.LimitThread, []float64{0.06, 0.01}, true},
		{gnuradio.LimitThread, []float64{0.04, 0.01}, false},
		{gnuradio.LimitThread, []float64{0.15, 0.19}, false},
		{gnuradio.LimitProcessors, []float64{0.11, 0.06}, true},
		{gnuradio.LimitProcessors, []float64{0.19, 0.01}, false},
		{gnuradio.LimitProcessors, []float64{0.04, 0.11}, false},
		{gnuradio.LimitWaiting, []float64{0.11, 0.12}, true},
		{gnuradio.LimitWaiting, []float64{0.11, 0.02}, false},
		{gnuradio.LimitIdle, []float64{0.02, 0}, true},
		{gnuradio.LimitThrottle, []float64{0.11, 0}, false},
		{gnuradio.LimitThread, nil, false},
	} {
		if got := Agrees(x.limit, 2, slowed(x.losses...)); got != x.agrees {
			t.Errorf("%s with losses %v: %t", x.limit, x.losses, got)
		}
	}
}

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
