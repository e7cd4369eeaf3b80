package program

import "xopt/flow/xlang"

// bridges reports for each edge whether it is the only connection between its two kernels, in either direction (a
// bridge of the graph). While its reader waits for space, its writer cannot help. The writer's data may then stay
// where it is warm (warm.c). The depth-first search follows Tarjan 1974, "A note on finding the bridges of a graph".
func bridges(p *xlang.Program) []bool {
	type end struct{ edge, kernel int }
	ends := make([][]end, len(p.Kernels))
	for e := range p.Edges {
		from, to := p.Edges[e].From, p.Edges[e].To
		ends[from] = append(ends[from], end{e, to})
		ends[to] = append(ends[to], end{e, from})
	}
	only := make([]bool, len(p.Edges))
	number, low := make([]int, len(p.Kernels)), make([]int, len(p.Kernels)) // from 1, in the order of the search
	count := 0
	var visit func(k, by int)
	visit = func(k, by int) {
		count++
		number[k], low[k] = count, count
		for _, x := range ends[k] {
			switch {
			case x.edge == by:
			case number[x.kernel] > 0:
				low[k] = min(low[k], number[x.kernel])
			default:
				visit(x.kernel, x.edge)
				low[k] = min(low[k], low[x.kernel])
				only[x.edge] = low[x.kernel] > number[k]
			}
		}
	}
	for k := range p.Kernels {
		if number[k] == 0 {
			visit(k, -1)
		}
	}
	return only
}
