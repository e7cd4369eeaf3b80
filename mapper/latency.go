package mapper

import (
	"math"

	"xopt/flow"
	"xopt/flow/buffers"
	"xopt/queueing"
)

// Operation is a mapping at the throughput that it allows: a [flow.Scorer] after Operate, or a
// [flow.Operation].
type Operation = buffers.Operation

// Latency of the path that takes longest is the sum of, for every station on it,
//
//   - the time until a round of a join, a transfer of a link, or an element that a kernel
//     gathers from several is full: of n elements that come a gap apart, the mean waits
//     (n-1)/2 gaps and the first n-1; for a transfer no longer than the flush time of its link;
//   - waiting, S·ρ/(1-ρ)·(ca²+cs²)/2, and service S of a firing or a transfer, where ρ is that of
//     all that share the server in time (M/G/1 and Kingman; for exponential service S/(1-ρ),
//     which holds for processor sharing, too). A variation that is not known is taken as 1;
//   - behind a link that moves n elements at once, the service of those before it in the
//     transfer: (n-1)/2 of them in the mean, n-1 at the most;
//   - the latency of links, and how much later than that transfers come that stay in order
//     ([queueing.InOrder]); all of the jitter at the most.
//
// Paths works it out for the end of every kernel. It allocates nothing once it has been made.
type Paths struct {
	problem *flow.Problem
	flows   *flow.Flows
	in      [][]int // edges into each kernel
	mean    []float64
	worst   []float64
	fills   []float64 // of each edge: until the round that it is joined in is full, s
	rounds  []float64 // of each kernel: the most elements that a join takes of a port
	fires   []float64 // firings/s of each kernel, at all of the throughput
}

// NewPaths prepares them for the mappings of a problem.
func NewPaths(p *flow.Problem, flows *flow.Flows) *Paths {
	kernels, edges := len(p.Application.Kernels), len(p.Application.Edges)
	x := &Paths{
		problem: p, flows: flows, in: make([][]int, kernels), mean: make([]float64, kernels), worst: make([]float64,
			kernels),
		fills: make([]float64, edges), rounds: make([]float64, kernels), fires: make([]float64, kernels),
	}
	for e := range p.Application.Edges {
		to := p.Application.Edges[e].To
		if !flows.Back[e] { // what goes round a loop comes with what goes in next
			x.in[to] = append(x.in[to], e)
		}
		x.rounds[to] = math.Max(x.rounds[to], flows.Grain(e).Takes)
	}
	return x
}

// Longest returns the latency of the path that takes longest in the mean, the same for the
// elements that wait longest for others, and the kernel at its end, or -1: at a part, below 1,
// of the throughput.
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
			burst = math.Max(burst, b/x.flows.Grain(e).Takes)
		}
		if fed { // a source waits for nobody
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

// Before returns the kernel that comes before one on its longest path as Longest has worked
// it out, or -1.
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

// fill works out how long the rounds of a kernel's joins take to fill: as long as that of the
// port of which most is needed, for whatever comes on the others waits for it.
func (x *Paths) fill(o Operation, k int, part float64) {
	app := &x.problem.Application
	for _, j := range app.Kernels[k].Joins {
		longest := 0.0
		for _, p := range j.Ports {
			elements, takes := 0.0, 1.0 // a second
			for _, e := range p.Edges {
				elements += part * o.EdgeRate(e) / app.Edges[e].ElementBytes
				takes = x.flows.Grain(e).Takes
			}
			if elements > 0 {
				longest = math.Max(longest, (takes-1)/elements)
			}
		}
		for _, p := range j.Ports {
			for _, e := range p.Edges {
				x.fills[e] = longest
			}
		}
	}
}

// edge is the time from the end of a writer's firing to the arrival in the round of the
// reader, and how many elements come at once there.
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
		mean, worst = mean+fill.mean+t, worst+fill.most+t
		if link.Jitter > 0 {
			each := queueing.InOrder{Jitter: link.Jitter, Rate: rate / edge.ElementBytes / burst}
			mean, worst = mean+each.Mean(), worst+link.Jitter
		}
	}
	return mean, worst, burst
}

// filling is how a transfer of a link comes to go.
type filling struct {
	mean, most float64 // how long elements wait for it, s
	elements   float64 // that go with it
	cost       float64 // of the fixed time of a transfer, what a full one would have had its other elements bear, s
}

// fillTransfer is the filling of the transfers of a link by a stream of rate bytes/s of which so
// many elements, a burst, come at once. A transfer waits until it is full, no longer than the
// flush time f: then it holds the first burst and those of f, which wait f/2 in the mean.
func fillTransfer(link *flow.Link, elementBytes, rate, burst float64) filling {
	bulk := link.BulkElements(elementBytes)
	if bulk <= burst { // a bulk that has been filled before stays whole
		return filling{elements: burst}
	}
	most := (bulk - burst) * elementBytes / rate
	if f := link.Flush; f > 0 && f < most {
		more := f * rate / elementBytes
		n := burst + more
		return filling{mean: min(most/2, f*(burst+more/2)/n), most: f, elements: n,
			cost: link.Sharing.TransferCost * (1 - n/bulk)}
	}
	return filling{mean: most / 2, most: most, elements: bulk}
}

// firings is how often a kernel fires, in firings/s, at all of the throughput.
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

// response is the service time of a firing of a kernel, and the time from its round being full
// to its end.
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

// respond is the mean time in a station, queueing included, for a service time and the mean of
// the squared coefficients of variation of arrivals and service.
func respond(l *flow.StationLoad, part, service, scv float64) float64 {
	if !(l.Rate > 0) {
		return 0
	}
	rho := part * l.Total
	return service + service*rho/(1-rho)*scv
}
