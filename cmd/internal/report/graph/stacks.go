package graph

import (
	"cmp"
	"slices"
)

// Distances between slots, in pixels.
const (
	nodeGap = 12.0
	passGap = 7.0
)

// slot is a place in a column of a row: for a node, or for an edge that passes the column.
type slot struct {
	node        int // -1 for a passing edge
	row, layer  int
	height      float64
	y           float64 // vertical position of the middle, from the top of the row
	left, right []tie   // connected by direct edges
	pull        []int   // rows of the links that the node's edges use
}

// tie is a slot at the other end of an edge. Its weight for straightness is the square of the edge's width.
type tie struct {
	slot   int
	weight float64
}

// stacks contains the slots of a drawing and their positions.
type stacks struct {
	slots   []slot
	columns [][][]int // slots by row and layer, from top to bottom
	passes  [][]int   // slots of each edge, from left to right; nil for edges through links
	rows    []float64 // heights
}

// maxPasses is the maximum number of slots for passing edges. Above this number, long edges have no slots and are
// straight.
const maxPasses = 20_000

// stack creates the slots, orders them, and places each in its row.
func (p *placer) stack(rows int) *stacks {
	g, l := p.graph, &p.layers
	s := &stacks{columns: make([][][]int, rows), passes: make([][]int, len(g.Edges)), rows: make([]float64, rows)}
	for r := range s.columns {
		s.columns[r] = make([][]int, l.count)
	}
	for n := range g.Nodes {
		s.add(slot{node: n, row: p.lanes[p.ofNode[n]].row, layer: l.layer[n], height: p.heights[n]})
	}
	s.join(p)
	s.sort()
	s.settle()
	return s
}

func (s *stacks) add(x slot) int {
	s.slots = append(s.slots, x)
	i := len(s.slots) - 1
	s.columns[x.row][x.layer] = append(s.columns[x.row][x.layer], i)
	return i
}

// join connects the slots of edges, including the slots of passing edges.
func (s *stacks) join(p *placer) {
	g, l, list := p.graph, &p.layers, p.lanes
	long := 0
	for e := range g.Edges {
		from, to := l.endpoints(g, e)
		if len(g.Edges[e].Via) == 0 {
			long += max(0, l.layer[to]-l.layer[from]-1)
		}
	}
	for e := range g.Edges {
		from, to := l.endpoints(g, e)
		if via := g.Edges[e].Via; len(via) > 0 {
			s.slots[g.Edges[e].From].pull = append(s.slots[g.Edges[e].From].pull, list[p.ofLink[via[0]]].row)
			s.slots[g.Edges[e].To].pull = append(s.slots[g.Edges[e].To].pull, list[p.ofLink[via[len(via)-1]]].row)
			continue
		}
		if from == to {
			continue
		}
		path, at := []int{from}, from
		for layer := l.layer[from] + 1; layer < l.layer[to] && long <= maxPasses; layer++ {
			next := s.add(slot{node: -1, row: passRow(list, p.ofNode[from], p.ofNode[to], layer), layer: layer,
				height: g.Edges[e].Width + 2})
			s.tie(at, next, g.Edges[e].Width)
			path, at = append(path, next), next
		}
		s.tie(at, to, g.Edges[e].Width)
		s.passes[e] = append(path, to)
	}
}

func (s *stacks) tie(a, b int, width float64) {
	const minimum = 0.1
	weight := max(minimum, width*width)
	s.slots[a].right = append(s.slots[a].right, tie{b, weight})
	s.slots[b].left = append(s.slots[b].left, tie{a, weight})
}

// passRow returns the row in which an edge passes a column. If the box of an end covers the column, the edge passes in
// the row of that end. Otherwise, it passes in the target's row or, if another box covers the column there, in the
// source's row.
func passRow(list []lane, from, to, layer int) int {
	covers := func(x *lane) bool { return x.lo <= layer && layer <= x.hi }
	switch {
	case covers(&list[to]):
		return list[to].row
	case covers(&list[from]):
		return list[from].row
	}
	for i := range list {
		if list[i].row == list[to].row && covers(&list[i]) {
			return list[from].row
		}
	}
	return list[to].row
}

// sort orders every column by the barycenters of its slots' neighbors. It alternates between left and right
// neighbors.
func (s *stacks) sort() {
	const rounds = 8
	place := make([]float64, len(s.slots)) // row, and vertical position in the row
	number := func(column []int) {
		for i, x := range column {
			place[x] = float64(s.slots[x].row) + (float64(i)+0.5)/float64(len(column))
		}
	}
	for _, row := range s.columns {
		for _, column := range row {
			number(column)
		}
	}
	key := make([]float64, len(s.slots))
	for round := range rounds {
		for i := range s.layers() {
			layer := i
			if round%2 == 1 {
				layer = s.layers() - 1 - i
			}
			for _, row := range s.columns {
				for _, x := range row[layer] {
					key[x] = s.barycenter(x, round, place)
				}
				slices.SortStableFunc(row[layer], func(a, b int) int { return cmp.Compare(key[a], key[b]) })
				number(row[layer])
			}
		}
	}
}

