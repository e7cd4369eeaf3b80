package buffers

import (
	"context"
	"math"

	"xopt/flow"
	"xopt/queueing"
)

// keptLoss is the part of the throughput that finite buffers may cost: 99 % is kept.
const keptLoss = 0.01

// Operation is a mapping at the throughput that it allows: a [flow.Scorer] after Operate, or a
// [flow.Operation].
type Operation interface {
	Resource(kernel int) int
	Route(edge int) []int
	EdgeRate(edge int) float64
	KernelLoad(kernel int) flow.StationLoad
	LinkLoad(edge, link int) flow.StationLoad
}

// Sizer sizes the edges of the mappings of a problem by closed forms, at all of the throughput that
// a mapping allows. It allocates nothing once it has been made, and belongs to one goroutine.
type Sizer struct {
	problem *flow.Problem
	flows   *flow.Flows
	min     []float64 // by edge: need of the application alone
	load    []float64 // of each kernel's server, at all of the throughput
	members []int     // kernels on each resource
	scv     []float64 // of each kernel on each resource
	before  []side    // by kernel: the side before its outputs
	behind  []side    // by kernel: the side after its inputs
	in, out [][]int   // edges of each kernel that carry anything, except edges that close cycles
	at      Operation
}

// NewSizer prepares it.
func NewSizer(p *flow.Problem, flows *flow.Flows) *Sizer {
	s, _ := newSizer(context.Background(), p, flows) // never ended
	return s
}

// newSizer is [NewSizer] with a context.
func newSizer(ctx context.Context, p *flow.Problem, flows *flow.Flows) (*Sizer, error) {
	minimum, err := leastSizes(ctx, p, flows, nil)
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

// SetOperation sets the mapping, at the throughput that it allows. It must not change while its edges are sized.
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

// parts contains the components of an edge's size, in elements; see elements for how they combine.
type parts struct {
	min    float64 // of the application, and of the links
	moving float64 // elements in processing at both ends and on the links
	vary   float64 // that keeps the throughput however long firings take
	bridge float64 // that the runtime needs
	pair   bool    // only its own two kernels count
	// the writer is on another host, which receives acknowledgements only after parts of the buffer
	acknowledged bool
}

func (x *parts) elements() float64 {
	k := math.Ceil((x.moving + math.Max(x.vary, x.bridge)) * (1 - sizeRounding))
	if x.acknowledged { // so much of it can always be used: see flow.Usable
		k = math.Ceil(k * flow.ToldParts / (flow.ToldParts - 1))
	}
	return math.Max(x.min, k)
}

// sizeRounding is the rounding error, relative, that is not worth one more element.
const sizeRounding = 1e-9

// Elements returns the recommended size of an edge.
func (s *Sizer) Elements(e int) float64 {
	x := s.parts(e, false)
	return x.elements()
}

// parts returns the components of an edge's size. With pair, only its own two kernels count, without the kernels before
// and after them.
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
	elements := rate / edge.ElementBytes // a second
	x.moving += elements * latency
	from, to := s.at.Resource(edge.From), s.at.Resource(edge.To)
	if from != to || s.problem.Architecture.Resources[from].Sharing.Rule == flow.AreaOnly {
		// Kernels that take turns on a core never wait for each other while one of them can work.
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

// sending returns the variance that a writer with the given scv contributes.
func sending(grain flow.Grain, scv float64) float64 {
	sends := grain.Sends
	switch {
	case !(sends > 0):
		return scv
	case sends < 1:
		// One element is made of several firings, or only some of the firings send one: of those, the
		// number until the next that does is geometric.
		through := math.Min(1, sends*grain.Gathers)
		return through*scv/grain.Gathers + 1 - through
	case math.Abs(sends-math.Round(sends)) <= wholeNumbers*sends:
		return sends * scv // always the same number
	}
	return sends*scv + 1 // a number that varies, as in Poisson's distribution
}

// wholeNumbers is the relative distance from an integer below which a measured mean number of elements counts
// as that integer.
const wholeNumbers = 1e-3

// variation returns the squared coefficient of variation of a kernel's service times. If measured, it is the variation
// of the sum of many consecutive times. An unknown one is 1, as of the exponential distribution.
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
