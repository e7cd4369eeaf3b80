package randomapp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/flow/flowtest"
	"xopt/internal/testkit"
	"xopt/queueing/maxplus"
)

// sized is an application with the recommended buffer sizes for its mapping.
type sized struct {
	*design.Design
	net      *flow.Network
	solution *flow.Solution
	sizes    []buffers.Size
}

// size writes an application, reads it again, and sizes it.
func size(t *testing.T, a *App, elements int) *sized {
	t.Helper()
	dir := t.TempDir()
	if err := a.Write(dir, elements); err != nil {
		t.Fatal(err)
	}
	d := flowtest.X{Dir: dir, Files: []string{"app.x", "arch.x", "map.x"}}.Design(t,
		design.Options{Purpose: design.ForMapping})
	n, s := flowtest.Solve(t, d.Problem, d.Mapping)
	sizes, err := buffers.Recommend(context.Background(), d.Problem, n.Flows, flow.NewOperation(n, s))
	if err != nil {
		t.Fatalf("seed %d: %v", a.Seed, err)
	}
	return &sized{d, n, s, sizes}
}

// simulated runs the application, with its sizes times a factor, until every kernel has fired several times. It returns
// the reason for a stop, or "".
func (x *sized) simulated(t *testing.T, seed uint64, factor float64) string {
	t.Helper()
	m, err := buffers.Network(x.net, x.solution, buffers.Setting{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	sim, err := maxplus.New(m.Net)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for e, b := range m.Edge {
		if b >= 0 {
			sim.Resize(b, int(max(factor*x.sizes[e].Elements, 1)))
		}
	}
	const shortest, longest = 200_000, 100_000_000
	for events := int64(shortest); ; events *= 8 {
		r, err := sim.Run(context.Background(), maxplus.Options{Events: events, Seed: seed})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Deadlock != nil {
			var cycle []string
			for _, w := range r.Deadlock.Cycle {
				cycle = append(cycle, fmt.Sprintf("%s waits for %d at %s, which has %d", m.Net.Stations[w.Station].Name,
					w.Needs, m.Net.Channels[w.Channel].Name, w.Has))
			}
			return strings.Join(cycle, "; ")
		}
		rare := rarest(m, r)
		if rare == "" {
			return ""
		}
		if events > longest {
			return rare + " has hardly fired"
		}
	}
}

// rarest returns a kernel that has fired too few times to show that data reach it repeatedly, or "".
func rarest(m *buffers.Model, r *maxplus.Result) string {
	const few = 5
	for _, i := range m.Kernel {
		if i >= 0 && r.Firings[i] < few {
			return m.Net.Stations[i].Name
		}
	}
	return ""
}

// none runs applications with the recommended sizes, and reports those that stop.
func none(t *testing.T, from, to uint64) {
	t.Helper()
	bytes, joins, bulks, loops, branches := 0.0, 0, 0, 0, 0
	for seed := from; seed < to; seed++ {
		a := Draw(seed, Options{})
		x := size(t, a, 1)
		if why := x.simulated(t, seed, 1); why != "" {
			t.Errorf("seed %d stops: %s", seed, why)
		}
		for e := range x.sizes {
			bytes += x.sizes[e].Elements * float64(a.Edges[e].Bytes)
			loops += min(a.Edges[e].Initial, 1)
		}
		bulks += min(a.Links[0].Bulk, 1)
		for k := range a.Kernels {
			joins += min(len(a.Kernels[k].Consumes)/2, 1)
			branches += min(len(a.Kernels[k].Sends)/2, 1)
		}
	}
	t.Logf("%d applications with %d kernels that join, %d that send on several outputs, %d loops, and %d with bulks; "+
		"%.3g MB in all", to-from, joins, branches, loops, bulks, bytes/1e6)
}

// TestNoneStalls checks that no application stops with the recommended sizes.
func TestNoneStalls(t *testing.T) { none(t, 1, 51) }

// TestNoneOf300Stalls is TestNoneStalls with 300 applications.
func TestNoneOf300Stalls(t *testing.T) {
	testkit.Long(t, "it simulates 300 applications")
	t.Parallel()
	none(t, 51, 351)
}

// TestSomeStall checks that some applications stop with smaller sizes, so that the test above can fail.
func TestSomeStall(t *testing.T) {
	t.Parallel()
	stopped := 0
	for seed := uint64(1); seed < 31; seed++ {
		if size(t, Draw(seed, Options{}), 1).simulated(t, seed, 0.1) != "" {
			stopped++
		}
	}
	if stopped < 3 {
		t.Errorf("%d of 30 applications stop with a tenth of the sizes", stopped)
	}
}

// TestDraw checks that the drawn applications have all features, and that the same seed draws the same.
func TestDraw(t *testing.T) {
	maximum, filters, choices := 0, 0, 0
	for seed := range uint64(200) {
		a := Draw(seed, Options{})
		for k := range a.Kernels {
			for _, n := range a.Kernels[k].Consumes {
				maximum = max(maximum, n)
			}
			if a.Kernels[k].Filter > 0 {
				filters++
			}
			if a.Kernels[k].Choose > 0 {
				choices++
			}
		}
		if fmt.Sprint(*a) != fmt.Sprint(*Draw(seed, Options{})) {
			t.Fatalf("seed %d draws something else the second time", seed)
		}
	}
	if maximum != 1000 || filters < 20 || choices < 20 {
		t.Errorf("a join takes up to %d, and there are %d filters and %d choices", maximum, filters, choices)
	}
}