func (s *stacks) layers() int {
	if len(s.columns) == 0 {
		return 0
	}
	return len(s.columns[0])
}

// barycenter returns the mean position of a slot's neighbors. Even rounds use the left neighbors, odd rounds use the
// right neighbors, and the last two rounds use both.
func (s *stacks) barycenter(x, round int, place []float64) float64 {
	const last = 6
	at := &s.slots[x]
	sum, n := 0.0, 0
	look := func(list []tie) {
		for _, t := range list {
			sum, n = sum+place[t.slot], n+1
		}
	}
	if round%2 == 0 || round >= last {
		look(at.left)
	}
	if round%2 == 1 || round >= last {
		look(at.right)
	}
	for _, r := range at.pull {
		sum, n = sum+float64(r)+0.5, n+1
	}
	if n == 0 {
		return place[x]
	}
	return sum / float64(n)
}

// settle moves slots vertically, as close to their neighbors as order and space allow.
func (s *stacks) settle() {
	const rounds = 8
	for r, row := range s.columns {
		for _, column := range row {
			s.rows[r] = max(s.rows[r], s.stackHeight(column))
		}
		for _, column := range row {
			top := (s.rows[r] - s.stackHeight(column)) / 2
			for _, x := range column {
				s.slots[x].y = top + s.slots[x].height/2
				top += s.slots[x].height + s.gap(x)
			}
		}
	}
	tops := make([]float64, len(s.rows))
	for r := 1; r < len(tops); r++ {
		tops[r] = tops[r-1] + s.rows[r-1]
	}
	wanted := make([]aim, len(s.slots))
	for round := range rounds {
		for i := range s.layers() {
			layer := i
			if round%2 == 1 {
				layer = s.layers() - 1 - i
			}
			for r, row := range s.columns {
				for _, x := range row[layer] {
					wanted[x] = s.aim(x, round%2 == 1, tops)
				}
				s.fit(row[layer], wanted, s.rows[r])
			}
		}
	}
}

// aim is the preferred vertical position of a slot and its weight.
type aim struct{ y, weight float64 }

// aim returns the mean vertical position of the neighbors on one side. If that side has none, aim uses the other side.
func (s *stacks) aim(x int, fromRight bool, tops []float64) aim {
	at := &s.slots[x]
	side := at.left
	if fromRight && len(at.right) > 0 || len(side) == 0 {
		side = at.right
	}
	if len(side) == 0 {
		return aim{at.y, 1}
	}
	var w aim
	for _, t := range side {
		w.y += t.weight * (tops[s.slots[t.slot].row] + s.slots[t.slot].y)
		w.weight += t.weight
	}
	w.y = w.y/w.weight - tops[at.row]
	return w
}

func (s *stacks) gap(x int) float64 {
	if s.slots[x].node < 0 {
		return passGap
	}
	return nodeGap
}

func (s *stacks) stackHeight(column []int) float64 {
	sum := 0.0
	for i, x := range column {
		sum += s.slots[x].height
		if i < len(column)-1 {
			sum += s.gap(x)
		}
	}
	return sum
}

// fit places the slots of a column in their order without overlap. It minimizes the weighted squared distance from the
// preferred positions (isotonic regression by pooling neighbors).
func (s *stacks) fit(column []int, wanted []aim, height float64) {
	type pool struct {
		sum, weight float64
		n           int
	}
	var pools []pool
	offset := 0.0
	offsets := make([]float64, len(column)) // middles of the slots if the stack starts at the top of the row
	for i, x := range column {
		offsets[i] = offset + s.slots[x].height/2
		offset += s.slots[x].height + s.gap(x)
		pools = append(pools, pool{(wanted[x].y - offsets[i]) * wanted[x].weight, wanted[x].weight, 1})
		for k := len(pools) - 1; k > 0 && pools[k-1].sum/pools[k-1].weight > pools[k].sum/pools[k].weight; k-- {
			a, b := pools[k-1], pools[k]
			pools = append(pools[:k-1], pool{a.sum + b.sum, a.weight + b.weight, a.n + b.n})
		}
	}
	room := max(0, height-s.stackHeight(column))
	i := 0
	for _, p := range pools {
		shift := min(max(p.sum/p.weight, 0), room)
		for range p.n {
			s.slots[column[i]].y = offsets[i] + shift
			i++
		}
	}
}
