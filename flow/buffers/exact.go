package buffers

import (
	"context"
	"fmt"
	"math"
	"slices"

	"xopt/flow"
	"xopt/queueing/sdf"
)

// Exact is the static dataflow graph of a mapped application, with times. It yields the exact throughput for any buffer
// sizes. In addition to the kernels, the graph has an actor for each link that an edge crosses, and an actor for the
// link's latency. The channel of an edge spans its entire route.
type Exact struct {
	StaticGraph
	Unit float64 // seconds per unit of time
	// Bytes is the number of bytes that all sources send in one iteration. The throughput is Bytes divided by the time
	// of an iteration.
	Bytes float64
}

// Inexact is the error for a mapped application that cannot be analyzed exactly. Why is the reason.
type Inexact struct{ Why string }

func (e *Inexact) Error() string { return "not exact: " + e.Why }

// Static returns the static dataflow graph of a mapped application for exact analysis. It returns an *[Inexact] error
// if counts or times are not static:
//
//   - Element counts depend on data.
//   - Kernels share a core, or edges share a link.
//   - A link moves several elements at once.
//   - The time of a firing varies, or is not stated to be constant.
func Static(n *flow.Network) (*Exact, error) {
	app := &n.Problem.Application
	counts := Counts(app, n.Flows)
	switch {
	case counts == nil || !counts.Complete:
		return nil, &Inexact{WhyNotStatic(app, n.Flows)}
	case n.Flows.Free != 1:
		return nil, &Inexact{"the application has independent sources"}
	}
	x := &Exact{StaticGraph: *counts}
	times, loads := make([]float64, len(app.Kernels)), n.OwnLoads(nil)
	for k := range times {
		t, err := firingTime(n, k, loads[k][0]) // the first stations are the kernels, in order
		if err != nil {
			return nil, err
		}
		times[k] = t
	}
	for e, c := range x.Channel {
		if c < 0 {
			continue
		}
		more, err := x.addRoute(n, e, loads)
		if err != nil {
			return nil, err
		}
		times = append(times, more...)
	}
	q, err := x.Repetition()
	if err != nil {
		return nil, fmt.Errorf("converting the mapping to a static graph: %w", err)
	}
	var ticks []int64
	ticks, x.Unit = sdf.Ticks(times, q)
	for a, t := range ticks {
		x.Actors[a].Time = t
	}
	for k := range app.Kernels { // use a kernel that fires: bytes that all sources send during one of its firings
		if rate := n.Flows.FiringRate(k, 0); rate > 0 && slices.ContainsFunc(x.Channels, func(c sdf.Channel) bool {
			return c.From == k || c.To == k
		}) {
			x.Bytes = n.Flows.Objective()[0] / rate * float64(q[k])
			return x, nil
		}
	}
	return nil, &Inexact{"no data flows"}
}

// WhyNotStatic describes an edge whose counts are not static.
func WhyNotStatic(app *flow.Application, flows *flow.Flows) string {
	consumes := staticConsumption(app, flows)
	for e := range app.Edges {
		edge := &app.Edges[e]
		switch {
		case !carries(flows, e):
		case edge.Emits == 0:
			return fmt.Sprintf("no emit declares how many elements a firing of %s sends on "+
				"%s", app.Kernels[edge.From].Name,
				edge.FromPort)
		case consumes[e] == 0:
			return fmt.Sprintf("the number of elements that %s consumes from %s varies between "+
				"firings", app.Kernels[edge.To].Name,
				edge.ToPort)
		}
	}
	return "the application has no edges"
}

// firingTime returns the time in seconds of a firing of a kernel with its own server. load is the fraction of the
// server's time that the kernel uses, per byte/s of the only source.
func firingTime(n *flow.Network, k int, load float64) (float64, error) {
	name, r := n.Problem.Application.Kernels[k].Name, n.Mapping.Place[k]
	res := &n.Problem.Architecture.Resources[r]
	fig := &n.Problem.Figures[k][r]
	rate := n.Flows.FiringRate(k, 0)
	switch {
	case !(rate > 0):
		return 0, nil // the kernel is unused
	case fig.ServiceSCV > 0:
		return 0, &Inexact{fmt.Sprintf("the time of a firing of %s varies (scv %.3g)", name, fig.ServiceSCV)}
	case fig.ServiceSCV < 0 && fig.Times != nil && res.Sharing.Rule != flow.AreaOnly:
		return 0, &Inexact{fmt.Sprintf("the time of a firing of %s was measured, and may vary", name)}
	case fig.ServiceSCV < 0 && res.Sharing.Rule != flow.AreaOnly:
		return 0, &Inexact{fmt.Sprintf("no constant time is stated for the firings of %s (set scv=0 if the time is "+
			"constant)", name)}
	}
	for other, at := range n.Mapping.Place {
		if other != k && at == r && res.Sharing.Rule != flow.AreaOnly && n.Flows.FiringRate(other, 0) > 0 {
			return 0, &Inexact{fmt.Sprintf("%s and %s share %s", n.Problem.Application.Kernels[min(k, other)].Name,
				n.Problem.Application.Kernels[max(k, other)].Name, res.Name)}
		}
	}
	return load / rate, nil
}

