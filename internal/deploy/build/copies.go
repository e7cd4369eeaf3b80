package build

import "xopt/internal/xlang"

// copyOf is what a copy of a kernel takes; nil where there is one.
func (p *plan) copyOf(k int) *copyRow {
	replica := p.program.Kernels[k].Replica
	if replica == nil {
		return nil
	}
	row := &copyRow{Replica: replica}
	for i := range p.program.Kernels {
		x := p.program.Kernels[i].Replica
		row.Keyed = row.Keyed || x != nil && x.Region == replica.Region && x.Key >= 0
	}
	return row
}

// divides is how many elements a firing takes of an edge that carries what several copies take; 0 for other
// edges.
func (p *plan) divides(e int) int {
	edge := &p.program.Edges[e]
	if !edge.Shared {
		return 0
	}
	return int(p.needs(edge.To)[edge.ToPort])
}

// tells reports whether a copy tells the reader of an edge which batches it has done. Where order does not
// matter, who takes from copies and is none need not know.
func (p *plan) tells(e int) bool {
	edge := &p.program.Edges[e]
	from, to := p.program.Kernels[edge.From].Replica, p.program.Kernels[edge.To].Replica
	return from != nil && (to != nil || !p.options.Unordered)
}

// checkCopies refuses copies where they cannot run.
func (p *plan) checkCopies(fail func(format string, args ...any)) {
	told := make(map[string]bool)
	for k := range p.program.Kernels {
		kernel := &p.program.Kernels[k]
		if p.options.Events && kernel.Instances > 1 && len(kernel.Testpoints) > 0 {
			fail("kernel %s has %d copies on an FPGA, whose testpoints cannot be traced; map it there once",
				kernel.Name, kernel.Instances)
		}
		if kernel.Replica == nil || told[kernel.Replica.Of] {
			continue
		}
		if p.options.Events {
			told[kernel.Replica.Of] = true
			fail("kernel %s runs in copies, whose events cannot be traced yet", kernel.Replica.Of)
		}
	}
	for e := range p.program.Edges {
		edge := &p.program.Edges[e]
		if p.options.Virtual == nil && p.ways[e].Crosses() && (edge.Shared || p.tells(e)) {
			fail("edge %s between copies leads to another host; copies must be on the host of the kernels that they "+
				"take from and send to", edge.Name)
		}
	}
}

// passes reports whether a kernel is a copy that passes over what others take.
func passes(p *xlang.Program, k int) bool {
	if p.Kernels[k].Replica == nil {
		return false
	}
	for i := range p.Edges {
		if p.Edges[i].To == k && p.Edges[i].Shared {
			return true
		}
	}
	return false
}
