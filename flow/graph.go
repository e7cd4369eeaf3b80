package flow

import "slices"

// Order returns the kernels in a topological order: every edge leads forward, except edges with initial elements on a
// cycle ([Feedback]). The error is a *CycleError.
func Order(app *Application) ([]int, error) {
	order, _, err := NewGraph(app).order()
	return order, err
}

// order returns the kernels in the order of [Order], and the edges of [Feedback].
func (g *Graph) order() (order []int, back []bool, err error) {
	back = g.feedback()
	order, waiting := g.sorted(back)
	if len(order) < len(g.app.Kernels) {
		return nil, nil, g.findCycle(back, waiting)
	}
	return order, back, nil
}

// Feedback reports for each edge whether it closes a cycle: both of its kernels are on a cycle, and the edge has
// initial elements. Without these edges, an application that [Order] accepts is acyclic.
func Feedback(app *Application) []bool { return NewGraph(app).feedback() }

func (g *Graph) feedback() []bool {
	app := g.app
	back := make([]bool, len(app.Edges))
	if !slices.ContainsFunc(app.Edges, func(e Edge) bool { return e.Initial > 0 }) {
		return back
	}
	_, of := g.components(nil)
	for e := range app.Edges {
		edge := &app.Edges[e]
		back[e] = edge.Initial > 0 && of[edge.From] == of[edge.To]
	}
	return back
}

// sorted sorts the kernels topologically as far as possible, ignoring the edges in without. waiting contains the number
// of unvisited in-edges of each kernel.
func (g *Graph) sorted(without []bool) (order, waiting []int) {
	app, out := g.app, g.Out
	waiting = make([]int, len(app.Kernels))
	for e := range app.Edges {
		if without == nil || !without[e] {
			waiting[app.Edges[e].To]++
		}
	}
	order = make([]int, 0, len(app.Kernels))
	for k, n := range waiting {
		if n == 0 {
			order = append(order, k)
		}
	}
	for i := 0; i < len(order); i++ {
		for _, e := range out[order[i]] {
			to := app.Edges[e].To
			if without != nil && without[e] {
				continue
			}
			if waiting[to]--; waiting[to] == 0 {
				order = append(order, to)
			}
		}
	}
	return order, waiting
}

// findCycle walks backwards among the kernels that sorted could not sort. Each of these kernels has a predecessor among
// them, so the walk must reach a cycle.
func (g *Graph) findCycle(back []bool, waiting []int) *CycleError {
	app, in := g.app, g.In
	at := slices.IndexFunc(waiting, func(n int) bool { return n > 0 })
	seen := make(map[int]int) // kernel -> position in path
	var path, by []int        // by: the edge from each kernel to the previous kernel of path
	for {
		if start, ok := seen[at]; ok {
			path, by = path[start:], by[start:]
			break
		}
		seen[at] = len(path)
		path = append(path, at)
		for _, e := range in[at] {
			if from := app.Edges[e].From; waiting[from] > 0 && !back[e] {
				by, at = append(by, e), from
				break
			}
		}
	}
	slices.Reverse(path)
	slices.Reverse(by)
	// Start at the kernel that is declared first.
	first := slices.Index(path, slices.Min(path))
	err := &CycleError{Kernels: make([]string, len(path))}
	onCycle := make([]bool, len(app.Kernels))
	for i := range path {
		err.Kernels[i] = app.Kernels[path[(first+i)%len(path)]].Name
		onCycle[path[i]] = true
	}
	err.Edge = app.Edges[closing(app, by, in, onCycle)].Name
	return err
}

// closing returns the edge of a cycle that is most likely the feedback edge. This edge leads to a kernel with input
// from outside the cycle or, if there is none, to the kernel that is declared first.
func closing(app *Application, cycle []int, in [][]int, onCycle []bool) int {
	best, fed := -1, false
	for _, e := range cycle {
		to := app.Edges[e].To
		outside := slices.ContainsFunc(in[to], func(o int) bool { return !onCycle[app.Edges[o].From] })
		if best < 0 || outside && !fed || outside == fed && to < app.Edges[best].To {
			best, fed = e, outside
		}
	}
	return best
}

// components returns the strongly connected components of the graph in topological order, ignoring the edges in
// without. of contains the index of each kernel's component (Tarjan 1972, without recursion).
func (g *Graph) components(without []bool) (all [][]int, of []int) {
	app, out := g.app, g.Out
	n := len(app.Kernels)
	of = make([]int, n)
	index, low, next := make([]int, n), make([]int, n), make([]int, n)
	onStack := make([]bool, n)
	var stack, path []int
	count := 0
	for root := range n {
		if index[root] != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			k := path[len(path)-1]
			if index[k] == 0 {
				count++
				index[k], low[k], onStack[k] = count, count, true
				stack = append(stack, k)
			}
			if next[k] < len(out[k]) {
				e := out[k][next[k]]
				to := app.Edges[e].To
				next[k]++
				if without != nil && without[e] {
					continue
				}
				if index[to] == 0 {
					path = append(path, to)
				} else if onStack[to] {
					low[k] = min(low[k], index[to])
				}
				continue
			}
			if path = path[:len(path)-1]; len(path) > 0 {
				before := path[len(path)-1]
				low[before] = min(low[before], low[k])
			}
			if low[k] != index[k] {
				continue
			}
			at := slices.Index(stack, k)
			members := slices.Clone(stack[at:])
			stack = stack[:at]
			slices.Sort(members)
			for _, m := range members {
				onStack[m] = false
				of[m] = len(all)
			}
			all = append(all, members)
		}
	}
	slices.Reverse(all)
	for k := range of {
		of[k] = len(all) - 1 - of[k]
	}
	return all, of
}
