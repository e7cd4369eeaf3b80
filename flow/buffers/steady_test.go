package buffers_test

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
)

// veritas is an application whose rarest kernel fires once in thousands of firings, with its recommended sizes, the
// numbers of its edges by name, and the fronts found so far.
type veritas struct {
	n      *flow.Network
	s      *flow.Solution
	start  []int
	edge   map[string]int
	fronts map[buffers.FrontOptions]*buffers.Front
}

// slow is the application of the tests in this file, which share its fronts.
var slow veritas

// slowVeritas returns slow, which the first call fills.
func slowVeritas(t *testing.T) *veritas {
	t.Helper()
	if slow.n != nil {
		return &slow
	}
	d := flowtest.X{Dir: filepath.Join(testkit.Root(t), "configs/examples/gayen-veritas"),
		Files: []string{"arch_slow.x", "mapB2.x"}}.Design(t, design.Options{})
	n, s := solve(t, d.Problem, d.Mapping)
	sizes, err := buffers.Verified(context.Background(), n, s)
	if err != nil {
		t.Fatal(err)
	}
	v := veritas{n: n, s: s, edge: make(map[string]int), fronts: make(map[buffers.FrontOptions]*buffers.Front)}
	for e := range sizes {
		v.start = append(v.start, int(sizes[e].Elements))
		v.edge[d.Problem.Application.Edges[e].Name] = e
	}
	slow = v
	return &slow
}

// front returns the front of a seed, which it computes once.
func (v *veritas) front(t *testing.T, seed uint64, keep float64) *buffers.Front {
	t.Helper()
	o := buffers.FrontOptions{Seed: seed, Keep: keep}
	if v.fronts[o] == nil {
		front, err := buffers.NewFront(context.Background(), v.n, v.s, v.start, o)
		if err != nil {
			t.Fatal(err)
		}
		v.fronts[o] = front
	}
	return v.fronts[o]
}

// TestFrontKeep: the chosen sizes are the smallest in their own table that keep the requested share of
// throughput. A table for a larger share shows about the same memory for it.
func TestFrontKeep(t *testing.T) {
	v := slowVeritas(t)
	seeds, keeps := uint64(2), []float64{.95, .99}
	if testing.Short() {
		seeds, keeps = 1, keeps[1:] // a front that TestFrontSeeds needs, too
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		memory := []float64{0, math.Inf(1)}
		for i, keep := range keeps {
			front := v.front(t, seed, keep)
			at := front.Points[front.Chosen]
			memory[i] = at.Memory
			if front.Max < .985*front.Bound || front.MaxInterval[1] < .99*front.Bound {
				t.Errorf("seed %d: large buffers give %.4g B/s (%.4g), want the bound %.4g", seed, front.Max,
					front.MaxInterval, front.Bound)
			}
			if at.Throughput < keep*front.Max {
				t.Errorf("seed %d: the chosen sizes keep %.4g of %.4g, want %g", seed, at.Throughput, front.Max, keep)
			}
			for _, p := range front.Points[:front.Chosen] {
				if p.Throughput >= keep*front.Max && p.Memory > front.Enlarged {
					t.Errorf("seed %d: %g bytes are chosen to keep %g, and %g bytes keep %g", seed, at.Memory, keep,
						p.Memory, p.Throughput/front.Max)
				}
			}
			for _, p := range front.Points {
				if p.Throughput < .95*front.Max {
					continue
				}
				if p.Memory > 1.1*memory[0] {
					t.Errorf("seed %d: the table for %g shows %g bytes for 0.95, chosen were %g", seed, keep, p.Memory,
						memory[0])
				}
				break
			}
		}
		if memory[0] > memory[1] {
			t.Errorf("seed %d: %g bytes keep 0.95, %g bytes 0.99", seed, memory[0], memory[1])
		}
	}
}

// TestFrontSeeds: an application whose rarest kernel fires once in thousands of firings gets similar sizes with
// any seed, and equal sizes for equal branches. A simulation five times as long confirms the stated throughput.
func TestFrontSeeds(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	v := slowVeritas(t)
	n, s, start, edge := v.n, v.s, v.start, v.edge
	model, err := buffers.Network(n, s, buffers.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := model.Simulator()
	if err != nil {
		t.Fatal(err)
	}
	var memory []float64
	for seed := uint64(1); seed <= seeds; seed++ {
		front := v.front(t, seed, buffers.DefaultKeep)
		p := front.Points[front.Chosen]
		memory = append(memory, p.Memory)
		t.Logf("seed %d: %.0f bytes, %.2f %%, at least %.2f %%, %d simulations", seed, p.Memory,
			100*p.Throughput/front.Max, 100*front.Low/front.Max, front.Simulations)
		if front.Low < (front.Keep-5e-4)*front.Max || front.Unsettled != "" {
			t.Errorf("seed %d: not sure: %.4g of %.4g %s", seed, front.Low, front.Max, front.Unsettled)
		}
		for _, of := range []string{"padin", "fftin", "re", "im", "filtre", "filtim", "chopin"} {
			if a, b := p.Sizes[edge["top.pipe[1]."+of]], p.Sizes[edge["top.pipe[2]."+of]]; a != b {
				t.Errorf("seed %d: %s has %d and %d elements in equal branches", seed, of, a, b)
			}
		}
		long, err := sim.Steady(context.Background(), p.Sizes, buffers.Steadiness{Seed: seed + 100,
			Events: 5 * front.Confirmed.Events / int64(len(front.Confirmed.Seeds))})
		if err != nil {
			t.Fatal(err)
		}
		if long.Unsettled != "" || long.Throughput.High < front.Keep*front.Max {
			t.Errorf("seed %d: %.4g in %d events, stated at least %.4g of %.4g %s", seed, long.Throughput.Value,
				long.Events, front.Low, front.Max, long.Unsettled)
		}
	}
	if minimum, maximum := slices.Min(memory), slices.Max(memory); maximum > 1.5*minimum {
		t.Errorf("memory by seed: %.0f bytes", memory)
	}
	small, err := sim.Steady(context.Background(), padded(start, edge, 12), buffers.ConfirmRule(1))
	if err != nil {
		t.Fatal(err)
	}
	if small.Throughput.High > .97*s.Throughput || small.Throughput.High-small.Throughput.Low < 1e-4*s.Throughput {
		t.Errorf("small buffers: %+v of %.4g", small.Throughput, s.Throughput)
	}
}

// padded returns sizes with additional elements before the padding of each branch.
func padded(sizes []int, edge map[string]int, elements int) []int {
	list := slices.Clone(sizes)
	for _, e := range []string{"top.pipe[1].padin", "top.pipe[2].padin"} {
		list[edge[e]] = elements
	}
	return list
}
