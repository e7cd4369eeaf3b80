package buffers

import (
	"math"

	"xopt/flow"
	"xopt/queueing"
)

// VirtualQueue returns the queue of an edge that crosses links, from its writer to its reader, at a fraction of the
// throughput of an operation. The caller sets Alone. The Sizes method of the queue returns the size of the ring that
// xopt deploy allocates, and the sizes that separate buffers at both ends would need.
func VirtualQueue(p *flow.Problem, flows *flow.Flows, o Operation, edge int, part float64) queueing.VirtualQueue {
	e := &p.Application.Edges[edge]
	q := queueing.VirtualQueue{Rate: part * o.EdgeRate(edge) / e.ElementBytes,
		Batch: math.Ceil(flows.Grain(edge).Brings)}
	for _, l := range o.Route(edge) {
		link := &p.Architecture.Links[l]
		load := o.LinkLoad(edge, l)
		bulk := link.BulkElements(e.ElementBytes)
		b := queueing.BulkLink{Bulk: bulk, Latency: link.Latest(), Flush: link.Flush,
			Others: part * math.Max(0, load.Total-load.Own)}
		if o.EdgeRate(edge) > 0 { // fraction of the link's time that the edge's bytes use
			b.Transfer = bulk * e.ElementBytes * load.Own / o.EdgeRate(edge)
		}
		q.Links = append(q.Links, b)
	}
	return q
}
