package program

import (
	"bytes"
	"fmt"
	"slices"

	"xopt/deploy/faults"
	"xopt/flow/xlang"
	"xopt/internal/files/infile"
	"xopt/internal/units"
)

// Loop is a set of kernels that can all reach each other, or a kernel with an edge to itself. Its kernels end when the
// loop is at rest: all input from outside has ended, and no kernel can fire.
type Loop struct {
	Kernels []int
	Edges   []int // edges to its kernels, including edges from outside
}

// loopsOf returns the loops of an application and the index of each kernel's loop, -1 for none.
func loopsOf(p *xlang.Program) (loops []Loop, of []int) {
	of = slices.Repeat([]int{-1}, len(p.Kernels))
	for i, kernels := range p.Loops() {
		loops = append(loops, Loop{Kernels: kernels})
		for _, k := range kernels {
			of[k] = i
		}
	}
	for e := range p.Edges {
		if i := of[p.Edges[e].To]; i >= 0 {
			loops[i].Edges = append(loops[i].Edges, e)
		}
	}
	return loops, of
}

// loopOf returns the loop that contains both kernels of an edge, -1 for none.
func (p *plan) loopOf(e int) int {
	edge := &p.program.Edges[e]
	if of := p.inLoop[edge.From]; of == p.inLoop[edge.To] {
		return of
	}
	return -1
}

// isBack reports whether an edge leads back in a loop. Such an edge has initial elements and ends when the loop is at
// rest.
func (p *plan) isBack(e int) bool { return p.loopOf(e) >= 0 && p.program.Edges[e].Initial > 0 }

// StartValues returns the bytes of an edge's initial elements; nil for zeros.
func StartValues(p *xlang.Program, e int) ([]byte, error) {
	edge := &p.Edges[e]
	if edge.InitialValues == "" || edge.Initial == 0 {
		return nil, nil
	}
	want := float64(edge.Initial) * p.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes
	data, err := infile.Read(edge.InitialValues, int64(want)+1)
	if err != nil {
		return nil, &InputError{fmt.Errorf("the initial elements of edge %s: %w", edge.Name, err)}
	}
	if float64(len(data)) != want {
		return nil, &InputError{faults.InitialElements.Errorf("%s contains %d bytes, but the %s of edge %s must have "+
			"%.0f bytes",
			edge.InitialValues, len(data), units.Counted(edge.Initial, "initial element", "initial elements"),
			edge.Name, want)}
	}
	return data, nil
}

// StartElements returns the initial elements of an edge. Its reader consumes them first.
func StartElements(p *xlang.Program, e int) ([]byte, error) {
	edge := &p.Edges[e]
	values, err := StartValues(p, e)
	if values == nil && err == nil {
		values = make([]byte, edge.Initial*int(p.Kernels[edge.From].Outputs[edge.FromPort].ElementBytes))
	}
	return values, err
}

// readInitial reads the initial elements of edges, for which [plan.size] has reserved space, and determines their
// positions in the areas. Edges of one port share an area, in which the first element from the writer follows the
// initial elements of all edges.
func (p *plan) readInitial() error {
	p.values, p.first = make([][]byte, len(p.program.Edges)), make([]int, len(p.program.Edges))
	for e := range p.program.Edges {
		var err error
		if p.values[e], err = StartValues(p.program, e); err != nil {
			return err
		}
	}
	for e := range p.program.Edges {
		edge := &p.program.Edges[e]
		if p.onFPGA(edge.From) {
			continue // edges from an FPGA share no area
		}
		maximum := e
		for _, x := range p.out[edge.From][edge.FromPort] {
			if p.program.Edges[x].Initial > p.program.Edges[maximum].Initial {
				maximum = x
			}
		}
		p.first[e] = p.program.Edges[maximum].Initial - edge.Initial
		if !p.sameStart(e, maximum) {
			return &InputError{faults.InitialElements.Errorf("edges %s and %s leave the same port, but their initial "+
				"elements differ. The initial elements of %[2]s must be the last %[3]d initial elements of %[1]s, or "+
				"each edge needs its own output port", p.program.Edges[maximum].Name,
				edge.Name, edge.Initial)}
		}
	}
	return nil
}

// sameStart reports whether the initial elements of edge e are equal to the last initial elements of another edge.
func (p *plan) sameStart(e, other int) bool {
	n := uint64(p.program.Edges[e].Initial) * p.element[e]
	a, b := p.values[e], p.values[other]
	if b != nil {
		b = b[uint64(len(b))-n:]
	}
	switch {
	case e == other || a == nil && b == nil:
		return true
	case a == nil:
		return zeros(b)
	case b == nil:
		return zeros(a)
	}
	return bytes.Equal(a, b)
}

// zeros reports whether all bytes are 0, as in initial elements without values.
func zeros(data []byte) bool {
	for _, x := range data {
		if x != 0 {
			return false
		}
	}
	return true
}

// Cycle returns a shortest cycle of edges in a loop that contains the given kernel.
func (d *Description) Cycle(kernel int) []int {
	by := make([]int, len(d.Kernels)) // edge over which the search first reached each kernel, plus 1
	for open := []int{kernel}; len(open) > 0; open = open[1:] {
		for e := range d.Edges {
			x := &d.Edges[e]
			if x.Loop < 0 || x.From != open[0] || by[x.To] > 0 {
				continue
			}
			by[x.To] = e + 1
			open = append(open, x.To)
			if x.To != kernel {
				continue
			}
			way := []int{e}
			for d.Edges[way[0]].From != kernel {
				way = slices.Insert(way, 0, by[d.Edges[way[0]].From]-1)
			}
			return way
		}
	}
	return nil
}
