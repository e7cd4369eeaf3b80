package buffers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/queueing/maxplus"
)

// lagging returns a source on a core together with the reader of a loop, whose other kernel is on another core.
// During a turn of the source, the reader could consume more than the loop's initial elements.
func lagging() (*flow.Problem, *flow.Mapping) {
	p := &flow.Problem{Architecture: cores(2, 0)}
	for r := range p.Architecture.Resources {
		p.Architecture.Resources[r].Sharing.Rule = flow.Conserving
	}
	p.Application.Kernels = []flow.Kernel{{Name: "geo", Gain: 1}, {Name: "mean", Gain: 1. / 480},
		{Name: "track", Gain: .5},
		{Name: "smooth", Gain: 1}}
	p.Application.Kernels[1].Joins = []flow.Join{{Ports: []flow.JoinPort{{Name: "x", Edges: []int{0}, Bytes: 1920}}}}
	p.Application.Kernels[2].Joins = []flow.Join{{Ports: []flow.JoinPort{{Name: "m", Edges: []int{1}, Bytes: 4},
		{Name: "prev", Edges: []int{3}, Bytes: 4}}}}
	p.Application.Edges = []flow.Edge{
		{Name: "raw", To: 1, FromPort: "y", ToPort: "x", ElementBytes: 32, Routing: 1, Emits: 1},
		{Name: "means", From: 1, To: 2, FromPort: "m", ToPort: "m", ElementBytes: 4, Routing: 1, Emits: 1},
		{Name: "est", From: 2, To: 3, FromPort: "est", ToPort: "est", ElementBytes: 4, Routing: 1, Emits: 1},
		{Name: "back", From: 3, To: 2, FromPort: "prev", ToPort: "prev", ElementBytes: 4, Routing: 1, Emits: 1,
			Initial: 2}}
	for _, f := range []flow.Figures{{ServiceRate: 32 / 76.55e-9, ServiceSCV: 1.7}, {ServiceRate: 1920 / 1.2e-6,
		ServiceSCV: .001}, {ServiceRate: 8 / 12.5e-9, ServiceSCV: .9}, {ServiceRate: 4 / 29e-9, ServiceSCV: .5}} {
		f.Available = true
		p.Figures = append(p.Figures, []flow.Figures{f, f})
	}
	return p, &flow.Mapping{Place: []int{0, 1, 0, 1}, Route: [][]int{{0}, {0}, {0}, {0}}}
}

