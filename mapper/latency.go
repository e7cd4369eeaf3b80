package mapper

import (
	"math"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/queueing"
)

// Operation is a mapping at its throughput: a [flow.Scorer] after Operate, or a [flow.Operation].
type Operation = buffers.Operation

// Paths computes the latency of a mapping's longest path. This latency is the sum over the stations on the path of:
//
//   - the time to fill a round of a join, a transfer of a link, or an element that a kernel gathers from several
//     elements. If n elements arrive one gap apart, their mean wait is (n-1)/2 gaps, and the first element waits n-1
//     gaps. A transfer waits at most for the flush time of its link.
//   - the waiting time S·ρ/(1-ρ)·(ca²+cs²)/2 and the service time S of a firing or transfer. ρ is the load of all
//     stations that share the server in time (M/G/1 and Kingman). For exponential service, the sum of both times is
//     S/(1-ρ), as for processor sharing. An unknown ca² or cs² counts as 1.
//   - after a link that moves n elements at once, the service times of the earlier elements of the transfer: (n-1)/2
//     service times on average, n-1 at most.
//   - the latency of links, and the delay of transfers that must stay in order ([queueing.InOrder]), which is at most
//     the jitter.
//
// After NewPaths, the methods allocate no memory.
type Paths struct {
	problem *flow.Problem
	flows   *flow.Flows
	in      [][]int // edges into each kernel
	mean    []float64
	worst   []float64
	fills   []float64 // by edge: time to fill the reader's round, s
	rounds  []float64 // by kernel: the largest number of elements that a join consumes on a port
	fires   []float64 // by kernel: firing rate at full throughput, firings/s
}

// NewPaths returns a Paths for mappings of a problem. flows must be the flows of its application.
func NewPaths(p *flow.Problem, flows *flow.Flows) *Paths {
	kernels, edges := len(p.Application.Kernels), len(p.Application.Edges)
	x := &Paths{
		problem: p, flows: flows, in: make([][]int, kernels), mean: make([]float64, kernels), worst: make([]float64,
			kernels),
		fills: make([]float64, edges), rounds: make([]float64, kernels), fires: make([]float64, kernels),
	}
	for e := range p.Application.Edges {
		to := p.Application.Edges[e].To
		if !flows.Back[e] { // data on feedback edges arrive with later input
			x.in[to] = append(x.in[to], e)
		}
		x.rounds[to] = math.Max(x.rounds[to], flows.Grain(e).Consumes)
	}
	return x
}

// Longest returns the largest mean latency of any path, and the last kernel of that path or -1. worst is the maximum
// latency of any element. Latencies are in s. part, below 1, is the fraction of the throughput at which the mapping
// runs.
func (x *Paths) Longest(o Operation, part float64) (mean, worst float64, last int) {
	last = -1
	for _, k := range x.flows.Order {
		x.fill(o, k, part)
		x.fires[k] = x.firings(o, k)
		x.mean[k], x.worst[k] = 0, 0
		fed, burst := false, 1.0
		for _, e := range x.in[k] {
			if !(o.EdgeRate(e) > 0) {
				continue
			}
			fed = true
			from := x.problem.Application.Edges[e].From
			m, w, b := x.edge(o, e, part)
			x.mean[k] = math.Max(x.mean[k], x.mean[from]+m)
			x.worst[k] = math.Max(x.worst[k], x.worst[from]+w)
			burst = math.Max(burst, b/x.flows.Grain(e).Consumes)
		}
		if fed { // a source waits for no input
			service, response := x.response(o, k, part)
			x.mean[k] += response + (burst-1)/2*service
			x.worst[k] += response + (burst-1)*service
		}
		if last < 0 || x.mean[k] > mean {
			mean, last = x.mean[k], k
		}
		worst = math.Max(worst, x.worst[k])
	}
	return mean, worst, last
}

// Before returns the predecessor of a kernel on its longest path, or -1. The caller must call Longest with the same
// arguments first.
func (x *Paths) Before(o Operation, k int, part float64) int {
	before, longest := -1, 0.0
	x.fill(o, k, part)
	for _, e := range x.in[k] {
		if o.EdgeRate(e) > 0 {
			from := x.problem.Application.Edges[e].From
			m, _, _ := x.edge(o, e, part)
			if t := x.mean[from] + m; before < 0 || t > longest {
				before, longest = from, t
			}
		}
	}
	return before
}

