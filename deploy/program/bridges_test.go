package program

import (
	"math/rand/v2"
	"testing"

	"xopt/flow/xlang"
)

// TestBridges compares with the definition: without a bridge its kernels are disconnected.
func TestBridges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 2000 {
		p := &xlang.Program{Kernels: make([]xlang.Kernel, 1+random.IntN(8))}
		for range random.IntN(12) {
			p.Edges = append(p.Edges, xlang.Edge{From: random.IntN(len(p.Kernels)), To: random.IntN(len(p.Kernels))})
		}
		for e, is := range bridges(p) {
			if is != !joined(p, e) {
				t.Fatalf("edge %d of %v is a bridge: %v", e, p.Edges, is)
			}
			if is {
				found++
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d bridges were drawn", found)
	}
}

// joined reports whether the kernels of an edge are joined by others.
func joined(p *xlang.Program, without int) bool {
	at := make([]int, len(p.Kernels)) // the part that a kernel is in
	for k := range at {
		at[k] = k
	}
	for e := range p.Edges {
		old, now := at[p.Edges[e].From], at[p.Edges[e].To]
		for k := range at {
			if e != without && at[k] == old {
				at[k] = now
			}
		}
	}
	return at[p.Edges[without].From] == at[p.Edges[without].To]
}