// simulation returns a mapping that is ready for simulation.
func simulation(t *testing.T, p *flow.Problem, m *flow.Mapping) (*Simulation, *flow.Network, *flow.Solution) {
	t.Helper()
	n, err := flow.NewNetwork(p, m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	model, err := Network(n, s, Setting{})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := model.Simulator()
	if err != nil {
		t.Fatal(err)
	}
	return sim, n, s
}

// TestSettled: a simulation continues until its buffers stop filling. Shorter ones overestimate larger buffers,
// which take longer to fill. With turns of one firing, as in virtual time, no throughput is lost.
func TestSettled(t *testing.T) {
	ctx := context.Background()
	p, m := lagging()
	sim, n, s := simulation(t, p, m)
	options := maxplus.Options{Events: 100_000, Seed: 1}
	for _, sizes := range [][]int{{2713, 51, 44, 93}, {2713, 800, 44, 93}, {1285, 1490, 40, 40}} {
		out, err := sim.Settled(ctx, sizes, options, settledLimit)
		if err != nil || out.Unsettled != "" {
			t.Fatalf("%v: %v, %v", sizes, err, out.Unsettled)
		}
		if kept := out.Throughput.Value / s.Throughput; math.Abs(kept-.886) > .015 {
			t.Errorf("%v keep %.2f %% after %d events, want 88.6 %%", sizes, 100*kept, out.Events)
		}
	}
	out, err := sim.Settled(ctx, []int{2713, 0, 44, 93}, options, 400_000)
	if err != nil || !strings.Contains(out.Unsettled, "track consumes") {
		t.Errorf("without end: %v, %q", err, out.Unsettled)
	}
	sizes, err := Verified(ctx, n, s)
	if err != nil {
		t.Fatal(err)
	}
	start := make([]int, len(sizes))
	for e, x := range sizes {
		if start[e] = int(x.Elements); x.Level != Simulated || x.Elements > 4000 {
			t.Errorf("%+v", x)
		}
	}
	front, err := NewFront(ctx, n, s, start, FrontOptions{Seed: 1})
	if err != nil || front.Unsettled != "" {
		t.Fatal(err, front.Unsettled)
	}
	if kept := front.Max / s.Throughput; math.Abs(kept-.886) > .015 {
		t.Errorf("large buffers keep %.2f %%", 100*kept)
	}
	if front.Limited != "" {
		t.Errorf("limited by %s", front.Limited)
	}
	front, err = NewFront(ctx, n, s, start, FrontOptions{Seed: 1, trials: 2})
	if err != nil || front.Limited != "2 simulated choices of sizes" {
		t.Errorf("with 2 trials: %v, limited by %q", err, front.Limited)
	}
	for i := range sim.Net.Stations {
		sim.Net.Stations[i].Burst = 1
	}
	exact, err := sim.Model.Simulator()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = exact.Settled(ctx, start, options, settledLimit); err != nil ||
		out.Throughput.Value < .99*s.Throughput {
		t.Errorf("turns of one firing: %v, %.4g of %.4g", err, out.Throughput.Value, s.Throughput)
	}
}

// TestTakenBack: where one of two buffers has to be larger, only one is.
func TestTakenBack(t *testing.T) {
	ctx := context.Background()
	p := &flow.Problem{Architecture: cores(3, 0)}
	p.Application.Kernels = []flow.Kernel{{Name: "a", Gain: 1}, {Name: "b", Gain: 1}, {Name: "c"}}
	p.Application.Edges = []flow.Edge{{Name: "ab", To: 1, FromPort: "y", ToPort: "x", ElementBytes: 8, Routing: 1},
		{Name: "bc", From: 1, To: 2, FromPort: "y", ToPort: "x", ElementBytes: 1, Routing: 1}}
	p.Application.Kernels[1].Gain = 1. / 8
	for _, f := range []flow.Figures{{ServiceRate: 8e3, ServiceSCV: 1}, {ServiceRate: 64e3, ServiceSCV: 1},
		{ServiceRate: 1e3, ServiceSCV: 1}} {
		f.Available = true
		p.Figures = append(p.Figures, []flow.Figures{f, f, f})
	}
	sim, n, s := simulation(t, p, &flow.Mapping{Place: []int{0, 1, 2}, Route: [][]int{{0}, {0}}})
	small := []Size{{Elements: 20, Reason: "too little", By: "test"}, {Elements: 20, Reason: "too little", By: "test"}}
	if err := simulate(ctx, n, s, small); err != nil {
		t.Fatal(err)
	}
	elements := func(x ...float64) []int { return []int{int(x[0]), int(x[1])} }
	kept := func(sizes []int) float64 {
		out, err := sim.Settled(ctx, sizes, maxplus.Options{Events: maxVerifyEvents, Seed: verifySeed}, maxSettled)
		if err != nil {
			t.Fatal(err)
		}
		return out.Throughput.Value
	}
	goal := (1 - keptLoss) * kept([]int{20 * plenty, 20 * plenty})
	at := elements(small[0].Elements, small[1].Elements)
	if kept(at) < goal {
		t.Errorf("%v do not keep enough", at)
	}
	for e, x := range small {
		if less := append([]int(nil), at...); x.Elements > 20 {
			if less[e] = 20; kept(less) >= goal || !strings.Contains(x.Reason, "with only 20 elements on this edge") {
				t.Errorf("%v would do in place of %v: %s", less, at, x.Reason)
			}
		}
	}
	if at[0] > 20 && at[1] > 20 {
		t.Errorf("%v: one of them is enough", at)
	}
}

// TestGroups: sizes that are reduced in groups are those that are reduced one by one, with fewer simulations.
func TestGroups(t *testing.T) {
	const stages = 12
	p := &flow.Problem{Architecture: cores(stages, 0)}
	m := &flow.Mapping{}
	for k := range stages {
		f := flow.Figures{Available: true, ServiceRate: 8e3, ServiceSCV: 1}
		if k == 4 || k == 5 {
			f.ServiceRate = 1e3
		}
		p.Application.Kernels = append(p.Application.Kernels, flow.Kernel{Name: fmt.Sprint("k", k), Gain: 1})
		p.Figures = append(p.Figures, slices.Repeat([]flow.Figures{f}, stages))
		m.Place = append(m.Place, k)
		if k > 0 {
			p.Application.Edges = append(p.Application.Edges, flow.Edge{Name: fmt.Sprint("e", k), From: k - 1, To: k,
				FromPort: "y", ToPort: "x", ElementBytes: 1, Routing: 1})
			m.Route = append(m.Route, []int{0})
		}
	}
	sim, _, _ := simulation(t, p, m)
	reduced := func(oneByOne bool) (times []float64, tries int) {
		sizes := make([]Size, stages-1)
		for e := range sizes {
			sizes[e] = Size{Elements: 10, pair: &Size{Elements: 2}}
		}
		v := verification{ctx: context.Background(), sim: sim, sizes: sizes, times: make([]float64, len(sizes)),
			elements: make([]int, len(sizes)), events: verifyEvents}
		v.multiply(pairs)
		if _, err := v.run(0); err != nil {
			t.Fatal(err)
		}
		if v.waited = v.blocked; oneByOne {
			v.waited = slices.Repeat([]float64{1}, len(sizes))
		}
		v.multiply(8)
		maximum, err := v.run(0)
		if err == nil {
			err = v.shrinkAll((1 - keptLoss) * maximum)
		}
		if err != nil {
			t.Fatal(err)
		}
		return v.times, maxShrinks - v.tries
	}
	want, many := reduced(true)
	got, few := reduced(false)
	t.Logf("one by one %v in %d simulations; in groups %v in %d", want, many, got, few)
	if !slices.Equal(got, want) || few >= many || slices.Max(want) <= 1 {
		t.Errorf("in groups %v in %d simulations, want %v in fewer than %d", got, few, want, many)
	}
}

// TestUnknownMeetings: where ways meet without a join, no size is surer than a guess; with a join they are not
// unknown.
func TestUnknownMeetings(t *testing.T) {
	p := &flow.Problem{}
	p.Application.Kernels = []flow.Kernel{{Name: "gate"}, {Name: "pack"}, {Name: "merge"}}
	p.Application.Edges = []flow.Edge{{Name: "hits", To: 1, ToPort: "hit"}, {Name: "flags", To: 2, ToPort: "flag"},
		{Name: "packs", From: 1, To: 2, ToPort: "pack"}}
	sizes := []Size{{Level: Simulated}, {Level: Simulated}, {Level: Simulated}}
	doubt(p, sizes)
	if sizes[0].Level != Simulated || sizes[1].Level != Heuristic || sizes[2].Level != Heuristic ||
		!strings.Contains(sizes[1].Reason, "streams that separate at gate meet at merge without a join") {
		t.Errorf("%+v", sizes)
	}
	p.Application.Kernels[2].Joins = []flow.Join{{Ports: []flow.JoinPort{{Name: "flag", Edges: []int{1}},
		{Name: "pack", Edges: []int{2}}}}}
	if list := unknownMeetings(p); strings.Join(list, "") != "" {
		t.Errorf("with a join: %q", list)
	}
}

// TestRareTransfers: a link that moves much at once fires rarely. Sizes are simulated until it has moved enough,
// and where that takes too long they stay heuristic, and say why.
func TestRareTransfers(t *testing.T) {
	for _, x := range []struct {
		bulk   float64 // elements
		level  Level
		reason string
	}{{512, Simulated, ""}, {32768, Simulated, ""}, {1 << 20, Heuristic, "20 transfers of out over"}} {
		p := &flow.Problem{Architecture: cores(3, 0)}
		for r := range p.Architecture.Resources {
			p.Architecture.Resources[r].Sharing.Rule = flow.Conserving
		}
		p.Architecture.Links[0].Sharing = flow.Sharing{Rule: flow.Bulk, TransferBytes: 4 * x.bulk, TransferCost: 1e-6}
		p.Application.Kernels = []flow.Kernel{{Name: "read", Gain: 1}, {Name: "work", Gain: 1}, {Name: "store"}}
		p.Application.Edges = []flow.Edge{
			{Name: "in", To: 1, FromPort: "y", ToPort: "x", ElementBytes: 64, Routing: 1, Emits: 1},
			{Name: "out", From: 1, To: 2, FromPort: "y", ToPort: "x", ElementBytes: 4, Routing: 1, Emits: 1}}
		p.Application.Kernels[1].Gain = 4. / 64
		for _, f := range []flow.Figures{{ServiceRate: 64 / 2.6e-6}, {ServiceRate: 64 / 3.4e-6},
			{ServiceRate: 4 / 3.2e-6, ServiceSCV: 1}} {
			f.Available = true
			p.Figures = append(p.Figures, []flow.Figures{f, f, f})
		}
		m := &flow.Mapping{Place: []int{0, 1, 2}, Route: [][]int{nil, {0}}}
		m.Route[0] = []int{0}
		sim, n, s := simulation(t, p, m)
		sizes, err := Verified(context.Background(), n, s)
		if err != nil {
			t.Fatal(err)
		}
		for e := range sizes {
			if got := sizes[e]; got.Level != x.level || !strings.Contains(got.Reason, x.reason) {
				t.Errorf("bulks of %g: edge %d is %v: %s", x.bulk, e, got.Level, got.Reason)
			}
		}
		if x.level != Simulated {
			continue
		}
		elements := []int{int(sizes[0].Elements), int(sizes[1].Elements)}
		out, err := sim.Settled(context.Background(), elements, maxplus.Options{Events: 60_000, Seed: 7}, settledLimit)
		if err != nil || out.Unsettled != "" || math.Abs(out.Throughput.Value/s.Throughput-1) > .01 {
			t.Errorf("bulks of %g: %v of the flow bound, %s, %v", x.bulk, out.Throughput.Value/s.Throughput,
				out.Unsettled, err)
		}
	}
}

// TestLongChain checks that a simulation of a long pipeline lasts until its last kernel has fired, or that it is marked
// as no estimate.
func TestLongChain(t *testing.T) {
	for _, c := range []struct {
		kernels int
		early   bool
	}{{700, false}, {4000, true}} {
		p, m := longChain(c.kernels)
		sim, _, s := simulation(t, p, m)
		sizes := slices.Repeat([]int{8}, c.kernels-1)
		out, err := sim.Settled(context.Background(), sizes, maxplus.Options{Events: 10_000}, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if out.Early != c.early || !c.early && math.Abs(out.Throughput.Value/s.Throughput-1) > 0.02 {
			t.Errorf("%d kernels: %.4g of %.4g B/s, early %v, %s", c.kernels, out.Throughput.Value, s.Throughput,
				out.Early, out.Unsettled)
		}
	}
}

// longChain is a chain of equal kernels with exponential times on 8 cores, in blocks.
func longChain(kernels int) (*flow.Problem, *flow.Mapping) {
	p, m := chain(kernels, 8)
	p.Architecture = cores(8, 0)
	for k := range p.Figures {
		for r := range p.Figures[k] {
			p.Figures[k][r].ServiceRate, p.Figures[k][r].ServiceSCV = 1e6, 1
		}
	}
	return p, m
}
