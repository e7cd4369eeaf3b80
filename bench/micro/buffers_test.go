package micro

import (
	"context"
	"testing"
	"time"

	"xopt/deploy/program"
	"xopt/deploy/run"
	"xopt/internal/testkit"
)

// TestBuffers runs an application with all methods of sizing buffers. None may hang.
func TestBuffers(t *testing.T) {
	testkit.Long(t, "it measures the kernels of an application alone first")
	t.Parallel()
	cases, err := Buffers(context.Background(), BuffersOptions{Runs: 2, Window: 60 * time.Millisecond,
		Budget: 50 * time.Millisecond, Apps: []string{"test1"}})
	if err != nil || len(cases) != 1 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		if c.Fail != "" {
			t.Errorf("%s: %s", c.Name, c.Fail)
			continue
		}
		for w, name := range BuffersWays() {
			if y := &c.Ways[w]; y.Hung != "" || !(y.Rate.Value > 0) || !(y.Memory.Value > 0) || y.RateOver.N != 2 {
				t.Errorf("%s, %s: %+v", c.Name, name, y)
			}
		}
	}
}

// TestTakenRates checks that data that only fill buffers do not count as throughput.
func TestTakenRates(t *testing.T) {
	d := &program.Description{Kernels: []program.Kernel{{Outputs: make([]program.Output, 1)},
		{Inputs: make([]program.Input, 1), Outputs: make([]program.Output, 1)}, {Inputs: make([]program.Input, 1)}},
		Edges: []program.Edge{{From: 0, To: 1, ElementBytes: 4}, {From: 1, To: 2, ElementBytes: 2}}}
	frame := func(at float64, first, second run.EdgeFrame) run.FrameData {
		return run.FrameData{Start: at, End: at + 0.5, Edges: []run.EdgeFrame{first, second}}
	}
	steady := run.EdgeFrame{Sent: 5000, Consumed: 5000}
	m := &run.Measurement{Frames: []run.FrameData{frame(0, run.EdgeFrame{Sent: 9000}, run.EdgeFrame{}),
		frame(0.5, steady, steady), frame(1, steady, steady)}}
	if sources, sinks, filling := consumedRates(d, m); sources != 40000 || sinks != 20000 || filling {
		t.Errorf("steady: %g B/s, %g B/s, filling %v", sources, sinks, filling)
	}
	m.Frames[2].Edges[1] = run.EdgeFrame{Sent: 5000, Consumed: 4000}
	if sources, sinks, filling := consumedRates(d, m); sources != 40000 || sinks != 18000 || !filling {
		t.Errorf("filling: %g B/s, %g B/s, filling %v", sources, sinks, filling)
	}
}