// fill computes the time to fill the rounds of a kernel's joins. The slowest port determines it, because elements on
// the other ports wait for that port.
func (x *Paths) fill(o Operation, k int, part float64) {
	app := &x.problem.Application
	for _, j := range app.Kernels[k].Joins {
		longest := 0.0
		for _, p := range j.Ports {
			elements, consumes := 0.0, 1.0 // elements per second
			for _, e := range p.Edges {
				elements += part * o.EdgeRate(e) / app.Edges[e].ElementBytes
				consumes = x.flows.Grain(e).Consumes
			}
			if elements > 0 {
				longest = math.Max(longest, (consumes-1)/elements)
			}
		}
		for _, p := range j.Ports {
			for _, e := range p.Edges {
				x.fills[e] = longest
			}
		}
	}
}

// edge returns the mean and the maximum time, in s, from the end of a writer's firing until its data are in the
// reader's round. burst is the number of elements that arrive together.
func (x *Paths) edge(o Operation, e int, part float64) (mean, worst, burst float64) {
	edge := &x.problem.Application.Edges[e]
	worst, burst = x.fills[e], 1
	gathered := x.flows.Grain(e).Gathers
	rate := part * o.EdgeRate(e)
	if gathered > 1 {
		worst += (gathered - 1) / (part * x.fires[edge.From])
	}
	mean = worst / 2
	for _, l := range o.Route(e) {
		link := &x.problem.Architecture.Links[l]
		load := o.LinkLoad(e, l)
		fill := fillTransfer(link, edge.ElementBytes, rate, burst)
		burst = fill.elements
		t := link.Latency + respond(&load, part, burst*edge.ElementBytes/load.Rate*load.Own+fill.cost, 1)
		mean, worst = mean+fill.mean+t, worst+fill.max+t
		if link.Jitter > 0 {
			each := queueing.InOrder{Jitter: link.Jitter, Rate: rate / edge.ElementBytes / burst}
			mean, worst = mean+each.Mean(), worst+link.Jitter
		}
	}
	return mean, worst, burst
}

// filling contains the delays of a link's transfers that wait until they are full.
type filling struct {
	mean, max float64 // waiting time of the elements, s
	elements  float64 // mean number of elements in a transfer
	cost      float64 // additional time per transfer because it is not full, s
}

// fillTransfer returns the filling of a link's transfers for a stream of rate bytes/s that arrives in bursts of burst
// elements. A transfer waits until it is full, but at most for the flush time f. In the latter case, it contains the
// first burst and the elements that arrive during f. These wait f/2 on average.
func fillTransfer(link *flow.Link, elementBytes, rate, burst float64) filling {
	bulk := link.BulkElements(elementBytes)
	if bulk <= burst { // the elements of a transfer of an earlier link stay together
		return filling{elements: burst}
	}
	maximum := (bulk - burst) * elementBytes / rate
	if f := link.Flush; f > 0 && f < maximum {
		more := f * rate / elementBytes
		n := burst + more
		return filling{mean: min(maximum/2, f*(burst+more/2)/n), max: f, elements: n,
			cost: link.Sharing.TransferCost * (1 - n/bulk)}
	}
	return filling{mean: maximum / 2, max: maximum, elements: bulk}
}

// firings returns the firing rate of a kernel at full throughput, in firings/s.
func (x *Paths) firings(o Operation, k int) float64 {
	rate := 0.0
	for _, t := range x.flows.Firings(k) {
		if t.Edge < 0 {
			rate += t.PerByte * o.KernelLoad(k).Rate
		} else {
			rate += t.PerByte * o.EdgeRate(t.Edge)
		}
	}
	return rate
}

// response returns the service time of a kernel's firing, and the response time from complete inputs to the end of the
// firing, in s.
func (x *Paths) response(o Operation, k int, part float64) (service, response float64) {
	load := o.KernelLoad(k)
	firings := x.fires[k]
	if !(load.Rate > 0 && firings > 0) {
		return 0, 0
	}
	scv := x.problem.Figures[k][o.Resource(k)].ServiceSCV
	if scv < 0 {
		scv = 1
	}
	service = load.Own / firings
	return service, respond(&load, part, service, (1/x.rounds[k]+scv)/2)
}

// respond returns the mean time in s that an element spends in a station, including queueing. scv is the mean of the
// squared coefficients of variation of arrivals and service.
func respond(l *flow.StationLoad, part, service, scv float64) float64 {
	if !(l.Rate > 0) {
		return 0
	}
	rho := part * l.Total
	return service + service*rho/(1-rho)*scv
}
