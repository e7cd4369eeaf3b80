package program

import (
	"xopt/deploy/abi"
	"xopt/deploy/faults"
	"xopt/flow/xlang"
	"xopt/internal/fault"
)

// copyOf returns the part of a stream that a copy of a kernel processes; nil for a kernel without copies.
func (p *plan) copyOf(k int) *copyRow {
	replica := p.program.Kernels[k].Replica
	if replica == nil {
		return nil
	}
	row := &copyRow{Replica: replica, Plain: p.plain(k), Part: replica.Batch, Parts: 1, claimed: p.layout.claims[k]}
	if p.claims(k) {
		row.Part, row.Parts = replica.MinBatch, min(replica.Batch/replica.MinBatch, maxParts)
	}
	for i := range p.program.Kernels {
		x := p.program.Kernels[i].Replica
		row.Keyed = row.Keyed || x != nil && x.Region == replica.Region && x.Key >= 0
	}
	return row
}

// claimed contains the offsets of the claims of a stream and of the claim log of one copy. It is zero if the copies
// process batches in turn.
type claimed struct{ Claims, Log uint64 }

// allocateClaims allocates the claims of each region in which a free copy claims the next batch.
func (p *plan) allocateClaims(allocate func(bytes uint64) uint64) {
	p.layout.claims = make([]claimed, len(p.program.Kernels))
	if p.options.InTurn || p.options.Virtual != nil || p.options.Exact || p.options.Events {
		return
	}
	inTurn := p.regionsInTurn()
	shared := make(map[int]uint64) // by region: the offset of its claims
	logs := make(map[[2]int]claimed)
	for k := range p.program.Kernels {
		x := p.program.Kernels[k].Replica
		if x == nil || inTurn[x.Region] {
			continue
		}
		if _, ok := shared[x.Region]; !ok {
			shared[x.Region] = allocate(abi.ClaimsBytes)
		}
		of := [2]int{x.Region, x.Index}
		if _, ok := logs[of]; !ok {
			logs[of] = claimed{shared[x.Region], allocate(abi.ClaimLogWith(abi.Claims))}
		}
		p.layout.claims[k] = logs[of]
	}
}

// regionsInTurn returns the regions whose copies process batches in turn. In such a region, keys select the copies,
// there are several units, or the stream divides at several kernels.
func (p *plan) regionsInTurn() map[int]bool {
	inTurn, unit := make(map[int]bool), make(map[int]int)
	for k := range p.program.Kernels {
		x := p.program.Kernels[k].Replica
		if x == nil {
			continue
		}
		if first, ok := unit[x.Region]; x.Key >= 0 || ok && first != x.Unit {
			inTurn[x.Region] = true
		}
		unit[x.Region] = x.Unit
	}
	for e := range p.program.Edges {
		edge := &p.program.Edges[e]
		if x := p.program.Kernels[edge.To].Replica; edge.Shared && !x.Entry {
			inTurn[x.Region] = true
		}
	}
	return inTurn
}

// divides returns the number of elements that a firing consumes from an edge shared by several copies; 0 for other
// edges.
func (p *plan) divides(e int) int {
	edge := &p.program.Edges[e]
	if !edge.Shared {
		return 0
	}
	return int(p.needs(edge.To)[edge.ToPort])
}

// announcesBatches reports whether a copy announces its completed batches to the reader of an edge, because the reader
// cannot count them.
func (p *plan) announcesBatches(e int) bool { return p.ordered(e) && p.program.Edges[e].Batch == 0 }

// ordered reports whether the reader of an edge consumes the stream batch by batch. If order is irrelevant, a reader
// that is not a copy needs no batches.
func (p *plan) ordered(e int) bool {
	edge := &p.program.Edges[e]
	from, to := p.program.Kernels[edge.From].Replica, p.program.Kernels[edge.To].Replica
	return from != nil && (to != nil || !p.options.Unordered || p.joined[edge.To])
}

// findJoined marks the kernels whose output reaches a kernel with several inputs, and the kernels with several inputs.
// The order of their input matters, because a kernel may combine elements of its inputs.
func (p *plan) findJoined() {
	p.joined = make([]bool, len(p.program.Kernels))
	var next []int
	for k, ports := range p.in {
		connected := 0
		for _, edges := range ports {
			connected += min(1, len(edges))
		}
		if connected > 1 {
			p.joined[k], next = true, append(next, k)
		}
	}
	for len(next) > 0 {
		k := next[0]
		next = next[1:]
		for _, edges := range p.in[k] {
			for _, e := range edges {
				if from := p.program.Edges[e].From; !p.joined[from] {
					p.joined[from], next = true, append(next, from)
				}
			}
		}
	}
}

// counted returns the number of elements in each batch that a copy sends over an edge. It returns 0 if the number is
// not declared or the reader does not need it.
func (p *plan) counted(e int) int {
	if !p.ordered(e) {
		return 0
	}
	return p.program.Edges[e].Batch
}

// maxParts is the largest number of parts in an entry of a claim log.
const maxParts = 1<<16 - 1

// claims reports whether free copies of a kernel claim batches.
func (p *plan) claims(k int) bool { return p.layout.claims[k] != (claimed{}) }

// countedParts returns [plan.counted] for a part of a batch if copies claim parts, and for a batch otherwise.
func (p *plan) countedParts(e int) int {
	n, from := p.counted(e), p.program.Edges[e].From
	if n == 0 || !p.claims(from) {
		return n
	}
	replica := p.program.Kernels[from].Replica
	return n * replica.MinBatch / replica.Batch
}

// plain reports whether a copy runs like a kernel without copies. Such a copy is a source or receives only from its own
// copy, and all of its readers can count its batches.
func (p *plan) plain(k int) bool {
	self := p.program.Kernels[k].Replica
	for e := range p.program.Edges {
		edge := &p.program.Edges[e]
		if edge.To == k && !p.sentOnce[k][edge.ToPort] {
			from := p.program.Kernels[edge.From].Replica
			if from == nil || from.Region != self.Region || from.Unit != self.Unit || edge.Shared || p.counted(e) == 0 {
				return false
			}
		}
		if edge.From == k && p.counted(e) == 0 {
			return false
		}
	}
	return true
}

// checkCopies rejects copies on resources that cannot run them.
func (p *plan) checkCopies(fail func(id fault.ID, format string, args ...any)) {
	reported := make(map[string]bool)
	for k := range p.program.Kernels {
		kernel := &p.program.Kernels[k]
		if p.options.Events && kernel.Instances > 1 && len(kernel.Testpoints) > 0 {
			fail(fault.CopiesUnsupported, "cannot trace the testpoints of kernel %s: it has %d copies on an FPGA "+
				"(map only one copy there)", kernel.Name, kernel.Instances)
		}
		if kernel.Replica == nil || reported[kernel.Replica.Of] {
			continue
		}
		if p.options.Events {
			reported[kernel.Replica.Of] = true
			fail(fault.CopiesUnsupported, "cannot trace kernel %s: xopt does not record the events of copies (trace "+
				"a mapping without copies)", kernel.Replica.Of)
		}
	}
	for e := range p.program.Edges {
		edge := &p.program.Edges[e]
		if p.options.Virtual == nil && p.ways[e].Crosses() && (edge.Shared || p.ordered(e)) {
			fail(faults.CopiesOnHosts, "edge %s between copies leads to another host: map copies to the host of the "+
				"kernels that they receive from and send to", edge.Name)
		}
	}
}

// passes reports whether a kernel is a copy that skips the elements of other copies.
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
