package buffers_test

import (
	"context"
	"path/filepath"
	"testing"

	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
	"xopt/queueing/maxplus"
)

// TestAnomalyOfTurns: an unlimited buffer may cost throughput if kernels share a core. In mapA2 of
// gayen-veritas the source then never waits: it fires 3219 instead of 51 times a second. It uses 97 % of its
// core, which the kernels before the bottleneck need: the throughput is 527.7 instead of 618.4 kB/s. A large
// but finite buffer costs nothing, because it fills.
func TestAnomalyOfTurns(t *testing.T) {
	d := flowtest.X{Dir: filepath.Join(testkit.Root(t), "configs/examples/gayen-veritas"),
		Files: []string{"app.x", "arch_slow.x", "mapA2.x"}}.Design(t, design.Options{})
	n, s := solve(t, d.Problem, d.Mapping)
	list, err := buffers.Verified(context.Background(), n, s)
	if err != nil {
		t.Fatal(err)
	}
	model, err := buffers.Network(n, s, buffers.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := maxplus.New(model.Net)
	if err != nil {
		t.Fatal(err)
	}
	read, split := -1, -1
	for k := range d.Problem.Application.Kernels {
		switch d.Problem.Application.Kernels[k].Name {
		case "top.read":
			read = model.Kernel[k]
		case "top.split":
			split = model.Kernel[k]
		}
	}
	run := func(times int, events int64) (kept, ahead float64) {
		for e, b := range model.Edge {
			size := int(list[e].Elements)
			if d.Problem.Application.Edges[e].Name == "top.events" {
				size *= times
			}
			sim.Resize(b, size)
		}
		r, err := sim.Run(context.Background(), maxplus.Options{Events: events, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r.WorkRate(model.Weight).Value / s.Throughput, float64(r.Firings[read]) / float64(r.Firings[split])
	}
	const unlimited = 0
	finite, _ := run(1, 1<<18)
	large, _ := run(16, 1<<18)
	without, ahead := run(unlimited, 1<<20)
	if finite < .98 || large < .98 {
		t.Errorf("finite buffers keep %.4f and, 16 times as large, %.4f of the flow bound; want 0.98", finite, large)
	}
	if without > .9 || ahead < 10 {
		t.Errorf("an unlimited buffer keeps %.4f, and its writer fires %.3g times as often as its reader; want less "+
			"than 0.9 and more than 10", without, ahead)
	}
}
