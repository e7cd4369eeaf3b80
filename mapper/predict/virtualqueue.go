package predict

import (
	"errors"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/flow/design"
	"xopt/internal/units"
	"xopt/mapper/faults"
	"xopt/mapper/result"
	"xopt/queueing"
)

// byVirtualQueue is the name of the estimate for a complete edge, from writer to reader, across links with bulk
// transfers.
const byVirtualQueue = "virtual queue"

// virtualQueue adds an estimate for a complete edge if a link on its route has bulk transfers or latency, unless the
// utilization is 1. In contrast, the estimates for single stations exclude elements that wait for a transfer.
func (b *builder) virtualQueue(at *flow.Operation, q *result.Queue, e int, load queueing.Load) error {
	p := b.design.Problem
	moves := false
	for _, l := range at.Route(e) {
		link := &p.Architecture.Links[l]
		moves = moves || link.Latest() > 0 || link.BulkElements(p.Application.Edges[e].ElementBytes) > 1
	}
	if !moves || load.Utilization >= 1 || !(at.EdgeRate(e) > 0) {
		return nil
	}
	scv := load.ServiceSCV
	if scv < 0 {
		scv = 1
	}
	alone, err := queueing.MG1{Utilization: load.Utilization, ServiceSCV: scv}.Capacity(queueing.DefaultProbability)
	if err != nil {
		return err
	}
	v := buffers.VirtualQueue(p, b.network.Flows, at, e, 1)
	v.Alone = alone
	sizes, err := v.Sizes(queueing.DefaultProbability)
	if errors.Is(err, queueing.ErrUnstable) {
		return nil
	}
	if err != nil {
		return err
	}
	q.Estimates = append(q.Estimates, result.Estimate{Estimator: byVirtualQueue, Elements: result.Number(sizes.Ring),
		Bytes: result.Number(sizes.Ring * float64(q.ElementBytes))})
	return nil
}

// earlyPart is the fraction of a link's time that the additional cost of incomplete transfers must exceed to cause a
// warning.
const earlyPart = 0.01

// earlyTransfers adds a warning if a link's flush time starts an edge's transfers before they are full. The model
// assumes the fixed cost of full transfers.
func (b *builder) earlyTransfers(e, l int) {
	edge, link := &b.design.Problem.Application.Edges[e], &b.design.Problem.Architecture.Links[l]
	bulk := link.BulkElements(edge.ElementBytes)
	rate := b.solution.EdgeFlow[e] / edge.ElementBytes
	together := 1 + rate*link.Flush // the first element, and the arrivals until the flush
	if !(link.Flush > 0 && together < bulk) {
		return
	}
	more := rate * link.Sharing.TransferCost * (1/together - 1/bulk)
	if more < earlyPart {
		return
	}
	b.out.Warnings = append(b.out.Warnings, faults.TransfersEarly.Notef("transfers of %[2]s over %[1]s start at the "+
		"flush time, with about %.3[3]g of %[4]s: this adds up to %[5]s to the predicted utilization of %[1]s",
		link.Name, edge.Name, together, units.Elements(bulk), units.Percent(more)))
}

// window adds a warning if the buffer of an edge between hosts is smaller than the data in flight at the predicted
// flow, and hence limits the flow. Data are in flight from their sending until the writer receives the acknowledgement
// of their release. The buffer has the stated size, or else the default size of deploy. The delays include the maximum
// jitter.
func (b *builder) window(e int) {
	edge := &b.design.Problem.Application.Edges[e]
	name, until := "", ""
	seconds := b.design.Problem.Architecture.Until(b.network.Mapping.Route[e])
	for _, l := range b.network.Mapping.Route[e] {
		link := &b.design.Problem.Architecture.Links[l]
		if link.AcknowledgementDelay() > 0 {
			name = link.DeclaredName()
		}
		if link.Jitter > 0 {
			until = "up to "
		}
	}
	if seconds == 0 {
		return
	}
	bytes, whose := float64(design.NetworkBufferBytes), "its default buffer"
	usable := bytes * (flow.AckParts - 1) / flow.AckParts
	if n, ok := b.design.Buffers[e]; ok {
		bytes, whose = float64(n)*edge.ElementBytes, "its buffer"
		usable = flow.Usable(float64(n)) * edge.ElementBytes
	}
	if maximum := usable / seconds; b.solution.EdgeFlow[e] > maximum {
		needs := b.solution.EdgeFlow[e] * seconds * flow.AckParts / (flow.AckParts - 1)
		b.out.Warnings = append(b.out.Warnings, faults.WindowTooSmall.Notef("%s cannot carry its predicted flow: "+
			"the round-trip time over %s is %s%s, so %s of %s limits the flow to %s (the edge needs %s: "+
			"buffer { %s } = \"%.0fKiB\";)", edge.Name, name, until, units.Time(seconds), whose,
			units.Size(bytes), units.Rate(maximum), units.SizeUp(needs), edge.Name, needs/1024+1))
	}
}
