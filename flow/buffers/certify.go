package buffers

import (
	"math"
	"slices"

	"xopt/flow"
	"xopt/queueing"
)

// certifier certifies sizes of edges from measured service times ([queueing.Certify]), and remembers what
// it has found.
//
// The gaps between arrivals at an edge are not known of a mapping that has not run. But a kernel cannot
// send faster than it works: the gaps are at least its service times, alone, whatever it waits for and
// whatever shares its core. What waits in front of the reader is then at most what would wait if the
// gaps were no longer than that, so that a size for these holds for the mapping. It needs a reader
//
//   - that has its core for itself, so that its service times are those measured alone, and what
//     crossing adds;
//   - with one input, so that it never waits for another;
//   - that is never held back for long: nothing behind it is at its limit, or joins what it sends with
//     something else;
//   - whose counts are static, and those of its writer, on this edge;
//   - that, alone, is faster than its writer, alone.
type certifier struct {
	known   queueing.Certifier
	pace    []queueing.Pace // of each edge, if behind has its reader
	behind  [][]int         // of each edge that can be certified, its reader and the kernels behind it
	refused []string        // why an edge cannot be certified on any mapping; "" where it can
}

// refusedUntimed is why an edge is not certified whose kernels were not measured firing by firing.
const refusedUntimed = "the single firings of its two kernels were not both timed"

// newCertifier finds the edges that can be certified on some mapping; nil where there are none.
func newCertifier(p *flow.Problem, flows *flow.Flows) *certifier {
	app := &p.Application
	timed := make([]bool, len(app.Kernels))
	any := false
	for k := range app.Kernels {
		timed[k] = slices.ContainsFunc(p.Figures[k], func(f flow.Figures) bool { return f.Times != nil })
		any = any || timed[k]
	}
	if !any {
		return nil
	}
	c := &certifier{pace: make([]queueing.Pace, len(app.Edges)), behind: make([][]int, len(app.Edges)),
		refused: make([]string, len(app.Edges))}
	takes := staticTakes(app, flows)
	for e := range app.Edges {
		edge := &app.Edges[e]
		if !carries(flows, e) {
			c.refused[e] = "it carries nothing"
			continue
		}
		if !timed[edge.From] || !timed[edge.To] {
			c.refused[e] = refusedUntimed
			continue
		}
		pace, static := queueing.Pace{}, false
		if takes[e] > 0 {
			pace, static = paceOf(app, flows, e, int(takes[e]))
		}
		list := behind(app, flows, edge.To)
		switch {
		case !static:
			c.refused[e] = "the amounts sent or taken in a firing depend on the data"
		case inputs(app, flows, edge.To) != 1:
			c.refused[e] = "its reader has other inputs"
		case list == nil:
			c.refused[e] = "the output of its reader is joined with another stream"
		default:
			c.pace[e], c.behind[e] = pace, list
		}
	}
	return c
}

// saturated is from where on a station may hold back those before it for as long as it likes.
const saturated = 0.99

// certify sizes an edge for all that waits on it, for an overflow in 1e7 arrivals, where its measured times
// certify that, at so many elements a second.
func (s *Sizer) certify(e int, x *parts, rate float64) {
	c := s.certifier
	if c == nil {
		x.refused = "single firings were not timed"
		return
	}
	if x.refused = c.refused[e]; x.refused != "" {
		return
	}
	edge := &s.problem.Application.Edges[e]
	from, to := s.at.Resource(edge.From), s.at.Resource(edge.To)
	writer, reader := s.problem.Figures[edge.From][from].Times, s.problem.Figures[edge.To][to].Times
	switch {
	case writer == nil || reader == nil:
		x.refused = refusedUntimed
		return
	case s.members[to] > 1:
		x.refused = "its reader shares its core"
		return
	}
	for _, k := range c.behind[e] {
		if s.load[k] >= saturated {
			x.refused = "its reader, or a station after it, is saturated"
			return
		}
	}
	pace := c.pace[e]
	var known bool
	if pace.Longer, known = s.longer(e); !known {
		x.refused = "the time of its links per element is not known: bulks, latencies or other users"
		return
	}
	certificate, err := c.known.Certify(reader, writer, pace)
	if err != nil {
		x.doubt, x.refused = err, err.Error()
		return
	}
	// Both ends show what they do in batches, which the bound does not know.
	batch := math.Max(1, math.Min(rate*batchTime, batchBytes/edge.ElementBytes))
	x.bound, x.why = certificate.Elements(queueing.DefaultProbability)+2*(batch-1), certificate.Reason
	x.vary = math.Max(0, x.bound-x.moving)
}

