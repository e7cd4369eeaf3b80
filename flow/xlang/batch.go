package xlang

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"xopt/flow/faults"
)

// These constants determine the size of a batch. A batch is the part of a stream that a copy processes in one turn. A
// batch should be large, because a turn costs some hundred nanoseconds. It should also be small enough that copies work
// at the same time, and that their data fit into a cache.
const (
	batchBytes    = 8192
	batchFirings  = 1024
	largestFactor = 1 << 20 // maximum number of firings; longer batches would hardly divide a stream
)

// batchOf returns the number of firings of a region's first kernel in a batch. With this number, every kernel in the
// region and every reader of the region's output consumes a batch in an integer number of firings.
func (r *replicator) batchOf(region int, once [][]bool) int {
	p, entry := r.p, r.entries[region]
	fired := make([]*big.Rat, len(p.Kernels)) // firings per firing of the entry; nil if this depends on the data
	fired[entry] = big.NewRat(1, 1)
	factor := big.NewInt(1)
	complete := func(x *big.Rat) { // extends the batch so that x becomes an integer per batch
		g := new(big.Int).GCD(nil, nil, factor, x.Denom())
		factor.Mul(factor, new(big.Int).Div(x.Denom(), g))
	}
	for _, e := range r.inOrder(region) {
		edge := &p.Edges[e]
		if once[edge.To][edge.ToPort] {
			continue
		}
		consumed := p.Kernels[edge.To].Consumes(edge.ToPort)
		emit := 0
		if emits := p.Kernels[edge.From].Emits; emits != nil {
			emit = emits[edge.FromPort].Elements
		}
		isKnown := fired[edge.From] != nil && emit > 0
		if !isKnown && consumed > 1 {
			r.fail(faults.CopiesBatch, edge.From, fmt.Sprintf("declare the number of elements that a firing of %s "+
				"sends: emit n %s;", p.Kernels[edge.From].Block, p.Kernels[edge.From].Outputs[edge.FromPort].Name),
				"copies of %s send elements to %s, which consumes %d elements at a time. A batch must contain a "+
					"multiple of this number, but the number of elements in a batch is unknown",
				p.Kernels[edge.From].Name, p.Kernels[edge.To].Name, consumed)
			return 0
		}
		if !isKnown {
			continue
		}
		x := new(big.Rat).Mul(fired[edge.From], big.NewRat(int64(emit), int64(consumed)))
		complete(x)
		if r.region[edge.To] == region {
			fired[edge.To] = x
		}
	}
	if !factor.IsInt64() || factor.Int64() > largestFactor {
		r.fail(faults.CopiesBatch, entry, "change the number of elements that firings emit and consume",
			"the copies of %s would need batches of %s firings (limit: %d firings), because a batch must contain "+
				"complete firings of every kernel",
			p.Kernels[entry].Name, factor, largestFactor)
		return 0
	}
	r.sent = append(r.sent, fired)
	minimum := int(factor.Int64())
	r.minBatches = append(r.minBatches, minimum)
	if p.Kernels[entry].Stateless.Key >= 0 && minimum > 1 {
		r.fail(faults.CopiesByKey, entry, "copy fewer kernels", "a key selects the copy of %s for each firing, but "+
			"the next kernels consume the results of %d firings together", p.Kernels[entry].Name, minimum)
		return 0
	}
	bytes := 0.0
	for _, e := range p.Edges {
		if e.To == entry && !once[entry][e.ToPort] {
			bytes += p.Kernels[entry].Inputs[e.ToPort].ElementBytes * float64(p.Kernels[entry].Consumes(e.ToPort))
		}
	}
	if len(p.Kernels[entry].Inputs) == 0 {
		bytes = p.Kernels[entry].Outputs[0].ElementBytes / 2 // for a source, twice batchBytes of output
	}
	firings := min(batchFirings, max(1, int(batchBytes/max(bytes, 1))))
	return (firings + minimum - 1) / minimum * minimum
}

// roundOf returns [Edge.Round] for the copies of an edge.
func (r *replicator) roundOf(edge *Edge) int {
	m, n := r.copies[edge.From], r.copies[edge.To]
	if m == nil && n == nil {
		return 0
	}
	if m == nil {
		return 2 * len(n.Copies) * r.batch[r.region[edge.To]] * r.p.Kernels[edge.To].Consumes(edge.ToPort)
	}
	region := r.region[edge.From]
	elements := float64(r.batch[region])
	if fired, emits := r.sent[region][edge.From], r.p.Kernels[edge.From].Emits; fired != nil && emits != nil {
		f, _ := fired.Float64()
		elements *= f * float64(max(1, emits[edge.FromPort].Elements))
	}
	return 2 * int(math.Ceil(elements))
}

// counted returns [Edge.Batch] for the copies of an edge.
func (r *replicator) counted(edge *Edge) int {
	if r.copies[edge.From] == nil || edge.Initial > 0 {
		return 0
	}
	region := r.region[edge.From]
	fired, emits := r.sent[region][edge.From], r.p.Kernels[edge.From].Emits
	if fired == nil || emits == nil || r.p.Kernels[r.entries[region]].Stateless.Key >= 0 {
		return 0
	}
	n := new(big.Rat).Mul(fired, big.NewRat(int64(r.batch[region])*int64(emits[edge.FromPort].Elements), 1))
	if !n.IsInt() || !n.Num().IsInt64() {
		return 0
	}
	return int(n.Num().Int64())
}

// Consumes returns the number of elements that a firing consumes from an input.
func (k *Kernel) Consumes(port int) int {
	for _, j := range k.Joins {
		for i, x := range j.Ports {
			if x == port {
				return max(1, int(j.Counts[i]))
			}
		}
	}
	return 1
}

// inOrder lists the edges that leave kernels of a region. The out-edges of a kernel follow its in-edges.
func (r *replicator) inOrder(region int) []int {
	waiting := make([]int, len(r.p.Kernels))
	for _, e := range r.p.Edges {
		if r.region[e.From] == region && r.region[e.To] == region {
			waiting[e.To]++
		}
	}
	var ready, edges []int
	for k := range waiting {
		if r.region[k] == region && waiting[k] == 0 {
			ready = append(ready, k)
		}
	}
	for i := 0; i < len(ready); i++ {
		for e := range r.p.Edges {
			if r.p.Edges[e].From != ready[i] {
				continue
			}
			edges = append(edges, e)
			if to := r.p.Edges[e].To; r.region[to] == region {
				if waiting[to]--; waiting[to] == 0 {
					ready = append(ready, to)
				}
			}
		}
	}
	return edges
}

// DeclaredName returns the declared name of an edge; edges between copies share one name.
func (e *Edge) DeclaredName() string {
	if e.Origin == 0 {
		return e.Name
	}
	if i := strings.LastIndexByte(e.Name, '#'); i >= 0 {
		return e.Name[:i]
	}
	return e.Name
}
