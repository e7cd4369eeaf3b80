package buffers

import (
	"context"
	"math"

	"xopt/flow"
	"xopt/queueing"
)

// keptLoss is the permitted loss of throughput due to finite buffers, as a fraction.
const keptLoss = 0.01

// Operation is a mapping at its throughput: a [flow.Scorer] after Operate, or a [flow.Operation].
type Operation interface {
	Resource(kernel int) int
	Route(edge int) []int
	EdgeRate(edge int) float64
	KernelLoad(kernel int) flow.StationLoad
	LinkLoad(edge, link int) flow.StationLoad
}

// Sizer sizes the edges of the mappings of a problem by closed forms, at the full throughput of each mapping. After its
// creation, a Sizer allocates no memory. A Sizer is not safe for concurrent use.
type Sizer struct {
	problem *flow.Problem
	flows   *flow.Flows
	min     []float64 // by edge: minimum size in elements for the application, without a mapping
	load    []float64 // by kernel: utilization of its server at the full throughput
	members []int     // number of kernels on each resource
	scv     []float64 // by kernel and resource
	before  []side    // by kernel: the side before its outputs
	behind  []side    // by kernel: the side after its inputs
	in, out [][]int   // edges of each kernel with a flow, except feedback edges of cycles
	at      Operation
}

// NewSizer returns a sizer for the mappings of a problem.
func NewSizer(p *flow.Problem, flows *flow.Flows) *Sizer {
	s, _ := newSizer(context.Background(), p, flows) // never canceled
	return s
}

// newSizer is like [NewSizer], with a context.
func newSizer(ctx context.Context, p *flow.Problem, flows *flow.Flows) (*Sizer, error) {
	minimum, err := minSizes(ctx, p, flows, nil)
	if err != nil {
		return nil, err
	}
	s := &Sizer{problem: p, flows: flows,
		min:  make([]float64, len(p.Application.Edges)),
		load: make([]float64, len(p.Application.Kernels)), members: make([]int, len(p.Architecture.Resources))}
	for e := range minimum {
		s.min[e] = math.Max(minimum[e].Elements, minimum[e].Likely)
	}
	s.prepare()
	return s, nil
}

// Clone returns a sizer for another goroutine. It shares the data that do not depend on the mapping.
func (s *Sizer) Clone() *Sizer {
	c := *s
	c.load, c.members = make([]float64, len(s.load)), make([]int, len(s.members))
	c.before, c.behind, c.at = make([]side, len(s.before)), make([]side, len(s.behind)), nil
	return &c
}

// SetOperation sets the mapping whose edges the sizer sizes. The operation must not change while the sizer uses it.
func (s *Sizer) SetOperation(o Operation) {
	s.at = o
	clear(s.members)
	for k := range s.load {
		l := o.KernelLoad(k)
		s.load[k] = l.Total
		s.members[o.Resource(k)]++
	}
	s.follow()
}

// parts contains the components of an edge's size, in elements. The method elements combines them.
type parts struct {
	min    float64 // minimum size for the application and the links
	moving float64 // elements in processing at both ends, and on the links
	vary   float64 // elements that compensate for the variation of service times
	bridge float64 // elements that the runtime needs
	pair   bool    // the components consider only the edge's two kernels
	// acknowledged reports whether the writer is on another host. That host receives acknowledgements only for complete
	// parts of the buffer.
	acknowledged bool
}

func (x *parts) elements() float64 {
	k := math.Ceil((x.moving + math.Max(x.vary, x.bridge)) * (1 - sizeRounding))
	if x.acknowledged { // the writer can always use only this fraction: see flow.Usable
		k = math.Ceil(k * flow.AckParts / (flow.AckParts - 1))
	}
	return math.Max(x.min, k)
}

// sizeRounding is the relative tolerance for rounding up a size. A smaller excess adds no element.
const sizeRounding = 1e-9

// Elements returns the recommended size of an edge in elements.
func (s *Sizer) Elements(e int) float64 {
	x := s.parts(e, false)
	return x.elements()
}

// parts returns the components of an edge's size. If pair is true, it considers only the edge's two kernels, not the
// kernels before and after them.
func (s *Sizer) parts(e int, pair bool) parts {
	edge := &s.problem.Application.Edges[e]
	grain := s.flows.Grain(e)
	rate := s.at.EdgeRate(e)
	x := parts{pair: pair, min: s.min[e], moving: grain.Consumes + grain.Brings}
	busy := s.busy(e, pair)
	if busy > keptLoss {
		// The next firing's elements arrive while the current elements are processed.
		x.moving += math.Max(grain.Consumes, grain.Brings) - divisor(grain.Consumes, grain.Brings)
	}
	bulks, maximum, latency := 0.0, 0.0, 0.0
	for _, l := range s.at.Route(e) {
		link := &s.problem.Architecture.Links[l]
		bulk := link.BulkElements(edge.ElementBytes)
		bulks, maximum = bulks+bulk, math.Max(maximum, bulk)
		if bulk > 1 {
			x.min = math.Max(x.min, 2*bulk)
		}
		latency += link.Latest() + link.AcknowledgementDelay()
		x.acknowledged = x.acknowledged || link.AcknowledgementDelay() > 0
	}
	x.moving += bulks + maximum
	if !(rate > 0) {
		return x
	}
	elements := rate / edge.ElementBytes // elements per second
	x.moving += elements * latency
	from, to := s.at.Resource(edge.From), s.at.Resource(edge.To)
	if from != to || s.problem.Architecture.Resources[from].Sharing.Rule == flow.AreaOnly {
		// Kernels that share a core do not wait for each other while one of them has work.
		x.vary = queueing.FiniteCapacity(busy, s.variance(e, pair), keptLoss)
	}
	shown := bridge(s.problem, s.members, [2]int{from, to}, elements, edge.ElementBytes)
	x.bridge = math.Max(shown, float64(edge.Round))
	return x
}

// divisor returns the greatest common divisor of two integers.
func divisor(a, b float64) float64 {
	for b >= 1 {
		a, b = b, math.Mod(a, b)
	}
	return a
}

// sending returns the variance per element that a writer contributes. scv is the variation of the writer's firings.
func sending(grain flow.Grain, scv float64) float64 {
	sends := grain.Sends
	switch {
	case !(sends > 0):
		return scv
	case sends < 1:
		// An element needs several firings, or only some firings send an element. In the second case, the number of
		// firings until the next element has a geometric distribution.
		through := math.Min(1, sends*grain.Gathers)
		return through*scv/grain.Gathers + 1 - through
	case math.Abs(sends-math.Round(sends)) <= integerTolerance*sends:
		return sends * scv // a constant number
	}
	return sends*scv + 1 // a random number, with a Poisson distribution
}

// integerTolerance is the relative distance from an integer within which a measured mean number of elements counts as
// that integer.
const integerTolerance = 1e-3

// variation returns the squared coefficient of variation of a kernel's service times. For measured times, it is the
// variation of sums of many consecutive times. An unknown variation counts as 1, as for the exponential distribution.
func variation(f *flow.Figures) float64 {
	scv := f.ServiceSCV
	if scv < 0 {
		scv = 1
	}
	if f.Times != nil && f.Times.Samples() > 0 {
		growth := 1.0
		for _, g := range f.Times.Growth {
			growth = math.Max(growth, g)
		}
		scv *= growth
	}
	return scv
}