// paceOf is how an edge is filled and emptied, where that is the same in every firing of the writer that sends
// something: so many elements each time, or one of so many firings.
func paceOf(app *flow.Application, flows *flow.Flows, e, takes int) (queueing.Pace, bool) {
	edge := &app.Edges[e]
	if edge.Emits > 0 {
		return queueing.Pace{Brings: edge.Emits, Takes: takes, Gaps: 1}, true
	}
	sends := flows.Grain(e).Sends
	brings, gaps := math.Round(sends), math.Round(1/sends)
	switch {
	case brings >= 1 && math.Abs(sends-brings) <= countRounding*brings:
		return queueing.Pace{Brings: int(brings), Takes: takes, Gaps: 1}, true
	case sends > 0 && gaps > 1 && math.Abs(sends*gaps-1) <= countRounding:
		return queueing.Pace{Brings: 1, Takes: takes, Gaps: int(gaps)}, true
	}
	return queueing.Pace{}, false
}

// inputs is how many edges that carry anything lead into a kernel.
func inputs(app *flow.Application, flows *flow.Flows, kernel int) int {
	n := 0
	for e := range app.Edges {
		if app.Edges[e].To == kernel && carries(flows, e) {
			n++
		}
	}
	return n
}

// behind is a kernel and those that its output reaches; nil where one of them joins several inputs.
func behind(app *flow.Application, flows *flow.Flows, kernel int) []int {
	list := []int{kernel}
	for i := 0; i < len(list); i++ {
		if len(app.Kernels[list[i]].Joins) > 0 && inputs(app, flows, list[i]) > 1 {
			return nil
		}
		for e := range app.Edges {
			if edge := &app.Edges[e]; edge.From == list[i] && !slices.Contains(list, edge.To) {
				list = append(list, edge.To)
			}
		}
	}
	return list
}

// longer is how much longer a firing of the reader of an edge takes than alone, in s: what comes from and goes to
// other cores costs it, and the links that the edge crosses take their time for each element, as if the
// reader did nothing meanwhile. It reports whether that is known: not with bulks and latencies, and not on
// links that others use much.
func (s *Sizer) longer(e int) (float64, bool) {
	const others = 0.5 // of a link's time
	edge := &s.problem.Application.Edges[e]
	rate := s.at.EdgeRate(e)
	bytes := s.flows.Grain(e).Takes * edge.ElementBytes
	at := s.at.Resource(edge.To)
	sum := bytes * s.problem.Figures[edge.To][at].ReceiveCost
	if s.problem.Architecture.Resources[at].Sharing.Rule != flow.AreaOnly {
		sum += bytes * s.problem.Receiving(e, s.at.Route(e))
	}
	for _, l := range s.at.Route(e) {
		link := &s.problem.Architecture.Links[l]
		load := s.at.LinkLoad(e, l)
		if link.BulkElements(edge.ElementBytes) > 1 || link.Latest() > 0 || load.Total-load.Own > others ||
			!(rate > 0) {
			return 0, false
		}
		sum += bytes * load.Own / rate / (1 - others)
	}
	return significant(sum + s.sending(edge.To)), true
}

// sending is what sending to other resources adds to a firing of a kernel, in s.
func (s *Sizer) sending(kernel int) float64 {
	at := s.at.Resource(kernel)
	if s.problem.Architecture.Resources[at].Sharing.Rule == flow.AreaOnly {
		return 0
	}
	cost := s.problem.Figures[kernel][at].SendCost
	sum := 0.0
	for e := range s.problem.Application.Edges {
		edge := &s.problem.Application.Edges[e]
		if route := s.at.Route(e); edge.From == kernel && len(route) > 0 {
			each := s.problem.Sending(e, route) // each copy goes to its reader by itself
			if !edge.Copy {
				each += cost
			}
			sum += s.flows.Grain(e).Sends * edge.ElementBytes * each
		}
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
