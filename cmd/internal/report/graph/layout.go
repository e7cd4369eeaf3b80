package graph

import (
	"math"
	"slices"
)

// Distances in a drawing, in pixels.
const (
	margin     = 8.0
	boxPad     = 10.0 // between a box and its nodes
	boxHead    = 20.0 // height for the name of a box
	framePad   = 6.0  // between a frame and its boxes
	frameHead  = 20.0 // height for the name of a frame
	rowGap     = 18.0
	barHeight  = 22.0
	lineHeight = 14.0
	linePad    = 5.0
	portRoom   = 15.0 // between labeled edges at a node
	portNarrow = 8.0  // between edges without labels
	tallest    = 300.0
	legGap     = 8.0  // between legs of edges
	curveRoom  = 20.0 // for the curves of edges between columns
	labelPad   = 8.0
)

// Layout computes the layout of a graph.
func (g *Graph) Layout() *Layout {
	l := layers(g)
	list, ofNode, ofLink := lanes(g, &l)
	rows := assignRows(list, framed(list, orderLanes(list, joints(g, ofNode, ofLink))))
	p := &placer{
		graph: g, layers: l, lanes: list, ofNode: ofNode, ofLink: ofLink,
		out: &Layout{graph: g, frames: make([]rect, len(g.Frames)), groups: make([]rect, len(g.Groups)),
			nodes: make([]rect, len(g.Nodes)), links: make([]rect, len(g.Links)), edges: make([]route, len(g.Edges))},
	}
	p.sizes()
	p.stacks = p.stack(rows)
	p.placeRows()
	p.placeColumns()
	p.placeBoxes()
	p.routes()
	p.out.placeKey()
	return p.out
}

// placer computes the positions of all elements.
type placer struct {
	graph          *Graph
	layers         layering
	lanes          []lane
	ofNode, ofLink []int
	stacks         *stacks
	out            *Layout

	heights          []float64 // height of each node
	leaving, coming  []int     // edges at the right and the left of each node
	rowTop           []float64 // top of each row's stack
	columnX, columnW []float64
	gapX, gapW       []float64 // gap i is left of column i
	fromLegs, toLegs []int     // by gap: legs of edges to and from links
	labels           []float64 // width of the widest label in each gap
}

// sizes computes the sizes of nodes from their text and edges.
func (p *placer) sizes() {
	g := p.graph
	p.heights = make([]float64, len(g.Nodes))
	p.leaving, p.coming = make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	labelled := make([]bool, len(g.Nodes))
	for e := range g.Edges {
		from, to := p.sides(e)
		p.leaving[from]++
		p.coming[to]++
		if g.Edges[e].Label != "" {
			labelled[g.Edges[e].To] = true
		}
	}
	for n := range g.Nodes {
		width := 34.0
		for _, line := range g.Nodes[n].Lines {
			width = max(width, textWidth(short(line), nodeText)+16)
		}
		room := portNarrow
		if labelled[n] {
			room = portRoom
		}
		ports := room * float64(max(p.leaving[n], p.coming[n]))
		p.heights[n] = max(lineHeight*float64(len(g.Nodes[n].Lines))+2*linePad, min(ports, tallest))
		p.out.nodes[n].w, p.out.nodes[n].h = math.Ceil(width), p.heights[n]
	}
}

// sides returns the nodes whose right and left sides an edge touches.
func (p *placer) sides(e int) (right, left int) {
	if len(p.graph.Edges[e].Via) > 0 {
		return p.graph.Edges[e].From, p.graph.Edges[e].To
	}
	return p.layers.endpoints(p.graph, e)
}

