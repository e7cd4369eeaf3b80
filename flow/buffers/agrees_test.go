package buffers

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"xopt/flow"
)

// TestVerifiedIsChosen: the recommended sizes of static applications equal those that a front chooses: with the
// floors of batches on cores, and on FPGAs, which have no floors.
func TestVerifiedIsChosen(t *testing.T) {
	floored, more, complete, seeds := 0, 0, 0, 100
	if testing.Short() {
		seeds = 25
	}
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 11))
		p, m := randomStatic(r, 2+r.IntN(6), r.IntN(4))
		if seed%4 == 0 {
			for i := range p.Architecture.Resources {
				p.Architecture.Resources[i].Sharing.Rule = flow.AreaOnly
			}
		}
		if _, err := flow.NewFlows(&p.Application, 0); err != nil {
			continue // a loop that multiplies
		}
		links(p, m)
		sizes, n, s := verified(t, p, m)
		start := make([]int, len(sizes))
		for e := range sizes {
			start[e] = int(sizes[e].Elements)
		}
		front, err := NewFront(context.Background(), n, s, start, FrontOptions{Events: 1000})
		if err != nil {
			continue // a loop with too few initial elements
		}
		if !front.Exact {
			t.Errorf("seed %d: not exact: %s", seed, front.Why)
			continue
		}
		if minimum := sizes[0].Level == Proven && sizes[0].By != ""; !minimum {
			t.Errorf("seed %d: %+v", seed, sizes[0])
		}
		complete++
		for e, x := range sizes {
			if want := front.Points[front.Chosen].Sizes[e]; x.Elements != float64(want) || x.Level != Proven {
				t.Errorf("seed %d, %s: %g elements, %s (%s); the front chooses %d", seed, p.Application.Edges[e].Name,
					x.Elements, x.Level, x.Reason, want)
			}
			if x.Elements == front.Floor[e].Elements && x.By == byBatches {
				floored++
			}
			if x.Elements > front.Floor[e].Elements {
				more++
			}
		}
	}
	t.Logf("%d applications, %d edges at what batches need, %d above the floor", complete, floored, more)
	if complete < seeds*3/5 || floored < seeds/2 || more < seeds/2 {
		t.Error("too few cases of one kind")
	}
}

// links moves every edge to a link of its own.
func links(p *flow.Problem, m *flow.Mapping) {
	bus := p.Architecture.Links[0]
	p.Architecture.Links = nil
	m.Route = make([][]int, len(p.Application.Edges))
	for e := range p.Application.Edges {
		edge := &p.Application.Edges[e]
		if m.Place[edge.From] == m.Place[edge.To] {
			continue
		}
		link := bus
		link.Bandwidth = math.Inf(1)
		m.Route[e] = []int{len(p.Architecture.Links)}
		p.Architecture.Links = append(p.Architecture.Links, link)
	}
}
