package report

import (
	"image/color"

	"xopt/cmd/internal/report/graph"
	"xopt/internal/units"
	"xopt/mapper/result"
)

// MovedDrawings draws the first mapping, or the run, of each of two results, and highlights the kernels that moved. It
// returns nil if no kernel moved, or if a result has no mapping.
func MovedDrawings(before, after *result.Result) []Part {
	a, b := drawnOf(before), drawnOf(after)
	if a == nil || b == nil {
		return nil
	}
	x := &Drawing{ID: "before", Title: "Before: " + a().rate, Mappings: []DrawnMapping{{source: comparedWith(a, b)}}}
	y := &Drawing{ID: "after", Title: "After: " + b().rate, Mappings: []DrawnMapping{{source: comparedWith(b, a)}}}
	if !x.Mappings[0].source().hasMoved() && !y.Mappings[0].source().hasMoved() {
		return nil
	}
	return []Part{{Drawing: x.ready()}, {Drawing: y.ready()}}
}

// drawnOf returns the mapping of a result: the best candidate, or the mapping of a run; nil for none.
func drawnOf(r *result.Result) func() *placedMapping {
	switch {
	case len(r.Candidates) > 0 && len(r.Candidates[0].Place) > 0:
		return func() *placedMapping { return placedCandidate(r, &r.Candidates[0]) }
	case r.Measured != nil && len(r.Measured.Place) > 0:
		return func() *placedMapping { return placedRun(r) }
	}
	return nil
}

// comparedWith marks the kernels of a mapping that another mapping places elsewhere or does not contain.
func comparedWith(mapping, other func() *placedMapping) func() *placedMapping {
	return func() *placedMapping {
		m, o := mapping(), other()
		for i := range m.kernels {
			at, ok := o.where[m.kernels[i].name]
			m.kernels[i].moved = !ok || o.kernels[at].on != m.kernels[i].on
		}
		return m
	}
}

func (m *placedMapping) hasMoved() bool {
	for i := range m.kernels {
		if m.kernels[i].moved {
			return true
		}
	}
	return false
}

// movedLook adds the border of a moved kernel to a style.
func movedLook(x graph.Look) graph.Look {
	x.Border, x.Width = color.RGBA{0x8e, 0x24, 0xaa, 0xff}, limitWidth
	return x
}

func (s *sketched) markMoved(x *graph.Node, inside []int) {
	n := 0
	for _, i := range inside {
		if s.m.kernels[i].moved {
			n++
		}
	}
	switch {
	case n == 0:
		return
	case len(inside) == 1:
		x.Title += "; moved"
	default:
		x.Title += "; " + units.Counted(n, "kernel", "kernels") + " moved"
	}
	x.Look = movedLook(x.Look)
}