// placeRows places the rows from top to bottom.
func (p *placer) placeRows() {
	boxes, bars := make([]bool, len(p.stacks.rows)), make([]bool, len(p.stacks.rows))
	for i := range p.lanes {
		boxes[p.lanes[i].row] = boxes[p.lanes[i].row] || p.lanes[i].group >= 0
		bars[p.lanes[i].row] = bars[p.lanes[i].row] || p.lanes[i].link >= 0
	}
	frame := make([]int, len(p.stacks.rows)+1) // by row; none after the last
	for i := range p.lanes {
		frame[p.lanes[i].row] = p.lanes[i].frame
	}
	y := margin
	p.rowTop = make([]float64, len(p.stacks.rows))
	for r, height := range p.stacks.rows {
		if f := frame[r]; f > 0 && (r == 0 || frame[r-1] != f) {
			p.out.frames[f-1].y = y
			y += frameHead
		}
		switch {
		case bars[r]:
			height = max(height, barHeight)
			p.rowTop[r] = y
			y += height + rowGap
			continue
		case boxes[r]:
			y += boxHead
		}
		p.rowTop[r] = y
		y += height + rowGap
		if boxes[r] {
			y += boxPad
		}
		if f := frame[r]; f > 0 && frame[r+1] != f {
			y += framePad
			p.out.frames[f-1].h = y - rowGap - p.out.frames[f-1].y
		}
	}
	p.out.height = max(2*margin, y-rowGap+margin)
}

// widen makes a box or a frame with the columns of a lane wide enough for its name.
func (p *placer) widen(x *lane, name string) {
	between := float64(x.hi-x.lo) * (2*boxPad + curveRoom) // minimum
	need := textWidth(shortName(name), groupText) - between
	for _, width := range p.columnW[x.lo:x.hi] {
		need -= width
	}
	p.columnW[x.hi] = max(p.columnW[x.hi], need)
}

// placeColumns places the columns. It leaves space between them for labels and the legs of edges.
func (p *placer) placeColumns() {
	g := p.graph
	n := p.layers.count
	p.columnX, p.columnW = make([]float64, n), make([]float64, n)
	p.gapX, p.gapW = make([]float64, n+1), make([]float64, n+1)
	p.fromLegs, p.toLegs, p.labels = make([]int, n+1), make([]int, n+1), make([]float64, n+1)
	for i := range g.Nodes {
		c := p.layers.layer[i]
		p.columnW[c] = max(p.columnW[c], p.out.nodes[i].w)
	}
	for i := range p.lanes {
		if x := &p.lanes[i]; x.group >= 0 {
			p.widen(x, g.Groups[x.group].Label)
		}
	}
	for _, x := range p.frames() {
		p.widen(&x, g.Frames[x.frame].Label)
	}
	used := make([]bool, n+1)
	for e := range g.Edges {
		x := &g.Edges[e]
		from, to := p.sides(e)
		before := p.layers.layer[to]
		used[before] = true
		if len(x.Via) > 0 {
			p.fromLegs[p.layers.layer[from]+1] += len(x.Via)
			p.toLegs[before]++
		}
		if x.Label != "" && from != to {
			p.labels[p.labelGap(e)] = max(p.labels[p.labelGap(e)], textWidth(short(x.Label), edgeText)+labelPad)
		}
	}
	x := margin
	for i := range n + 1 {
		p.gapX[i] = x
		p.gapW[i] = 2*boxPad + legGap*float64(p.fromLegs[i]+p.toLegs[i]) + p.labels[i]
		switch {
		case i > 0 && i < n:
			p.gapW[i] += curveRoom
		case p.fromLegs[i]+p.toLegs[i] == 0 && !used[i]:
			p.gapW[i] = boxPad
		}
		x += p.gapW[i]
		if i < n {
			p.columnX[i] = x
			x += p.columnW[i]
		}
	}
	p.out.width = x + margin
	for i := range g.Nodes {
		at, s := &p.out.nodes[i], &p.stacks.slots[i]
		at.x = p.columnX[s.layer] + (p.columnW[s.layer]-at.w)/2
		at.y = p.rowTop[s.row] + s.y - at.h/2
	}
}

// labelGap returns the index of the gap for the label of an edge: the gap beside the edge's target.
func (p *placer) labelGap(e int) int {
	to := p.layers.layer[p.graph.Edges[e].To]
	if p.layers.backward[e] && len(p.graph.Edges[e].Via) == 0 {
		return to + 1
	}
	return to
}

// frames returns the nonempty frames with their columns.
func (p *placer) frames() []lane {
	at := make([]lane, len(p.graph.Frames))
	for f := range at {
		at[f] = lane{frame: f, lo: p.layers.count, hi: -1}
	}
	for i := range p.lanes {
		if x := &p.lanes[i]; x.frame > 0 {
			f := &at[x.frame-1]
			f.lo, f.hi = min(f.lo, x.lo), max(f.hi, x.hi)
		}
	}
	return slices.DeleteFunc(at, func(x lane) bool { return x.hi < 0 })
}

