package buffers_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/queueing/maxplus"
)

// smallProblem is a chain of kernels with constant service times, one core per kernel. Its middle may be two
// branches that a join merges.
func smallProblem(r *rand.Rand) (*flow.Problem, *flow.Mapping) {
	p := &flow.Problem{}
	app := &p.Application
	for k := range 4 {
		app.Kernels = append(app.Kernels, flow.Kernel{Name: fmt.Sprintf("k%d", k), Gain: 1})
	}
	edge := func(from, to int, port string, elements, routing float64) {
		app.Edges = append(app.Edges, flow.Edge{Name: fmt.Sprintf("e%d", len(app.Edges)), From: from, To: to,
			FromPort: port, ToPort: fmt.Sprintf("x%d", len(app.Edges)), ElementBytes: elements, Routing: routing})
	}
	if r.IntN(2) == 0 {
		edge(0, 1, "y", 8, 1)
		edge(1, 2, "y", 16, 1)
		app.Kernels[1].Gain = []float64{1, 2, 4}[r.IntN(3)]
		edge(2, 3, "y", 8, 1)
	} else {
		edge(0, 1, "a", 8, .5)
		edge(0, 3, "b", 8, .5)
		edge(1, 2, "y", 16, 1)
		edge(2, 3, "y", 8, 1)
		app.Kernels[1].Gain, app.Kernels[2].Gain = 2, .5
		app.Kernels[3].Joins = []flow.Join{{Ports: []flow.JoinPort{{Name: "u", Edges: []int{1}, Bytes: 8},
			{Name: "v", Edges: []int{3}, Bytes: 8}}}}
	}
	m := &flow.Mapping{Place: []int{0, 1, 2, 3}}
	none := flow.Area{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	link := flow.Link{Name: "mem", Bandwidth: math.Inf(1), Sharing: flow.Sharing{Rule: flow.Equal}}
	for k := range 4 {
		p.Architecture.Resources = append(p.Architecture.Resources, flow.Resource{Name: fmt.Sprintf("r%d", k),
			Platform: "C", Area: none})
		link.Endpoints = append(link.Endpoints, k)
		p.Figures = append(p.Figures, make([]flow.Figures, 4))
		for i := range p.Figures[k] {
			p.Figures[k][i] = flow.Figures{Available: true, ServiceRate: 8e6 / float64(2+r.IntN(7))}
		}
	}
	p.Architecture.Links = []flow.Link{link}
	return p, m
}

// TestFrontBruteForce: with constant services, the least memory that keeps the throughput is that of
// all choices of sizes.
func TestFrontBruteForce(t *testing.T) {
	const largest, events, keep = 5, 3000, .99
	minimum := 0
	for seed := range uint64(30) {
		p, m := smallProblem(rand.New(rand.NewPCG(seed, 5)))
		n, s := solve(t, p, m)
		front, err := buffers.NewFront(context.Background(), n, s, all(n, 50), buffers.FrontOptions{Keep: keep,
			Events: events, Ideal: true})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		model, err := buffers.Network(n, s, buffers.Setting{})
		if err != nil {
			t.Fatal(err)
		}
		sim, err := model.Simulator()
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(1)
		sizes := make([]int, len(p.Application.Edges))
		var every func(e int, memory float64)
		every = func(e int, memory float64) {
			if e == len(sizes) {
				if memory >= best {
					return
				}
				out, err := sim.Run(context.Background(), sizes, maxplus.Options{Events: events})
				if err != nil {
					t.Fatal(err)
				}
				if out.Throughput.Value >= keep*front.Max {
					best = memory
				}
				return
			}
			for k := 1; k <= largest; k++ {
				sizes[e] = k
				every(e+1, memory+float64(k)*p.Application.Edges[e].ElementBytes)
			}
		}
		every(0, 0)
		if front.Minimal {
			minimum++
		}
		if got := front.Points[front.Chosen].Memory; got != best {
			t.Errorf("seed %d: %g bytes (%v), least proven: %v; all choices: %g", seed, got,
				front.Points[front.Chosen].Sizes, front.Minimal, best)
		}
		for i, x := range front.Points[1:] {
			if before := front.Points[i]; x.Memory <= before.Memory || x.Throughput <= before.Throughput {
				t.Errorf("seed %d: %g bytes with %g B/s after %g with %g", seed, x.Memory, x.Throughput, before.Memory,
					before.Throughput)
			}
		}
	}
	if minimum < 20 {
		t.Errorf("only %d of the choices are proven the least", minimum)
	}
}

// TestFrontMemory: the error for a memory limit that is too small contains the memory that suffices.
func TestFrontMemory(t *testing.T) {
	p, m := smallProblem(rand.New(rand.NewPCG(1, 5)))
	n, s := solve(t, p, m)
	o := buffers.FrontOptions{Events: 3000, Ideal: true}
	front, err := buffers.NewFront(context.Background(), n, s, all(n, 50), o)
	if err != nil {
		t.Fatal(err)
	}
	needs := front.Points[front.Chosen].Memory
	o.MaxMemory = needs - 1
	var small *buffers.MemoryError
	if _, err := buffers.NewFront(context.Background(), n, s, all(n, 50), o); !errors.As(err, &small) ||
		small.Needs != needs {
		t.Errorf("%v, want %g bytes as what would do", err, needs)
	}
	o.MaxMemory = needs
	if _, err := buffers.NewFront(context.Background(), n, s, all(n, 50), o); err != nil {
		t.Error(err)
	}
}

// TestFrontMemoryAboveFloors checks that a limit between the floors and the chosen sizes is never called less than the
// floors, and that the floors of the error are those that are refused without a simulation.
func TestFrontMemoryAboveFloors(t *testing.T) {
	p, m := smallProblem(rand.New(rand.NewPCG(1, 5)))
	for k := range p.Figures {
		for r := range p.Figures[k] {
			p.Figures[k][r].ServiceSCV = 10
		}
	}
	n, s := solve(t, p, m)
	var below, above *buffers.MemoryError
	o := buffers.FrontOptions{Events: 3000, MaxMemory: 1}
	if _, err := buffers.NewFront(t.Context(), n, s, all(n, 50), o); !errors.As(err, &below) {
		t.Fatal(err)
	}
	o.MaxMemory = below.Floors + 1
	_, err := buffers.NewFront(t.Context(), n, s, all(n, 50), o)
	if !errors.As(err, &above) || above.Floors != below.Floors || above.Needs <= o.MaxMemory ||
		strings.Contains(err.Error(), "floors") {
		t.Errorf("%v with floors of %g bytes, want %g", err, above.Floors, below.Floors)
	}
}

// TestFrontMemoryBelowFloors: a memory limit below the floors is refused before any simulation.
func TestFrontMemoryBelowFloors(t *testing.T) {
	p, m := smallProblem(rand.New(rand.NewPCG(1, 5)))
	for k := range p.Figures {
		for r := range p.Figures[k] {
			p.Figures[k][r].ServiceSCV = 1
		}
	}
	n, s := solve(t, p, m)
	finished, cancel := context.WithCancel(t.Context()) // a simulation ends with its error
	cancel()
	for _, ideal := range []bool{true, false} {
		o := buffers.FrontOptions{Ideal: ideal, MaxMemory: 1}
		var small *buffers.MemoryError
		_, err := buffers.NewFront(finished, n, s, all(n, 50), o)
		if !errors.As(err, &small) || small.Needs != 0 || small.Allowed != 1 || !(small.Moves > 1) ||
			!(small.Floors >= small.Moves) {
			t.Errorf("ideal %t: %v, want what is needed at the least", ideal, err)
			continue
		}
		o.MaxMemory = small.Floors
		if _, err := buffers.NewFront(finished, n, s, all(n, 50), o); !errors.Is(err, context.Canceled) {
			t.Errorf("ideal %t: %v with as much as the floors", ideal, err)
		}
		o.MaxMemory = small.Floors - 1
		if _, err := buffers.NewFront(finished, n, s, all(n, 50), o); !ideal && (!errors.As(err, &small) ||
			small.Allowed != small.Floors-1) {
			t.Errorf("%v with less than the floors", err)
		}
	}
}
