package flow

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestBroadcast compares kernels whose only port feeds all their out-edges with kernels that send as many times
// as much and divide it equally: the flows are equal.
func TestBroadcast(t *testing.T) {
	broadcasts := 0
	forRandomNetworks(t, 300, anyShape, func(t *testing.T, seed uint64, n *Network) {
		rng := rand.New(rand.NewPCG(seed, 7))
		split, broadcast := *n.Problem, *n.Problem
		split.Application = cloneApplication(&split.Application)
		broadcast.Application = cloneApplication(&broadcast.Application)
		in, out := NewGraph(&split.Application).In, NewGraph(&split.Application).Out
		for k := range out {
			if len(out[k]) < 2 || len(in[k]) == 0 || len(split.Application.Kernels[k].Joins) > 0 || rng.IntN(2) == 0 {
				continue
			}
			broadcasts++
			ways := float64(len(out[k]))
			split.Application.Kernels[k].Gain *= ways
			for i, e := range out[k] {
				split.Application.Edges[e].Routing = 1 / ways
				broadcast.Application.Edges[e].Routing, broadcast.Application.Edges[e].Copy = 1, i > 0
			}
		}
		want, wantErr := NewFlows(&split.Application, 0)
		got, err := NewFlows(&broadcast.Application, 0)
		if (wantErr == nil) != (err == nil) {
			t.Fatalf("seed %d: broadcast %v, split %v", seed, err, wantErr)
		}
		if err != nil {
			return // joins that no longer balance
		}
		if err := broadcast.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for e := range split.Application.Edges {
			for f := range got.Edge(e) {
				if a, b := got.Edge(e)[f], want.Edge(e)[f]; !near(a, b, 0) {
					t.Errorf("seed %d: edge %d carries %g in a broadcast, %g split", seed, e, a, b)
				}
			}
		}
	})
	if broadcasts < 50 {
		t.Errorf("only %d broadcasts were looked at", broadcasts)
	}
}

func cloneApplication(a *Application) Application {
	b := *a
	b.Kernels = append([]Kernel(nil), a.Kernels...)
	b.Edges = append([]Edge(nil), a.Edges...)
	return b
}

// TestBroadcastFirings: a source fires once for the output that its port sends to several edges.
func TestBroadcastFirings(t *testing.T) {
	app := &Application{
		Kernels: []Kernel{{Name: "s", Gain: 1}, {Name: "a", Gain: 1}, {Name: "b", Gain: 1}},
		Edges: []Edge{
			{Name: "sa", From: 0, To: 1, FromPort: "y", ElementBytes: 8, Routing: 1},
			{Name: "sb", From: 0, To: 2, FromPort: "y", ElementBytes: 8, Routing: 1, Copy: true},
		},
	}
	f, err := NewFlows(app, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Firings(0); len(got) != 1 || got[0].PerByte != 1./8 {
		t.Errorf("firings of the source are %+v, want one for 8 bytes", got)
	}
	if f.Edge(0)[0] != 1 || f.Edge(1)[0] != 1 || f.Objective()[0] != 1 {
		t.Errorf("a byte of the source puts %g and %g on the edges and %g into the throughput; want 1 each",
			f.Edge(0)[0], f.Edge(1)[0], f.Objective()[0])
	}
	if err := (&Problem{Application: *app}).Validate(); err != nil && strings.Contains(err.Error(), "routing") {
		t.Error(err)
	}
}