// placeBoxes sets the rectangles of groups and links, and the horizontal extents of frames.
func (p *placer) placeBoxes() {
	for _, x := range p.frames() {
		at := &p.out.frames[x.frame]
		at.x = p.columnX[x.lo] - boxPad - framePad
		at.w = p.columnX[x.hi] + p.columnW[x.hi] + boxPad + framePad - at.x
	}
	for i := range p.lanes {
		x := &p.lanes[i]
		top := p.rowTop[x.row]
		switch {
		case x.link >= 0:
			p.out.links[x.link] = rect{p.columnX[0], top, 0, barHeight}
		case x.group >= 0:
			left, right := p.columnX[x.lo]-boxPad, p.columnX[x.hi]+p.columnW[x.hi]+boxPad
			p.out.groups[x.group] = rect{left, top - boxHead, right - left, p.stacks.rows[x.row] + boxHead + boxPad}
		}
	}
}

// layering contains the column of every node, and marks the edges that close cycles.
type layering struct {
	layer    []int
	count    int
	backward []bool // edges that close a cycle, and have the reverse direction in the layout
}

// layers puts every node into the column after its last predecessor (longest path). It ignores edges that close cycles.
func layers(g *Graph) layering {
	l := layering{layer: make([]int, len(g.Nodes)), backward: make([]bool, len(g.Edges)), count: 1}
	out, waiting := make([][]int, len(g.Nodes)), make([]int, len(g.Nodes))
	for e := range g.Edges {
		out[g.Edges[e].From] = append(out[g.Edges[e].From], e)
		waiting[g.Edges[e].To]++
	}
	l.breakCycles(g, out, waiting)
	in := make([]int, len(g.Nodes))
	succ := make([][]int, len(g.Nodes))
	for e := range g.Edges {
		from, to := l.endpoints(g, e)
		if from != to {
			succ[from] = append(succ[from], to)
			in[to]++
		}
	}
	fed := append([]int(nil), in...)
	var order []int
	for n := range g.Nodes {
		if fed[n] == 0 {
			order = append(order, n)
		}
	}
	for i := 0; i < len(order); i++ {
		n := order[i]
		l.count = max(l.count, l.layer[n]+1)
		for _, to := range succ[n] {
			l.layer[to] = max(l.layer[to], l.layer[n]+1)
			if fed[to]--; fed[to] == 0 {
				order = append(order, to)
			}
		}
	}
	// Put a source next to its first reader.
	for n := range g.Nodes {
		if in[n] > 0 || len(succ[n]) == 0 {
			continue
		}
		next := l.count
		for _, to := range succ[n] {
			next = min(next, l.layer[to])
		}
		l.layer[n] = next - 1
	}
	return l
}

// endpoints returns the left and the right node of an edge.
func (l *layering) endpoints(g *Graph, e int) (from, to int) {
	if l.backward[e] {
		return g.Edges[e].To, g.Edges[e].From
	}
	return g.Edges[e].From, g.Edges[e].To
}

// breakCycles marks the edges that close cycles: edges back to a node under visit in a depth-first search. The search
// starts from the sources, then from the remaining nodes.
func (l *layering) breakCycles(g *Graph, out [][]int, in []int) {
	const visiting, visited = 1, 2
	state := make([]int, len(g.Nodes))
	next := make([]int, len(g.Nodes)) // next outgoing edge to visit
	visit := func(root int) {
		stack := []int{root}
		state[root] = visiting
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			if next[n] == len(out[n]) {
				state[n] = visited
				stack = stack[:len(stack)-1]
				continue
			}
			e := out[n][next[n]]
			next[n]++
			switch to := g.Edges[e].To; state[to] {
			case visiting:
				l.backward[e] = to != n
			case 0:
				state[to] = visiting
				stack = append(stack, to)
			}
		}
	}
	for _, sources := range []bool{true, false} {
		for n := range g.Nodes {
			if state[n] == 0 && (in[n] == 0 || !sources) {
				visit(n)
			}
		}
	}
}
