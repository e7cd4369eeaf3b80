package design

import (
	"errors"
	"fmt"
	"math"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/faults"
	"xopt/flow/xlang"
	"xopt/internal/units"
	"xopt/queueing/sdf"
)

// buffers reads the buffer sizes in the files, in elements. It divides a size in bytes by the element size, and rounds
// down.
func (b *builder) buffers() {
	b.bufferAt = make(map[int]xlang.Pos)
	var leasts []buffers.Minimum // for all edges, computed on demand
	for _, buf := range b.prog.Buffers {
		edge := &b.p.Application.Edges[buf.Edge]
		elements := buf.Value.Number
		if !buf.Value.IsNumber || buf.Value.Quoted {
			size, err := units.ParseSize(buf.Value.Text)
			if err != nil {
				b.unreadable(buf.Value, "buffer of "+edge.Name, err)
				continue
			}
			elements = math.Floor(size / edge.ElementBytes)
		}
		switch {
		case elements < 1 || elements != math.Trunc(elements) || elements > math.MaxInt32:
			what := units.Elements(elements)
			if !buf.Value.IsNumber || buf.Value.Quoted {
				what = fmt.Sprintf("%s, %.6g elements of %g bytes", buf.Value.Text, elements, edge.ElementBytes)
			}
			if leasts == nil {
				leasts = buffers.MinSizes(b.p, nil, b.d.Mapping)
			}
			b.diag.errorf(faults.WrongConfigValue, buf.Value.Pos, "buffer of %s is %s; expected a whole number of "+
				"elements from %s to %d", edge.Name, what, from(&leasts[buf.Edge]), math.MaxInt32)
			continue
		case b.d.Buffers[buf.Edge] != 0 && b.d.Buffers[buf.Edge] != int(elements):
			b.diag.errorf(faults.BufferTwice, buf.Pos, "edge %s has two buffer sizes, %d and %.0f elements",
				edge.Name, b.d.Buffers[buf.Edge], elements).Relate(b.bufferAt[buf.Edge],
				"keep one of the two buffer statements")
		}
		b.d.Buffers[buf.Edge], b.bufferAt[buf.Edge] = int(elements), buf.Value.Pos
	}
	b.small(nil, false)
}

// from returns the minimum size of an edge, and its reason if it exceeds one element.
func from(minimum *buffers.Minimum) string {
	if minimum.Sure <= 1 {
		return "1"
	}
	return fmt.Sprintf("%.16g (%s)", minimum.Sure, minimum.SureWhy)
}

// small reports sizes with which data cannot flow. It warns about sizes that may be too small, depending on the data.
// If flows is nil, it checks only the parts of the minimum sizes that do not depend on gains and routing.
func (b *builder) small(flows *flow.Flows, warn bool) {
	if len(b.d.Buffers) == 0 {
		return
	}
	for e, minimum := range buffers.MinSizes(b.p, flows, b.d.Mapping) {
		given, ok := b.d.Buffers[e]
		if !ok {
			continue
		}
		name := b.p.Application.Edges[e].Name
		if text := minimum.TooSmall(name, given); text != "" {
			b.diag.errorf(faults.BufferTooSmall, b.bufferAt[e], "%s", text)
			delete(b.d.Buffers, e) // reported already
		} else if text := minimum.MayStop(name, given); text != "" && warn {
			b.warnf(faults.BufferMayStop, "%s", text)
		}
	}
}

// MinSizes returns the minimum sizes of all edges for the design's mapping, if it has one. If gains and routing are
// unknown, it returns only the parts that do not depend on them.
func (d *Design) MinSizes() []buffers.Minimum {
	flows, err := flow.NewFlows(&d.Problem.Application, d.Problem.JoinTolerance)
	if err != nil || len(d.Missing) > 0 {
		flows = nil
	}
	mapping := d.Mapping
	if mapping != nil { // adds default routes to edges without a stated route
		if network, err := flow.NewNetwork(d.Problem, mapping); err == nil {
			mapping = network.Mapping
		}
	}
	return buffers.MinSizes(d.Problem, flows, mapping)
}

// stuck reports an application that certainly deadlocks. For static element counts, it simulates one iteration with the
// buffers in the files; all other buffers are unlimited.
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
		b.diag.errorf(faults.InconsistentRates, b.prog.UsePos, "%v", err).Hint = "check emit and join of both " +
			"kernels"
	case err != nil || stuck == nil: // an iteration that cannot be simulated proves nothing
	case stuck.Empty():
		b.diag.errorf(faults.Deadlock, b.prog.UsePos, "the application deadlocks: %v", stuck).Hint =
			"add initial elements to one of these edges, such as (initial=4)"
	default:
		b.diag.errorf(faults.Deadlock, b.bufferPos(g, stuck), "the application deadlocks with these buffers: %v",
			stuck).Hint =
			"enlarge the buffer of a full edge"
	}
}

// bufferPos returns the position of the statement that sizes the first full edge of a cycle.
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
