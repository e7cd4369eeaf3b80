package measure

import (
	"fmt"
	"math"

	"xopt/flow"
	"xopt/flow/design"
)

// Crossings tells of the edges of a mapping which link they cross, for Options; in a run in
// virtual time.
func Crossings(d *design.Design) (func(edge int) *Crossing, error) {
	network, err := flow.NewNetwork(d.Problem, d.Mapping)
	if err != nil {
		return nil, fmt.Errorf("the mapping is not possible: %w", err)
	}
	sharers := make([]int, len(d.Problem.Architecture.Links))
	for _, route := range network.Mapping.Route {
		for _, l := range route {
			sharers[l]++
		}
	}
	return func(e int) *Crossing {
		route := network.Mapping.Route[e]
		if len(route) == 0 {
			return nil
		}
		edge := &d.Problem.Application.Edges[e]
		link := &d.Problem.Architecture.Links[route[0]]
		c := crossing(link, edge.ElementBytes)
		c.WriterOnFPGA = design.IsFPGA(d.Program, d.Mapping.Place[edge.From])
		c.ReaderOnFPGA = design.IsFPGA(d.Program, d.Mapping.Place[edge.To])
		switch {
		case len(route) > 1:
			c.Unknown = fmt.Sprintf("it crosses %d links, and the model has one", len(route))
		case sharers[route[0]] > 1 && math.IsInf(link.Bandwidth, 1) && link.Sharing.TransferCost == 0:
		case sharers[route[0]] > 1:
			c.Shared = sharers[route[0]]
		}
		return &c
	}, nil
}

// crossing is that of elements over a link, by what its transfers take.
func crossing(link *flow.Link, elementBytes float64) Crossing {
	c := Crossing{Link: link.Name, Latency: link.Latency, Jitter: link.Jitter, Flush: link.Flush}
	if link.Sharing.TransferBytes == 0 && link.Sharing.TransferCost == 0 {
		return c // it moves what is there
	}
	bulk := link.BulkElements(elementBytes)
	c.Bulk, c.Setup = int(bulk), link.Sharing.TransferCost
	c.Transfer = c.Setup
	if link.Bandwidth > 0 {
		c.Transfer += bulk * elementBytes / link.Bandwidth
	}
	if size := link.Sharing.TransferBytes; size > 0 && elementBytes > size { // several for an element
		more := link.Sharing.TransferCost * (math.Ceil(elementBytes/size) - 1)
		c.Setup, c.Transfer = c.Setup+more, c.Transfer+more
	}
	return c
}
