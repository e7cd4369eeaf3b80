package buffers

import (
	"context"
	"math"
	"testing"

	"xopt/flow"
	"xopt/queueing"
)

// TestVirtualQueue: two edges on a link with bulks of 64 elements have their own and the other's share of it,
// and their rings have space for at least two bulks.
func TestVirtualQueue(t *testing.T) {
	p := &flow.Problem{Application: flow.Application{
		Kernels: []flow.Kernel{{Name: "s", Gain: 1}, {Name: "k", Gain: 1}},
		Edges: []flow.Edge{{Name: "a", From: 0, To: 1, FromPort: "a", ElementBytes: 8, Routing: .5},
			{Name: "b", From: 0, To: 1, FromPort: "b", ElementBytes: 16, Routing: .5}}},
		Architecture: flow.Architecture{Resources: []flow.Resource{{Name: "one"}, {Name: "two"}},
			Links: []flow.Link{{Name: "l", Endpoints: []int{0, 1}, Bandwidth: 160e6, Latency: 1e-6,
				Sharing: flow.Sharing{Rule: flow.Bulk, TransferBytes: 512, TransferCost: 1e-6}}}}}
	for range 2 {
		p.Figures = append(p.Figures, []flow.Figures{{Available: true, ServiceRate: 16e6, ServiceSCV: 1},
			{Available: true, ServiceRate: 16e6, ServiceSCV: 1}})
	}
	n, err := flow.NewNetwork(p, &flow.Mapping{Place: []int{0, 1}, Route: [][]int{{0}, {0}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := flow.Fast{}.Solve(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	const part, transfer = .5, 512/160e6 + 1e-6
	for e, bulk := range []float64{64, 32} {
		q := VirtualQueue(p, n.Flows, flow.NewOperation(n, s), e, part)
		q.Alone = 30
		rate := part * s.Throughput / 2 / p.Application.Edges[e].ElementBytes
		own := rate / bulk * transfer
		l := q.Links[0]
		if math.Abs(q.Rate/rate-1) > 1e-9 || l.Bulk != bulk || math.Abs(l.Transfer/transfer-1) > 1e-9 ||
			math.Abs(l.Others/own-1) > 1e-9 || l.Latency != 1e-6 {
			t.Errorf("edge %d: %+v; want %g elements/s, transfers of %g s and as much of the link for the other", e, q,
				rate, transfer)
		}
		sizes, err := q.Sizes(queueing.DefaultProbability)
		if err != nil || sizes.Ring < 30+bulk-1 || sizes.Ring > 30+3*bulk || sizes.Upstream < 2*bulk {
			t.Errorf("edge %d: %+v, %v", e, sizes, err)
		}
	}
}
