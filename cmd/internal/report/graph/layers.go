package graph

// layering is the column of every node, and which edges go against the stream.
type layering struct {
	layer    []int
	count    int
	backward []bool // edges that close a cycle: they are laid out the other way round
}

// layers puts every node into the column after the last of those that feed it (longest
// path); edges that close cycles do not count.
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
		from, to := l.ends(g, e)
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
	// A source stands beside what it feeds.
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

// ends are the nodes of an edge as it is laid out, from left to right.
func (l *layering) ends(g *Graph, e int) (from, to int) {
	if l.backward[e] {
		return g.Edges[e].To, g.Edges[e].From
	}
	return g.Edges[e].From, g.Edges[e].To
}

// breakCycles marks the edges that lead back to a node that is being visited, depth first
// from the sources, then from whatever is left.
func (l *layering) breakCycles(g *Graph, out [][]int, in []int) {
	const visiting, visited = 1, 2
	state := make([]int, len(g.Nodes))
	next := make([]int, len(g.Nodes)) // out-edge to look at
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
