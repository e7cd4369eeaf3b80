package design

import (
	"fmt"
	"strings"

	"xopt/flow/faults"
	"xopt/flow/xlang"
	"xopt/internal/units"
)

// copies adds notes with the assumptions of predictions about copied kernels.
func (b *builder) copies() {
	var copied, keyed []string
	for k := range b.prog.Kernels {
		x := b.prog.Kernels[k].Replica
		if x == nil || x.Index > 0 {
			continue
		}
		copied = append(copied, x.Of)
		if x.Key >= 0 {
			keyed = append(keyed, x.Of)
		}
	}
	if len(copied) == 0 || b.opt.Purpose == ForDeploy {
		return
	}
	text := "predictions assume that dividing and collecting the stream cost only the transfers to other " +
		"cores (xopt calibrate measures this cost)"
	if divide, collect, ok := b.copiesCost(); ok {
		text = fmt.Sprintf("dividing the stream costs %s and collecting it %s for each batch (measured), in addition "+
			"to transfers to other cores", units.Time(divide), units.Time(collect))
	}
	b.notef(faults.CopiesCost, "copies of %s: %s", strings.Join(Ranges(copied), ", "), text)
	if len(keyed) > 0 {
		b.notef(faults.KeysAssumed, "predictions assume that the keys of %s are numerous and equally frequent, so "+
			"that the load of each copy is proportional to its turns", strings.Join(Ranges(keyed), ", "))
	}
}

// copiesCost returns the profile's costs of dividing a stream among copies and of collecting their output, in s per
// batch.
func (b *builder) copiesCost() (divide, collect float64, found bool) {
	if b.opt.Profile == nil {
		return 0, 0, false
	}
	return b.opt.Profile.CopiesCost()
}

// batchCost contains the cost of a batch of copies in s, and the number of bytes in the batch.
type batchCost struct{ cost, bytes float64 }

// findCopyCosts computes the costs of copies. Each copy has the cost of dividing a stream for each of its batches. A
// reader that is not a copy, or is a copy of another unit, has the cost of collecting for each batch of each input.
func (b *builder) findCopyCosts() {
	divide, collect, ok := b.copiesCost()
	if !ok {
		return
	}
	for k := range b.prog.Kernels {
		cost, batch := 0.0, 0.0 // s, and the bytes to which this cost applies
		for _, e := range b.in[k] {
			edge := &b.prog.Edges[e]
			bytes := b.batchBytes(edge)
			if bytes == 0 {
				continue
			}
			batch += bytes
			if b.collects(edge) {
				cost += collect
			}
		}
		if batch == 0 {
			continue
		}
		// Batches arrive over all edges of an input in turn, so use the mean over these edges.
		if n := b.perInput(k); n > 1 {
			batch, cost = batch/n, cost/n
		}
		if b.prog.Kernels[k].Replica != nil {
			cost += divide
		}
		b.copyCosts[k] = batchCost{cost, batch}
	}
}

// batchBytes returns the bytes of a batch on an edge; 0 if the edge leads neither to nor from copies.
func (b *builder) batchBytes(edge *xlang.Edge) float64 {
	from, to := b.prog.Kernels[edge.From].Replica, &b.prog.Kernels[edge.To]
	if edge.Round == 0 || from == nil && !edge.Shared {
		return 0
	}
	element := to.Inputs[edge.ToPort].ElementBytes
	if from == nil { // the edge divides the stream
		return float64(to.Replica.Batch*to.Consumes(edge.ToPort)) * element
	}
	return float64(edge.Round) / 2 * element
}

// collects reports whether the reader of an edge merges the output of copies.
func (b *builder) collects(edge *xlang.Edge) bool {
	from, to := b.prog.Kernels[edge.From].Replica, b.prog.Kernels[edge.To].Replica
	return from != nil && (to == nil || edge.Shared)
}

// perInput returns the mean number of edges with batches per input of a kernel. It ignores inputs without such edges.
func (b *builder) perInput(k int) float64 {
	edges, ports := 0.0, make(map[int]bool)
	for _, e := range b.in[k] {
		if edge := &b.prog.Edges[e]; b.batchBytes(edge) > 0 {
			edges++
			ports[edge.ToPort] = true
		}
	}
	return edges / float64(max(len(ports), 1))
}
