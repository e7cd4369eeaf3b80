package mapper

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"xopt/flow"
)

// TestLeftOut: a search says which placements are not in its space: where no link leads, and
// where the area is too small; and nothing where edges do not need what is not there.
func TestLeftOut(t *testing.T) {
	draw := func() *flow.Problem {
		p := randomProblem(rand.New(rand.NewPCG(1, 9)), 4, 2)
		for k := range p.Figures {
			p.Figures[k][2].Area = flow.Area{10}
		}
		p.Figures[2][2].Available = true
		return p
	}
	check := func(name string, p *flow.Problem, want ...string) {
		t.Helper()
		r, err := Search(context.Background(), p, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.LeftOut, want) {
			t.Errorf("%s: left out is %q, want %q", name, r.LeftOut, want)
		}
	}
	p := draw()
	check("all joined", p)
	p.Architecture.Links = p.Architecture.Links[1:] // the cores' own
	check("FPGA alone", p, "no link leads from r0 to r2 or from r2 to r0: mappings that need one are left out")
	for k := range p.Figures {
		p.Figures[k][2].Available = false
	}
	check("nothing for the FPGA", p)
	p = draw()
	p.Figures[2][2].Area = flow.Area{1000}
	check("too large", p, "not enough area for k2 on r2: these placements are left out")
}
