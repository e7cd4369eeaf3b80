package flow

import (
	"math"
	"slices"
)

// This file builds the graph of a circle from the times of its kernels and of the links between the kernels.

// crossing is the delay from the end of a writer's firing to the start of its reader's firing.
type crossing struct {
	element float64 // s per preceding element, on links that move elements one by one
	fixed   float64 // s: latencies, with mean jitter, and bulks with their waiting times
	writer  float64 // firings of the writer for which the elements of a bulk wait for each other
	reader  float64 // firings of the reader for which the elements of a bulk wait for each other
	bulk    bool
	stuck   bool // a bulk never fills
}

// linkUse is the use of a link by an edge.
type linkUse struct {
	elementBytes float64
	element      float64 // time in s for which the link is busy with an element
	sharers      float64 // of the link
}

// addLink adds a link to a crossing. writer is the time of a firing of the writer.
func (x *crossing) addLink(w *wait, link *Link, u linkUse, writer float64) {
	x.fixed += link.Late()
	bulk := link.BulkElements(u.elementBytes)
	if bulk <= 1 {
		x.element += u.element
		return
	}
	x.bulk = true
	move := u.element/u.sharers - link.TransferCost(u.elementBytes)*u.elementBytes
	n := bulk
	switch {
	case w.max < bulk && link.Flush == 0:
		x.stuck = true
		return
	case w.max < bulk:
		n = 1
		x.fixed += link.Flush
	case link.Flush > 0 && writer > 0:
		n = min(bulk, 1+math.Floor(link.Flush*w.sends/writer))
	}
	x.fixed += u.sharers * (link.Sharing.TransferCost + n*move)
	x.writer += (n - 1) / 2 / w.sends
	x.reader += (n - 1) / 2 / w.consumes
}

// maxRatio fills the graph of a circle, and returns its largest ratio of time to turns. It also returns the arcs of a
// cycle with this ratio. For a crowd, it returns no arcs.
func (c *circle) maxRatio(g *ratioGraph, service []float64, between []crossing) (float64, []int32) {
	if c.crowd != nil {
		g.reset(0)
		return c.crowd.ratio(c, service, between), nil
	}
	c.graph(g, service, between)
	return g.maxRatio()
}

// graph builds the graph of a circle for given firing times of its kernels and delays between them.
func (c *circle) graph(g *ratioGraph, service []float64, between []crossing) {
	if c.unfolds && !slices.ContainsFunc(between, func(x crossing) bool { return x.bulk }) {
		c.unfolded(g, service, between)
		return
	}
	g.reset(len(c.kernels))
	for i := range c.waits {
		w, x := &c.waits[i], &between[i]
		writer, reader := w.gathers()
		time := service[w.to]*(1+x.reader+reader) + service[w.from]*(x.writer+writer) + x.fixed + x.element
		tokens := w.useful / w.turn
		if x.stuck {
			tokens = 0
		}
		g.arcs = append(g.arcs, ratioArc{from: int32(w.from), to: int32(w.to), time: time, tokens: tokens,
			edge: int32(w.edge)})
	}
}

// gathers returns the mean time that the elements of a firing wait for each other, in firings of the writer and of the
// reader. For elements in a cycle, this time adds to the other delays (Little's law).
func (w *wait) gathers() (writer, reader float64) {
	sends := max(1, w.sends)
	return max(0, w.consumes/sends-1) / 2, max(0, sends/w.consumes-1) / 2
}

// unfolded builds the graph of all firings of a turn (Lee 1986). A firing waits for the previous firing of its kernel,
// and for the firing that sends its last input element.
func (c *circle) unfolded(g *ratioGraph, service []float64, between []crossing) {
	g.reset(c.copies)
	start := make([]int, len(c.kernels)+1)
	for k, n := range c.firings {
		start[k+1] = start[k] + int(n)
		for i := start[k]; i < start[k+1]; i++ {
			a := ratioArc{from: int32(i), to: int32(i + 1), time: service[k], edge: -1}
			if i+1 == start[k+1] {
				a.to, a.tokens = int32(start[k]), 1
			}
			g.arcs = append(g.arcs, a)
		}
	}
	for i := range c.waits {
		w, x := &c.waits[i], &between[i]
		for n := range int(c.firings[w.to]) {
			last := float64(n+1)*w.consumes - w.initial // the sent element for which firing n waits
			by := math.Ceil(last/w.sends) - 1           // the firing that sends it
			turns := math.Floor(by / c.firings[w.from])
			g.arcs = append(g.arcs, ratioArc{
				from: int32(start[w.from]) + int32(by-turns*c.firings[w.from]), to: int32(start[w.to] + n),
				time: service[w.to] + x.fixed + x.element*(last-by*w.sends), tokens: -turns, edge: int32(w.edge),
			})
		}
	}
}
