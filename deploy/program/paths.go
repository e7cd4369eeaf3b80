package program

import "xopt/flow/xlang"

// maxPaths is the maximum number of tapped paths from a source to a sink.
const maxPaths = 16

// PathTaps returns taps for the latency from each source to each reachable sink, along the path with the most edges.
// left is the number of omitted pairs: pairs beyond maxPaths, and pairs whose path contains an edge of a divided
// stream. Paths exclude edges that lead back in a loop (with initial elements) and edges whose data are sent once.
func PathTaps(p *xlang.Program, every uint64) (taps []Tap, left int) {
	once := p.SentOnce()
	leaves := make([][]int, len(p.Kernels)) // edges on paths, by their writers
	comes := make([]int, len(p.Kernels))    // number of these edges that lead to each kernel
	for e := range p.Edges {
		if x := &p.Edges[e]; x.Initial == 0 && !once[x.To][x.ToPort] {
			leaves[x.From] = append(leaves[x.From], e)
			comes[x.To]++
		}
	}
	order := make([]int, 0, len(p.Kernels)) // topological order: senders first
	for k := range p.Kernels {
		if comes[k] == 0 {
			order = append(order, k)
		}
	}
	for i := 0; i < len(order); i++ {
		for _, e := range leaves[order[i]] {
			if comes[p.Edges[e].To]--; comes[p.Edges[e].To] == 0 {
				order = append(order, p.Edges[e].To)
			}
		}
	}
	for s := range p.Kernels {
		if len(p.Kernels[s].Inputs) > 0 {
			continue
		}
		last, edges := make([]int, len(p.Kernels)), make([]int, len(p.Kernels)) // of the longest path to each kernel
		for _, k := range order {
			if k != s && edges[k] == 0 {
				continue
			}
			for _, e := range leaves[k] {
				if to := p.Edges[e].To; edges[k]+1 > edges[to] {
					edges[to], last[to] = edges[k]+1, e
				}
			}
		}
		for k := range p.Kernels {
			if len(p.Kernels[k].Outputs) > 0 || edges[k] == 0 {
				continue
			}
			if len(taps) == maxPaths {
				left++
				continue
			}
			path, shared := make([]int, edges[k]), false
			for i, at := edges[k]-1, k; i >= 0; i-- {
				path[i] = last[at]
				shared = shared || p.Edges[last[at]].Shared
				at = p.Edges[last[at]].From
			}
			if shared { // its elements cannot be followed to one of several copies
				left++
				continue
			}
			taps = append(taps, Tap{Kind: Latency, Path: path, Edge: path[0], Every: every, Histogram: &Bins{}})
		}
	}
	return taps, left
}
