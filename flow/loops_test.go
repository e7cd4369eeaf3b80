package flow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// loopy draws an application of sources and kernels. Any kernel may feed any other and itself; feedback edges
// have initial elements. The gain of each loop is below 1.
func loopy(r *rand.Rand, kernels int) *Application {
	app := &Application{Name: "loopy"}
	sources := 1 + r.IntN(2)
	for k := range kernels {
		gain := 0.2 + 0.7*r.Float64()
		if k < sources {
			gain = 1
		}
		app.Kernels = append(app.Kernels, Kernel{Name: string(rune('a' + k)), Gain: gain})
	}
	for k := range kernels {
		to := []int{sources + r.IntN(kernels-sources)} // one forwards, if there is one
		if k+1 < kernels {
			to[0] = max(sources, k+1) + r.IntN(kernels-max(sources, k+1))
		}
		for range r.IntN(3) {
			to = append(to, sources+r.IntN(kernels-sources))
		}
		for i, t := range to {
			e := Edge{Name: string(rune('a'+k)) + "." + string(rune('a'+t)) + string(rune('0'+i)), From: k, To: t,
				FromPort: string(rune('x' + i)), ToPort: string(rune('a' + k)), ElementBytes: float64(1 + r.IntN(8)),
				Routing: 1 / float64(len(to))}
			if t <= k || r.IntN(4) == 0 {
				e.Initial = 1 + r.IntN(4)
			}
			app.Edges = append(app.Edges, e)
		}
	}
	return app
}

// TestLoopFlows: flows in loops equal the sums over all rounds of an element.
func TestLoopFlows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	cyclic := 0
	for range 500 {
		app := loopy(r, 3+r.IntN(6))
		flows, err := NewFlows(app, 0)
		if gain := (*LoopGainError)(nil); errors.As(err, &gain) && gain.Closed {
			continue // nothing feeds one of the loops drawn
		}
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(flows.Back, true) {
			cyclic++
		}
		for s, source := range flows.Sources {
			x := make([]float64, len(app.Kernels))
			wave := make([]float64, len(app.Kernels))
			wave[source] = 1
			for range 3000 {
				next := make([]float64, len(app.Kernels))
				for e := range app.Edges {
					edge := &app.Edges[e]
					next[edge.To] += wave[edge.From] * app.Kernels[edge.From].Gain * edge.Routing
				}
				for k := range x {
					x[k] += wave[k]
				}
				wave = next
			}
			for k := range x {
				if got := flows.Arrival(k)[s]; !(math.Abs(got-x[k]) <= 1e-9*(1+x[k])) {
					t.Fatalf("%s takes %v of source %d, want %v", app.Kernels[k].Name, got, s, x[k])
				}
			}
		}
		for i, e := range app.Edges { // without feedback edges, the order is topological
			if !flows.Back[i] && slices.Index(flows.Order, e.From) >= slices.Index(flows.Order, e.To) {
				t.Errorf("edge %s leads backwards", e.Name)
			}
		}
	}
	if cyclic < 100 {
		t.Errorf("only %d of the applications have loops", cyclic)
	}
}

// ring returns an application whose kernels form a ring.
func ring(gains ...float64) Application {
	app := Application{Name: "ring"}
	for i, g := range gains {
		app.Kernels = append(app.Kernels, Kernel{Name: string(rune('a' + i)), Gain: g})
		app.Edges = append(app.Edges, Edge{Name: "e" + string(rune('1'+i)), From: i, To: (i + 1) % len(gains),
			FromPort: "y", ToPort: "x", ElementBytes: 1, Routing: 1})
	}
	app.Edges[len(gains)-1].Initial = 1
	return app
}