// addRoute adds the links that an edge crosses, and returns the times of the added actors. The edge keeps its own
// channel, because the writer waits for space and the reader waits for elements. A second channel crosses the links.
// loads are the network's [flow.Network.OwnLoads].
func (x *Exact) addRoute(n *flow.Network, e int, loads [][]float64) ([]float64, error) {
	route := n.Mapping.Route[e]
	if len(route) == 0 {
		return nil, nil
	}
	edge := &n.Problem.Application.Edges[e]
	own := x.Channels[x.Channel[e]]
	at, produced := edge.From, own.Produced
	steps := len(x.Actors)
	var times []float64
	step := func(name string, t float64, concurrent int64) {
		x.Actors = append(x.Actors, sdf.Actor{Name: name, Concurrent: concurrent})
		x.addPart(sdf.Channel{Name: own.Name, From: at, To: len(x.Actors) - 1, Produced: produced, Consumed: 1})
		at, produced = len(x.Actors)-1, 1
		times = append(times, t)
	}
	for s := range n.Stations {
		st := &n.Stations[s]
		if st.Edge != e {
			continue
		}
		link := &n.Problem.Architecture.Links[st.Link]
		if link.AcknowledgementDelay() > 0 {
			return nil, &Inexact{fmt.Sprintf("acknowledgements over %s have a delay", link.Name)}
		}
		if link.Jitter > 0 {
			return nil, &Inexact{fmt.Sprintf("the delay over %s varies", link.Name)}
		}
		busy := loads[s][0]
		if busy == 0 && link.Latency == 0 {
			continue // the transfer takes no time
		}
		if bulk := link.BulkElements(edge.ElementBytes); bulk > 1 {
			return nil, &Inexact{fmt.Sprintf("%s moves up to %g elements of %s at once", link.Name, bulk, edge.Name)}
		}
		for i := range n.Stations {
			if other := n.Stations[i].Edge; i != s && n.Stations[i].Link == st.Link && carries(n.Flows, other) {
				return nil, &Inexact{fmt.Sprintf("%s and %s share %s", n.Problem.Application.Edges[min(e, other)].Name,
					n.Problem.Application.Edges[max(e, other)].Name, link.Name)}
			}
		}
		step(st.Name, busy/n.Flows.Edge(e)[0]*edge.ElementBytes, 1)
		if link.Latency > 0 {
			step(st.Name+", in flight", link.Latency, 0)
		}
	}
	if len(x.Actors) > steps {
		x.addPart(sdf.Channel{Name: own.Name, From: at, To: edge.To, Produced: produced, Consumed: own.Consumed,
			Initial: own.Initial})
	}
	return times, nil
}

// addPart adds an unlimited channel for one section of an edge's route.
func (x *Exact) addPart(c sdf.Channel) {
	c.Endless = true
	x.Channels = append(x.Channels, c)
}

// Throughput returns the throughput for given buffer sizes, in bytes/s of all sources. Sizes are in elements, by edge;
// 0 means unlimited. It returns a *[sdf.Stuck] error if the application deadlocks with these sizes.
func (x *Exact) Throughput(sizes []float64) (float64, error) {
	p, _, err := x.With(x.capacities(sizes)).Throughput()
	if err != nil {
		return 0, err
	}
	return x.rate(p), nil
}

func (x *Exact) rate(p sdf.Period) float64 { return p.Rate() / x.Unit * x.Bytes }

// capacities returns the capacities of all channels for sizes in elements, by edge.
func (g *StaticGraph) capacities(sizes []float64) []int64 {
	capacities := make([]int64, len(g.Channels))
	for c, e := range g.Edge {
		capacities[c] = int64(math.Min(sizes[e], maxElements))
	}
	return capacities
}

// above explores sizes in ascending order, starting from the given floor of each edge.
func (x *Exact) above(ctx context.Context, floor []Minimum, o sdf.FrontOptions) (*sdf.Front, error) {
	o.Floor = make([]int64, len(x.Channels))
	for c, e := range x.Edge {
		o.Floor[c] = int64(floor[e].Elements)
	}
	return x.Graph.Front(ctx, o)
}
