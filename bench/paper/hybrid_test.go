package paper_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"xopt/bench/paper"
	"xopt/flow/profile"
	"xopt/internal/testkit"
)

// TestBus checks that Chopper on the FPGA pays off with a slow bus, and brings nothing with a fast one (Gayen 2008,
// Tables 6.1 and 6.2). Simulations must match predictions. The figures of the kernels were measured once, so the load
// of the machine during the test has no influence.
func TestBus(t *testing.T) {
	testkit.Long(t, "it compiles simulations of the whole pipeline")
	testkit.Tools(t, "verilator", "g++")
	t.Parallel()
	const figures = "testdata/veritas.profile.json"
	existing, err := profile.Read(figures, strings.NewReader(testkit.Read(t, figures)))
	if err != nil {
		t.Fatal(err)
	}
	points, speeds, err := paper.Hybrid(context.Background(), paper.HybridOptions{Bandwidths: []float64{5e6, 640e6},
		Pipes: []int{1}, Window: 30 * time.Millisecond, Figures: existing, Note: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	if len(points) != 2 || len(speeds) != 8 {
		t.Fatalf("%d points, %d speeds", len(points), len(speeds))
	}
	for i, p := range points {
		for _, r := range []paper.BusRun{p.A, p.B} {
			if math.Abs(r.Predicted/r.Simulated-1) > 0.1 { // at 5 MB/s thirty milliseconds are some 40 events
				t.Errorf("at %g bytes/s %g bytes/s predicted, %g simulated, limited by %s", p.Bandwidth, r.Predicted,
					r.Simulated, r.Bottleneck)
			}
		}
		gain := p.B.Simulated / p.A.Simulated
		if slow := i == 0; slow && gain < 4 || !slow && math.Abs(gain-1) > 0.1 {
			t.Errorf("at %g bytes/s Chopper on the FPGA gives %g times as much", p.Bandwidth, gain)
		}
	}
}