// TestClosedLoop: a loop without a source has a flow according to its initial elements, if it conserves them.
func TestClosedLoop(t *testing.T) {
	app := ring(2, 0.25, 2)
	flows, err := NewFlows(&app, 0)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{1, 2, 0.5} {
		if got := flows.Arrival(k)[0]; got != want {
			t.Errorf("%s takes %v, want %v", app.Kernels[k].Name, got, want)
		}
	}
	p := &Problem{Application: app, Architecture: Architecture{Resources: cores(Conserving, 1)},
		Figures: figures(1, 10, 10, 10), MaxUtilization: 1}
	n, err := NewNetwork(p, &Mapping{Place: []int{0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (Fast{}).Solve(context.Background(), n); err != nil {
		t.Error(err)
	}
}

// TestLoopErrors: loops in which nothing, or ever more, flows are refused by name.
func TestLoopErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		app    Application
		is     error
		phrase string
	}{
		{"runs dry", ring(1, 0.5), ErrInfeasible,
			"loop a -> b -> a has no source and returns 0.5 bytes"},
		{"grows", ring(1, 1.21), ErrInfeasible, "returns 1.21 bytes for each"},
		{"holds nothing", func() Application { a := ring(1, 1); a.Edges[1].Initial = 0; return a }(), ErrCycle,
			"deadlock in cycle a -> b -> a: no edge has initial elements, so the kernels wait for each other forever " +
				"(set initial=1 or more on an edge, such as e2)"},
		{"piles up", func() Application {
			a := ring(1, 1)
			a.Kernels = append(a.Kernels, Kernel{Name: "s", Gain: 1})
			a.Edges = append(a.Edges, Edge{Name: "in", From: 2, To: 1, ToPort: "z", ElementBytes: 1, Routing: 1})
			return a
		}(), ErrInfeasible, "loop a -> b -> a returns 1 bytes for each byte of a round, expected less"},
		{"one of two cycles", func() Application {
			a := ring(1, 1, 1)
			a.Edges = append(a.Edges, Edge{Name: "short", From: 1, To: 0, FromPort: "z", ToPort: "z", ElementBytes: 1})
			a.Kernels = append(a.Kernels, Kernel{Name: "s", Gain: 1})
			a.Edges = append(a.Edges, Edge{Name: "in", From: 3, To: 0, ToPort: "w", ElementBytes: 1, Routing: 1})
			return a
		}(), ErrCycle, "deadlock in cycle a -> b -> a: no edge has initial elements, so the kernels wait for each " +
			"other forever (set initial=1 or more on an edge, such as short)"},
	} {
		if _, err := NewFlows(&c.app, 0); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.phrase) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.phrase)
		}
	}
}

// TestJoinInLoop: a join that consumes its own output ties the flows around it.
func TestJoinInLoop(t *testing.T) {
	app := Application{Name: "filter", Kernels: []Kernel{
		{Name: "source", Gain: 1},
		{Name: "add", Gain: 1, Joins: []Join{{Ports: []JoinPort{{Name: "x", Edges: []int{0}, Bytes: 8},
			{Name: "back", Edges: []int{2}, Bytes: 8}}}}},
		{Name: "delay", Gain: 1}, {Name: "sink"},
	}, Edges: []Edge{
		{Name: "in", From: 0, To: 1, ElementBytes: 8, Routing: 1},
		{Name: "loop", From: 1, To: 2, FromPort: "z", ElementBytes: 8, Routing: 0.5},
		{Name: "back", From: 2, To: 1, ToPort: "back", ElementBytes: 8, Routing: 1, Initial: 1},
		{Name: "out", From: 1, To: 3, FromPort: "y", ElementBytes: 8, Routing: 0.5},
	}}
	flows, err := NewFlows(&app, 0)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{1, 2, 1, 1} {
		if got := flows.Arrival(k)[0]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s takes %v, want %v", app.Kernels[k].Name, got, want)
		}
	}
	app.Kernels[2].Gain = 0.5
	if _, err := NewFlows(&app, 0); !errors.As(err, new(*JoinError)) {
		t.Errorf("got %v, want a join that cannot be fed", err)
	}
}

// TestLargeLoop: the flow of a loop of many kernels is computed from the few edges that lead back in it.
func TestLargeLoop(t *testing.T) {
	gains := make([]float64, 20_000)
	for k := range gains {
		gains[k] = 1
	}
	app := ring(gains...)
	for k := range app.Kernels {
		app.Kernels[k].Name = fmt.Sprint("k", k)
	}
	flows, err := NewFlows(&app, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := flows.Arrival(len(gains) - 1)[0]; got != 1 || len(flows.circles) != 1 {
		t.Errorf("the last kernel takes %v; %d circles", got, len(flows.circles))
	}
}
