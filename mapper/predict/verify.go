package predict

import (
	"context"
	"fmt"
	"math"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/internal/fault"
	"xopt/internal/units"
	"xopt/mapper/faults"
	"xopt/mapper/result"
)

// Sized is a mapping with its recommended buffer sizes ([buffers.Verified]). It caches the results of its simulations.
type Sized struct {
	design   *design.Design
	network  *flow.Network
	solution *flow.Solution
	sizes    []buffers.Size      // by edge
	with     *result.WithBuffers // outcome of the last simulation; nil before the first
	losses   losses              // throughput lost to single buffers in this simulation
	// lossesKnown reports that with contains the costs of single buffers.
	lossesKnown bool
}

// Size computes the recommended buffer sizes of a mapping, checked by simulation.
func Size(ctx context.Context, d *design.Design, m *flow.Mapping) (*Sized, error) {
	n, s, sizes, err := buffers.VerifiedOf(ctx, d.Problem, m)
	if err != nil {
		return nil, err
	}
	evenCopies(d, sizes)
	return &Sized{design: d, network: n, solution: s, sizes: sizes}, nil
}

// SizeByForms computes the closed-form buffer sizes of a mapping, without a simulation.
func SizeByForms(ctx context.Context, d *design.Design, m *flow.Mapping) (*Sized, error) {
	n, s, err := solved(ctx, d, m)
	if err != nil {
		return nil, err
	}
	sizes, err := buffers.Recommend(ctx, d.Problem, n.Flows, flow.NewOperation(n, s))
	if err != nil {
		return nil, err
	}
	evenCopies(d, sizes)
	return &Sized{design: d, network: n, solution: s, sizes: sizes}, nil
}

// evenCopies sets the sizes of all copies of an edge to the largest of their recommended sizes, because X files can
// state only one size for all copies.
func evenCopies(d *design.Design, sizes []buffers.Size) {
	largest := make(map[string]buffers.Size)
	for e := range sizes {
		complete := d.Program.Edges[e].DeclaredName()
		if x, ok := largest[complete]; !ok || sizes[e].Elements > x.Elements {
			largest[complete] = sizes[e]
		}
	}
	for e := range sizes {
		x := largest[d.Program.Edges[e].DeclaredName()]
		if x.Elements > sizes[e].Elements {
			sizes[e].Elements, sizes[e].By, sizes[e].Level, sizes[e].Reason = x.Elements, x.By, x.Level, x.Reason
		}
	}
}

// Simulated reports whether the mapping is small enough to simulate with its buffers.
func (z *Sized) Simulated() bool { return buffers.Verifiable(z.network) }

// Verified predicts one mapping like [Mapping], but with buffer sizes checked by simulation.
func Verified(ctx context.Context, d *design.Design, m *flow.Mapping, solver flow.Solver,
	name string) (*result.Candidate, error) {
	c, err := Mapping(ctx, d, m, solver, name)
	if err != nil {
		return nil, err
	}
	sized, err := Size(ctx, d, m)
	if err != nil {
		return nil, err
	}
	sized.Verify(c)
	return c, nil
}

// Verify replaces the closed-form sizes of a candidate, which searches use, by the sizes of z.
func (z *Sized) Verify(c *result.Candidate) {
	of := make(map[string]*buffers.Size, len(z.sizes))
	for e := range z.sizes {
		of[z.design.Problem.Application.Edges[e].Name] = &z.sizes[e]
	}
	largest := result.Number(0)
	for i := range c.Queues {
		q := &c.Queues[i]
		if x := of[q.Edge]; q.Recommended != nil && x != nil {
			q.Recommended = recommended(x, float64(q.ElementBytes))
			largest = max(largest, q.Recommended.Bytes)
		}
	}
	if c.Measures != nil {
		c.Measures.Buffers, c.Measures.Buffer = result.Number(c.BufferBytes()), largest
	}
}

// Above returns a warning if the largest buffer of a candidate, as checked by simulation, exceeds the limit of a search
// in bytes.
func Above(c *result.Candidate, limit float64) []fault.Note {
	if c.Measures == nil || !(limit > 0) || float64(c.Measures.Buffer) <= limit {
		return nil
	}
	return []fault.Note{faults.BufferAboveLimit.Notef("by simulation, the largest buffer needs %s, more than the "+
		"limit of %s: the search checked the limit with smaller closed-form "+
		"sizes", units.Size(float64(c.Measures.Buffer)),
		units.Size(limit))}
}

// Tuned returns the recommended buffer sizes for a run, in elements by edge. It returns an error if a size exceeds the
// maximum of a run.
func (z *Sized) Tuned() (map[int]int, error) {
	tuned := make(map[int]int, len(z.sizes))
	for e, x := range z.sizes {
		if !(x.Elements >= 1 && x.Elements <= math.MaxInt32) {
			return nil, fmt.Errorf("the recommended buffer of %[1]s has %[2]g elements, above the maximum of %[3]d "+
				"(set a smaller size with buffer { %[1]s } = N;)", z.design.Program.Edges[e].Name, x.Elements,
				math.MaxInt32)
		}
		tuned[e] = int(x.Elements)
	}
	return tuned, nil
}

// tooLarge adds a warning for a recommended size that exceeds the limits of a run.
func (b *builder) tooLarge(edge string, bytes float64) {
	if bytes > maxMemory {
		b.out.Warnings = append(b.out.Warnings,
			faults.BufferImpossible.Notef("the recommended buffer of %s is %s, but a run can use at most %s for "+
				"all buffers (use fewer or smaller elements in a firing)", edge, units.Size(bytes),
				units.Size(maxMemory)))
	}
}

// maxMemory is the maximum total size of a run's buffers in bytes.
const maxMemory = 1 << 40

// MapSizes returns the recommended sizes for a map file, in elements by edge. It omits edges with a size in the X
// files, and edges inside an FPGA, because the model ignores the area of their buffers.
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

// shownSizes returns the buffer sizes for the X text of a mapping in a report. It adds the sizes in the map file that
// was read to those of [MapSizes], because readers who copy the text may not have this file.
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
