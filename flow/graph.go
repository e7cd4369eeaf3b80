package flow

import "slices"

// inEdges returns for each kernel the edges that end in it, ascending.
func inEdges(app *Application) [][]int {
	in := make([][]int, len(app.Kernels))
	for i := range app.Edges {
		in[app.Edges[i].To] = append(in[app.Edges[i].To], i)
	}
	return in
}

// outEdges returns for each kernel the edges that leave it, ascending.
func outEdges(app *Application) [][]int {
	out := make([][]int, len(app.Kernels))
	for i := range app.Edges {
		out[app.Edges[i].From] = append(out[app.Edges[i].From], i)
	}
	return out
}

// Order returns the kernels in a topological order: every edge leads forward. The
// error is a *CycleError.
func Order(app *Application) ([]int, error) {
	out := outEdges(app)
	waiting := make([]int, len(app.Kernels)) // in-edges not yet seen
	for _, e := range app.Edges {
		waiting[e.To]++
	}
	order := make([]int, 0, len(app.Kernels))
	for k, n := range waiting {
		if n == 0 {
			order = append(order, k)
		}
	}
	for i := 0; i < len(order); i++ {
		for _, e := range out[order[i]] {
			to := app.Edges[e].To
			if waiting[to]--; waiting[to] == 0 {
				order = append(order, to)
			}
		}
	}
	if len(order) == len(app.Kernels) {
		return order, nil
	}
	return nil, findCycle(app, waiting)
}

// findCycle walks backwards among the kernels that could not be sorted: each
// has a predecessor among them, so the walk must close.
func findCycle(app *Application, waiting []int) *CycleError {
	in := inEdges(app)
	at := slices.IndexFunc(waiting, func(n int) bool { return n > 0 })
	seen := make(map[int]int) // kernel -> position in path
	var path []int
	for {
		if start, ok := seen[at]; ok {
			path = path[start:]
			break
		}
		seen[at] = len(path)
		path = append(path, at)
		for _, e := range in[at] {
			if from := app.Edges[e].From; waiting[from] > 0 {
				at = from
				break
			}
		}
	}
	slices.Reverse(path)
	// Begin at the kernel declared first.
	first := slices.Index(path, slices.Min(path))
	names := make([]string, len(path))
	for i := range path {
		names[i] = app.Kernels[path[(first+i)%len(path)]].Name
	}
	return &CycleError{Kernels: names}
}
