package buffers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"xopt/flow"
	"xopt/flow/buffers"
)

// parted is a source that sends emits elements per firing to a sink that receives consumes, each on its own core,
// over a link with bulks.
func parted(emits, consumes int, bulk float64) (*flow.Problem, *flow.Mapping) {
	const bytes = 8
	sink := flow.Kernel{Name: "b", Gain: 1, Joins: []flow.Join{{Ports: []flow.JoinPort{{Name: "x", Edges: []int{0},
		Bytes: float64(consumes) * bytes}}}}}
	p := &flow.Problem{MaxUtilization: 1}
	p.Application = flow.Application{Kernels: []flow.Kernel{{Name: "a", Gain: 1}, sink},
		Edges: []flow.Edge{{Name: "e", From: 0, To: 1, FromPort: "y", ToPort: "x", Emits: emits, Routing: 1,
			ElementBytes: bytes}}}
	p.Architecture.Resources = []flow.Resource{{Name: "c1"}, {Name: "c2"}}
	p.Architecture.Links = []flow.Link{{Name: "mem", Bandwidth: 1e10, Endpoints: []int{0, 1},
		Sharing: flow.Sharing{Rule: flow.Bulk, TransferBytes: bulk}}}
	for range 2 {
		f := flow.Figures{Available: true, ServiceRate: 1e9}
		p.Figures = append(p.Figures, []flow.Figures{f, f})
	}
	return p, &flow.Mapping{Place: []int{0, 1}, Route: [][]int{{0}}}
}

func solveParted(t *testing.T, emits, consumes int, bulk float64) (*flow.Network, *flow.Solution) {
	t.Helper()
	p, m := parted(emits, consumes, bulk)
	return solve(t, p, m)
}

// TestUnsimulated: if an application is too large to simulate, the reason is in terms of the application and
// the sizes are those of closed forms. Smaller ones are simulated for a few iterations.
func TestUnsimulated(t *testing.T) {
	for _, c := range []struct {
		emits, consumes int
		bulk            float64
		want            string
	}{
		{1, 50_000, 0, ""},
		{1, 100_000, 0, "one iteration has 100001 firings, but xopt simulates at most 100000 firings"},
		{1_000_000_007, 1_000, 0, "one iteration has 1000001007 firings, but xopt simulates at most 100000 firings"},
		{2147483647, 2147483647, 0, "a firing of a sends 2147483647 elements on y, but a simulation " +
			"supports at most 536870912 elements"},
		{1 << 29, 1 << 30, 0, "a firing of b consumes 1073741824 elements of x, but a simulation " +
			"supports at most 536870912 elements"},
		{1, 1, 1 << 40, "mem moves 137438953472 elements of e at once, but a simulation " +
			"supports at most 536870912 elements"},
	} {
		t.Run(fmt.Sprint(c.emits, c.consumes, c.bulk), func(t *testing.T) {
			n, s := solveParted(t, c.emits, c.consumes, c.bulk)
			model, err := buffers.Network(n, s, buffers.Setting{})
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if want := int64(c.consumes/c.emits + 1); model.Firings != want || model.Events(10) < 4*want {
					t.Errorf("%d events of %d firings in an iteration, want %d", model.Events(10), model.Firings, want)
				}
				return
			}
			var no *buffers.Unsimulated
			if !errors.As(err, &no) || !strings.Contains(no.Error(), c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
			sizes, err := buffers.Verified(context.Background(), n, s)
			if err != nil || sizes[0].Level != buffers.Heuristic || !(sizes[0].Elements >= float64(c.consumes)) {
				t.Errorf("%+v, %v", sizes, err)
			}
		})
	}
}
