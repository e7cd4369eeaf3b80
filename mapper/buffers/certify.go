package buffers

import (
	"errors"
	"fmt"
	"math"

	"xopt/flow"
	"xopt/queueing"
)

// Certificates certifies sizes of edges from measured service times (queueing.Certify). It remembers what
// it has found, and may be used from several goroutines.
//
// The gaps between arrivals at an edge are not known of a mapping that has not run. But a kernel cannot
// send faster than it works: the gaps are at least its service times, alone, whatever it waits for and
// whatever shares its core. What waits in front of the reader is then at most what would wait if the
// gaps were no longer than that, so that a size for these holds for the mapping. It needs a reader
//
//   - that has its core for itself, so that its service times are those measured alone, and what
//     crossing adds;
//   - with one input, so that it never waits for another;
//   - that is never held back for long: nothing behind it is at its limit;
//   - whose counts are static, and those of its writer, on this edge;
//   - that, alone, is faster than its writer, alone.
type Certificates struct{ known queueing.Certifier }

// certified is what waits on an edge at the most, in elements of the whole edge, for an overflow in 1e7
// arrivals.
type certified struct {
	elements float64
	reason   string
}

// saturated is from where on a station may hold back those before it for as long as it likes.
const saturated = 0.99

// errNotCertifiable is the error for an edge that measured times cannot certify, whatever they are.
var errNotCertifiable = errors.New("not certifiable")

// Edge certifies one edge of a mapping at the throughput that it allows. The error wraps
// [queueing.ErrNotCertified] where measured times are refused.
func (c *Certificates) Edge(p *flow.Problem, flows *flow.Flows, o Operation, e int) (float64, string, error) {
	x, err := c.edge(p, flows, o, e)
	return x.elements, x.reason, err
}

func (c *Certificates) edge(p *flow.Problem, flows *flow.Flows, o Operation, e int) (certified, error) {
	app := &p.Application
	edge := &app.Edges[e]
	writer, reader := &p.Figures[edge.From][o.Resource(edge.From)], &p.Figures[edge.To][o.Resource(edge.To)]
	if writer.Times == nil || reader.Times == nil {
		return certified{}, errNotCertifiable
	}
	pace, ok := pace(app, flows, e)
	if !ok || !alone(p, o, edge.To) || heldBack(app, o, edge.To) {
		return certified{}, errNotCertifiable
	}
	if pace.Longer, ok = longer(p, flows, o, e); !ok {
		return certified{}, errNotCertifiable
	}
	certificate, err := c.known.Certify(reader.Times, writer.Times, pace)
	if err != nil {
		return certified{}, fmt.Errorf("certifying %s: %w", edge.Name, err)
	}
	return certified{certificate.Elements(queueing.DefaultProbability), certificate.Reason}, nil
}

// pace is how an edge is filled and emptied, where that is the same in every firing of the writer that sends
// something: so many elements each time, or one of so many firings; and the reader has no other input.
func pace(app *flow.Application, flows *flow.Flows, e int) (queueing.Pace, bool) {
	edge := &app.Edges[e]
	for i := range app.Edges {
		if i != e && app.Edges[i].To == edge.To && carries(flows, i) {
			return queueing.Pace{}, false
		}
	}
	takes := staticTakes(app, flows)[e]
	if takes == 0 {
		return queueing.Pace{}, false
	}
	pace := queueing.Pace{Brings: edge.Emits, Takes: int(takes), Gaps: 1}
	for s := 0; s < flows.Free && edge.Emits == 0; s++ {
		fires := flows.FiringRate(edge.From, s)
		if !(fires > 0) {
			continue
		}
		sends := flows.Edge(e)[s] / edge.ElementBytes / fires
		brings, gaps := math.Round(sends), math.Round(1/sends)
		switch {
		case brings >= 1 && math.Abs(sends-brings) <= countRounding*brings:
			pace.Brings = int(brings)
		case gaps > 1 && math.Abs(sends*gaps-1) <= countRounding:
			pace.Brings, pace.Gaps = 1, int(gaps)
		}
		break
	}
	return pace, pace.Brings > 0
}

// alone reports whether a kernel has a core for itself.
func alone(p *flow.Problem, o Operation, kernel int) bool {
	r := o.Resource(kernel)
	for k := range p.Application.Kernels {
		if k != kernel && o.Resource(k) == r {
			return false
		}
	}
	return p.Architecture.Resources[r].Sharing.Rule != flow.AreaOnly
}

// heldBack reports whether a kernel, or one that its output reaches, is at its limit.
func heldBack(app *flow.Application, o Operation, kernel int) bool {
	reached := make([]bool, len(app.Kernels))
	reached[kernel] = true
	for list := []int{kernel}; len(list) > 0; list = list[1:] {
		if o.KernelLoad(list[0]).Total >= saturated {
			return true
		}
		for e := range app.Edges {
			if edge := &app.Edges[e]; edge.From == list[0] && !reached[edge.To] {
				reached[edge.To] = true
				list = append(list, edge.To)
			}
		}
	}
	return false
}

// longer is how much longer a firing of the reader of an edge takes than alone, in s: what comes from and goes to
// other cores costs it, and the links that the edge crosses take their time for each element, as if the
// reader did nothing meanwhile. It reports whether that is known: not with bulks and latencies, and not on
// links that others use much.
func longer(p *flow.Problem, flows *flow.Flows, o Operation, e int) (float64, bool) {
	const others = 0.5 // of a link's time
	app := &p.Application
	edge := &app.Edges[e]
	figures := &p.Figures[edge.To][o.Resource(edge.To)]
	takes := flows.Grain(e).Takes
	sum := 0.0
	for _, l := range o.Route(e) {
		link := &p.Architecture.Links[l]
		load := o.LinkLoad(e, l)
		if link.BulkElements(edge.ElementBytes) > 1 || link.Latency > 0 || load.Total-load.Own > others {
			return 0, false
		}
		if rate := o.EdgeRate(e); rate > 0 {
			sum += takes * edge.ElementBytes * load.Own / rate / (1 - others)
		}
	}
	if len(o.Route(e)) > 0 {
		sum += takes * edge.ElementBytes * figures.ReceiveCost
	}
	return significant(sum + sendingLonger(p, flows, o, edge.To)), true
}

// sendingLonger is what sending to other resources adds to a firing of a kernel, in s.
func sendingLonger(p *flow.Problem, flows *flow.Flows, o Operation, kernel int) float64 {
	sum := 0.0
	for s := range flows.Free {
		firings := flows.FiringRate(kernel, s)
		if !(firings > 0) {
			continue
		}
		for e := range p.Application.Edges {
			edge := &p.Application.Edges[e]
			if edge.From == kernel && len(o.Route(e)) > 0 && !edge.Copy {
				sum += flows.Edge(e)[s] / firings * p.Figures[kernel][o.Resource(kernel)].SendCost
			}
		}
		break
	}
	return sum
}

// significant rounds up to three digits: a search meets the same few times again.
func significant(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-2)
	return math.Ceil(x/unit*(1-countRounding)) * unit
}
