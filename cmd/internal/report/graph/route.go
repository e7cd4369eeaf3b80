package graph

import (
	"cmp"
	"math"
	"slices"
)

// step is a segment of a path: a line to its last point or, if it has three points, a Bézier curve.
type step []point

// route is the path of an edge.
type route struct {
	start     point
	steps     []step
	tip       point // tip of the arrow
	direction point // direction of the arrow
	label     point // lower right corner of the label
	leftward  bool  // label is the lower left corner of the label
}

func (r *route) lastPoint() point {
	if len(r.steps) == 0 {
		return r.start
	}
	last := r.steps[len(r.steps)-1]
	return last[len(last)-1]
}

func (r *route) line(to point) {
	if to != r.lastPoint() {
		r.steps = append(r.steps, step{to})
	}
}

// bend adds a curve that ends at a point. The curve is horizontal at both ends.
func (r *route) bend(to point) {
	from := r.lastPoint()
	if from.y == to.y {
		r.line(to)
		return
	}
	middle := (from.x + to.x) / 2
	r.steps = append(r.steps, step{{middle, from.y}, {middle, to.y}, to})
}

// corner adds a rounded corner and a line from the corner to a point.
func (r *route) corner(at, to point) {
	const radius = 6
	toward := func(from, to point, maximum float64) point {
		d := math.Hypot(to.x-from.x, to.y-from.y)
		if d == 0 {
			return from
		}
		f := min(radius, maximum*d) / d
		return point{from.x + f*(to.x-from.x), from.y + f*(to.y-from.y)}
	}
	a, b := toward(at, r.lastPoint(), 0.5), toward(at, to, 0.5)
	r.line(a)
	r.steps = append(r.steps, step{at, at, b})
	r.line(to)
}

// reversed returns the path in the opposite direction.
func (r *route) reversed() route {
	points := []point{r.start}
	for _, s := range r.steps {
		points = append(points, s...)
	}
	slices.Reverse(points)
	back := route{start: points[0]}
	at := 1
	for i := len(r.steps) - 1; i >= 0; i-- {
		n := len(r.steps[i])
		back.steps = append(back.steps, step(points[at:at+n]))
		at += n
	}
	return back
}

// arrowLength and arrowHalf return the length and the half width of an arrow for the width of its edge.
func arrowLength(width float64) float64 { return 5 + 0.9*width }
func arrowHalf(width float64) float64   { return 2.6 + 0.7*width }

// port is the point where an edge meets a node.
type port struct {
	edge  int
	other float64 // vertical position of the other end
}

// routes computes the path of every edge.
func (p *placer) routes() {
	g := p.graph
	right, left := p.ports()
	legs := p.legs(right, left)
	for e := range g.Edges {
		from, to := p.sides(e)
		r := &p.out.edges[e]
		switch {
		case len(g.Edges[e].Via) > 0:
			*r = p.overLinks(e, point{p.out.nodes[from].right(), right[e]}, point{p.out.nodes[to].x, left[e]}, legs[e])
		case from == to:
			*r = p.loop(from, g.Edges[e].Width)
		default:
			*r = p.direct(e, point{p.out.nodes[from].right(), right[e]}, point{p.out.nodes[to].x, left[e]})
		}
	}
	p.drawBars(legs)
}

// ports returns the vertical positions at which each edge leaves its node on the right and enters the other node on the
// left. Edges meet a node in the order of their other ends.
func (p *placer) ports() (right, left []float64) {
	g := p.graph
	right, left = make([]float64, len(g.Edges)), make([]float64, len(g.Edges))
	leaving, coming := make([][]port, len(g.Nodes)), make([][]port, len(g.Nodes))
	middle := func(slot int) float64 { return p.rowTop[p.stacks.slots[slot].row] + p.stacks.slots[slot].y }
	bar := func(link int) float64 { return p.out.links[link].y }
	for e := range g.Edges {
		from, to := p.sides(e)
		if from == to && len(g.Edges[e].Via) == 0 {
			continue
		}
		var next, before float64
		if via := g.Edges[e].Via; len(via) > 0 {
			next, before = bar(via[0]), bar(via[len(via)-1])
		} else {
			path := p.stacks.passes[e]
			next, before = middle(path[1]), middle(path[len(path)-2])
		}
		leaving[from] = append(leaving[from], port{e, next})
		coming[to] = append(coming[to], port{e, before})
	}
	spread := func(list []port, n int, to []float64) {
		slices.SortStableFunc(list, func(a, b port) int { return cmp.Compare(a.other, b.other) })
		at := p.out.nodes[n]
		room := min(portRoom, (at.h-4)/float64(max(1, len(list))))
		for i, x := range list {
			to[x.edge] = at.y + at.h/2 + room*(float64(i)-float64(len(list)-1)/2)
		}
	}
	for n := range g.Nodes {
		spread(leaving[n], n, right)
		spread(coming[n], n, left)
	}
	return right, left
}

// direct returns the path of an edge without links.
func (p *placer) direct(e int, from, to point) route {
	x := &p.graph.Edges[e]
	back := p.layers.backward[e]
	path := p.stacks.passes[e]
	label := 0.0
	if x.Label != "" {
		label = textWidth(short(x.Label), edgeText) + labelPad
	}
	r := route{start: from}
	flat := boxPad // length of the horizontal part before the column
	for i := 1; i < len(path); i++ {
		s := &p.stacks.slots[path[i]]
		start := p.columnX[s.layer]
		if i == 1 {
			first := p.columnX[p.layers.layer[path[0]]] + p.columnW[p.layers.layer[path[0]]]
			if back {
				first += label + flat
			}
			r.line(point{first, from.y})
		}
		if i == len(path)-1 {
			stop := start - flat
			if !back {
				stop -= label
			}
			r.bend(point{stop, to.y})
			continue
		}
		y := p.rowTop[s.row] + s.y
		r.bend(point{start, y})
		r.line(point{start + p.columnW[s.layer], y})
	}
	above := x.Width/2 + 2
	if back {
		r.line(to)
		r = r.reversed()
		r.direction, r.tip = point{-1, 0}, from
		r.label, r.leftward = point{p.columnX[p.layers.layer[path[0]]] + p.columnW[p.layers.layer[path[0]]] + flat,
			from.y - above}, true
		p.shorten(&r, x.Width)
		return r
	}
	r.line(to)
	r.direction, r.tip = point{1, 0}, to
	r.label = point{p.columnX[p.layers.layer[path[len(path)-1]]] - flat - 2, to.y - above}
	p.shorten(&r, x.Width)
	return r
}

// shorten ends the path of an edge at the base of its arrow.
func (p *placer) shorten(r *route, width float64) {
	n := arrowLength(width) - 1
	last := r.steps[len(r.steps)-1]
	final := &last[len(last)-1]
	*final = point{final.x - n*r.direction.x, final.y - n*r.direction.y}
}

// loop returns the path of an edge from a node to itself.
func (p *placer) loop(n int, width float64) route {
	at := p.out.nodes[n]
	x := at.right() - 8
	r := route{start: point{x, at.y}, tip: point{x - 18, at.y}, direction: point{0, 1}}
	r.steps = []step{{{x + 6, at.y - 18}, {x - 24, at.y - 18}, r.tip}}
	p.shorten(&r, width)
	return r
}
