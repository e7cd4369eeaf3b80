package buffers_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/queueing/maxplus"
)

// randomProblem draws kernels with gains, splits, broadcasts and joins of the parted streams, on cores and an
// FPGA that a bus connects, and a mapping.
func randomProblem(r *rand.Rand) (*flow.Problem, *flow.Mapping) {
	p := &flow.Problem{}
	app := &p.Application
	add := func(gain float64) int {
		app.Kernels = append(app.Kernels, flow.Kernel{Name: fmt.Sprintf("k%d", len(app.Kernels)), Gain: gain})
		return len(app.Kernels) - 1
	}
	join := func(from, to int, port string, routing float64, copied bool) int {
		app.Edges = append(app.Edges, flow.Edge{Name: fmt.Sprintf("e%d", len(app.Edges)), From: from, To: to,
			FromPort: port, ToPort: fmt.Sprintf("x%d", len(app.Edges)), ElementBytes: 64, Routing: routing,
			Copy: copied})
		return len(app.Edges) - 1
	}
	last := add(1)
	for range 1 + r.IntN(4) {
		a, b := add(1), -1
		switch r.IntN(3) {
		case 0: // one after the other, with or without a filter
			join(last, a, "y", 1, false)
			app.Kernels[a].Gain = []float64{.25, .7, 1, 3}[r.IntN(4)]
			last = a
			continue
		case 1: // a split, put together by whatever comes
			b = add(1)
			share := []float64{.5, .2}[r.IntN(2)]
			join(last, a, "y0", share, false)
			join(last, b, "y1", 1-share, false)
			last = add(1)
			join(a, last, "y", 1, false)
			join(b, last, "y", 1, false)
		default: // a broadcast, joined
			b = add(1)
			app.Kernels[last].Gain = 2 * app.Kernels[last].Gain
			if last == 0 {
				app.Kernels[last].Gain = 1
			}
			join(last, a, "y", .5, false)
			join(last, b, "y", .5, true)
			last = add(.5)
			e, f := join(a, last, "y", 1, false), join(b, last, "y", 1, false)
			app.Kernels[last].Joins = []flow.Join{{Ports: []flow.JoinPort{{Name: "x0", Edges: []int{e}, Bytes: 64},
				{Name: "x1", Edges: []int{f}, Bytes: 64}}}}
		}
	}
	join(last, add(1), "y", 1, false)
	m := randomMachine(r, p)
	return p, m
}

// randomMachine adds an architecture, figures and a mapping.
func randomMachine(r *rand.Rand, p *flow.Problem) *flow.Mapping {
	arch := &p.Architecture
	none := flow.Area{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	bus := flow.Link{Name: "bus", Bandwidth: 2e8 * (1 + r.Float64()), Latency: 1e-6 * float64(r.IntN(2))}
	bus.Jitter = bus.Latency / 2
	switch r.IntN(3) {
	case 0:
		bus.Sharing = flow.Sharing{Rule: flow.Bulk, TransferCost: 1e-6, TransferBytes: float64(64 * (1 + r.IntN(8)))}
	case 1:
		bus.Sharing.Rule = flow.Equal
	}
	for i := range 4 {
		res := flow.Resource{Name: fmt.Sprintf("r%d", i), Platform: "C", Area: none}
		switch i {
		case 1:
			res.Sharing.SwitchCost = 1e-7
		case 2:
			res.Sharing.Rule = flow.Equal
		case 3:
			res.Platform, res.Sharing.Rule = "HDL", flow.AreaOnly
		}
		arch.Resources = append(arch.Resources, res)
		bus.Endpoints = append(bus.Endpoints, i)
	}
	bus.Sends, bus.Receives = flow.Work{PerByte: 3e-9, PerElement: 1e-8}, flow.Work{PerByte: 1e-9, PerElement: 2e-8}
	arch.Links = []flow.Link{bus}
	m := &flow.Mapping{}
	for k := range p.Application.Kernels {
		row := make([]flow.Figures, 4)
		for i := range row {
			row[i] = flow.Figures{Available: true, ServiceRate: 1e7 * math.Exp(r.NormFloat64()),
				ServiceSCV: []float64{0, .2, 1, -1}[r.IntN(4)]}
			if i < 3 {
				row[i].CoLocationCost, row[i].SendCost, row[i].ReceiveCost = 1e-9, 2e-9, 3e-9
				row[i].SwitchCost = float64(k%2) * 1e-9
			}
		}
		p.Figures = append(p.Figures, row)
		m.Place = append(m.Place, r.IntN(4))
		if k == 0 {
			m.Place[0] = r.IntN(2)
		}
	}
	return m
}

// TestFlow: with large buffers, random mappings reach the throughput of the flow model. With sources at 90 % of
// it, every core and link has the utilization of the flow model.
func TestFlow(t *testing.T) {
	for seed := range uint64(20) {
		p, m := randomProblem(rand.New(rand.NewPCG(seed, 3)))
		n, s := solve(t, p, m)
		out := simulate(t, n, s, buffers.Setting{}, all(n, 3000), maxplus.Options{Events: 100_000, Seed: seed})
		if r := out.Throughput.Value / s.Throughput; math.Abs(r-1) > .015 || out.Stopped != "" {
			t.Errorf("seed %d: %.4g of the flow bound %s", seed, r, out.Stopped)
		}
		const load = .9
		model, err := buffers.Network(n, s, buffers.Setting{Load: load})
		if err != nil {
			t.Fatal(err)
		}
		run, err := maxplus.New(model.Net)
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Run(context.Background(), maxplus.Options{Events: 100_000, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for k, i := range model.Kernel {
			if i < 0 {
				continue
			}
			weight := make([]float64, len(model.Net.Stations))
			weight[i] = 1
			got, want := res.WorkRate(weight), load*share(n, s, k)
			if math.Abs(got.Value-want) > .01*want+2*(got.High-got.Value) || got.High > 1.1*want+.01 {
				t.Errorf("seed %d: kernel %s is busy %.5g of the time, want %.5g", seed, p.Application.Kernels[k].Name,
					got.Value, want)
			}
		}
	}
}

// share returns the fraction of its server that a kernel uses. Under equal sharing the server is the kernel's
// own part.
func share(n *flow.Network, s *flow.Solution, k int) float64 {
	for i := range n.Stations {
		if n.Stations[i].Kernel == k {
			if n.Problem.Architecture.Resources[n.Mapping.Place[k]].Sharing.Rule == flow.Conserving {
				return s.Stations[i].Share
			}
			return s.Stations[i].Utilization
		}
	}
	return 0
}
