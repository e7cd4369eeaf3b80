package graph

import (
	"cmp"
	"slices"
)

// leg is a vertical part of an edge that leads to a link, from a link, or between two links.
type leg struct {
	edge, part int
	arriving   bool
	far        float64 // distance between the node and the link; negative if the leg leads to the edge's target
	x          float64
}

// legs assigns each leg a position in a gap between columns. The order of the legs avoids most crossings.
func (p *placer) legs(right, left []float64) [][]leg {
	g := p.graph
	list := make([][]leg, len(p.gapX))
	out := make([][]leg, len(g.Edges))
	for e := range g.Edges {
		via := g.Edges[e].Via
		if len(via) == 0 {
			continue
		}
		from, to := g.Edges[e].From, g.Edges[e].To
		gap := p.layers.layer[from] + 1
		for i, k := range via {
			far := p.out.links[k].y - right[e]
			list[gap] = append(list[gap], leg{edge: e, part: i, far: max(far, -far)})
		}
		far := p.out.links[via[len(via)-1]].y - left[e]
		gap = p.layers.layer[to]
		list[gap] = append(list[gap], leg{edge: e, part: len(via), arriving: true, far: -max(far, -far)})
		out[e] = make([]leg, len(via)+1)
	}
	for gap, legs := range list {
		slices.SortStableFunc(legs, func(a, b leg) int {
			switch {
			case a.arriving != b.arriving && a.arriving:
				return 1
			case a.arriving != b.arriving:
				return -1
			}
			return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.edge, b.edge), cmp.Compare(a.part, b.part))
		})
		x := p.gapX[gap] + boxPad + legGap/2
		for i := range legs {
			if legs[i].arriving && (i == 0 || !legs[i-1].arriving) {
				x = p.gapX[gap] + p.gapW[gap] - boxPad - p.labels[gap] - legGap*float64(p.toLegs[gap]) + legGap/2
			}
			legs[i].x = x
			x += legGap
			out[legs[i].edge][legs[i].part] = legs[i]
		}
	}
	return out
}

// overLinks returns the path of an edge that crosses links.
func (p *placer) overLinks(e int, from, to point, legs []leg) route {
	x := &p.graph.Edges[e]
	meet := func(link int, y float64) float64 { // returns the vertical position of the bar's side that is nearer to y
		if bar := p.out.links[link]; y > bar.y+bar.h/2 {
			return bar.bottom()
		}
		return p.out.links[link].y
	}
	r := route{start: from}
	r.corner(point{legs[0].x, from.y}, point{legs[0].x, meet(x.Via[0], from.y)})
	for i := 1; i < len(x.Via); i++ {
		// Continue inside the bar, which hides this part of the path, and then to the next bar.
		y := p.out.links[x.Via[i-1]].y + barHeight/2
		r.line(point{r.lastPoint().x, y})
		r.line(point{legs[i].x, y})
		r.line(point{legs[i].x, meet(x.Via[i], y)})
	}
	last := x.Via[len(x.Via)-1]
	bar := p.out.links[last]
	leave := legs[len(legs)-1].x
	r.line(point{r.lastPoint().x, bar.y + bar.h/2})
	r.line(point{leave, bar.y + bar.h/2})
	r.corner(point{leave, to.y}, to)
	r.direction, r.tip = point{1, 0}, to
	r.label = point{p.columnX[p.layers.layer[x.To]] - boxPad - 2, to.y - x.Width/2 - 2}
	p.shorten(&r, x.Width)
	return r
}

// drawBars makes each bar wide enough for its label and for the edges that lead to the bar.
func (p *placer) drawBars(legs [][]leg) {
	const beyond = 10.0
	type span struct{ lo, hi float64 }
	spans := make([]span, len(p.graph.Links))
	for e := range p.graph.Edges {
		via := p.graph.Edges[e].Via
		add := func(link int, x float64) {
			s := &spans[link]
			if *s == (span{}) {
				*s = span{x, x}
			}
			s.lo, s.hi = min(s.lo, x), max(s.hi, x)
		}
		for i, k := range via {
			add(k, legs[e][i].x)
			add(k, legs[e][i+1].x)
		}
	}
	for k := range spans {
		if p.out.links[k].h == 0 {
			continue
		}
		at := &p.out.links[k]
		at.x, at.w = spans[k].lo-beyond, spans[k].hi-spans[k].lo+2*beyond
		if need := textWidth(shortName(p.graph.Links[k].Label), nodeText) + 2*beyond; at.w < need {
			at.x, at.w = max(margin, at.x-(need-at.w)/2), need
		}
		p.out.width = max(p.out.width, at.right()+margin)
	}
}
