package design

import (
	"errors"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/faults"
	"xopt/flow/xlang"
	"xopt/queueing/sdf"
)

// stuck reports an application that is proven to hang: where element counts are static, one
// iteration of it is played, with the buffers that the files give, and all others without end.
func (b *builder) stuck(flows *flow.Flows) {
	g := buffers.Counts(&b.p.Application, flows)
	if g == nil {
		return
	}
	sizes := make([]float64, len(b.p.Application.Edges))
	for e, n := range b.d.Buffers {
		sizes[e] = float64(n)
	}
	stuck, err := g.Stuck(sizes)
	var inconsistent *sdf.InconsistentError
	switch {
	case errors.As(err, &inconsistent):
		b.diag.errorf(faults.InconsistentRates, b.prog.UsePos, "%v; check emit and join of both", err)
	case err != nil || stuck == nil: // what cannot be played is not proven
	case stuck.Empty():
		b.diag.errorf(faults.Deadlock, b.prog.UsePos, "the application hangs: %v", stuck).Hint =
			"a cycle of edges without enough initial elements: give one of them more, as in (initial=4)"
	default:
		b.diag.errorf(faults.Deadlock, b.bufferPos(g, stuck), "the application hangs with these buffers: %v",
			stuck).Hint =
			"enlarge the buffer of a full edge"
	}
}

// bufferPos is where the first full edge of a cycle is given its size.
func (b *builder) bufferPos(g *buffers.StaticGraph, stuck *sdf.Stuck) xlang.Pos {
	for _, w := range stuck.Cycle {
		if !w.Full {
			continue
		}
		for _, buf := range b.prog.Buffers {
			if buf.Edge == g.Edge[w.Channel] {
				return buf.Pos
			}
		}
	}
	return b.prog.UsePos
}
