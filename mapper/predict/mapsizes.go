package predict

import (
	"math"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/result"
)

// MapSizes are the recommended sizes that a map file gives: of all edges but those that the X files
// size, and those inside an FPGA, where each would take area that the model does not count.
func MapSizes(d *design.Design, m *flow.Mapping, c *result.Candidate) map[int]int {
	of := make(map[string]float64, len(c.Queues))
	for i := range c.Queues {
		if q := &c.Queues[i]; q.Recommended != nil {
			of[q.Edge] = float64(q.Recommended.Elements)
		}
	}
	sizes := make(map[int]int, len(of))
	for e := range d.Problem.Application.Edges {
		edge := &d.Problem.Application.Edges[e]
		from, to := m.Place[edge.From], m.Place[edge.To]
		inside := from == to && d.Problem.Architecture.Resources[from].Sharing.Rule == flow.AreaOnly
		if n := of[edge.Name]; n >= 1 && n <= math.MaxInt32 && !inside && d.Buffers[e] == 0 {
			sizes[e] = int(n)
		}
	}
	return sizes
}

// shownSizes are the sizes of the mapping in X that a report shows: those that a map file would give,
// and those of the map file that was read, which is not among the files of whoever copies the text.
func shownSizes(d *design.Design, m *flow.Mapping, c *result.Candidate) map[int]int {
	sizes := MapSizes(d, m, c)
	places := make(map[string]bool)
	for i := range d.Program.Maps {
		if x := &d.Program.Maps[i]; x.Kernel >= 0 {
			places[x.Pos.File] = true
		}
	}
	for i := range d.Program.Buffers {
		if x := &d.Program.Buffers[i]; places[x.Pos.File] && d.Buffers[x.Edge] > 0 {
			sizes[x.Edge] = d.Buffers[x.Edge]
		}
	}
	return sizes
}
