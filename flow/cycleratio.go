package flow

import "math"

// ratioGraph is a directed graph whose arcs have times and tokens. Its maximum cycle ratio, time over tokens, is the
// period of the tokens (Reiter 1968; Baccelli 1992, Th. 2.28). maxRatio computes this ratio by Howard's policy
// iteration (Cochet-Terrasson 1998; Dasdan 2004). A ratioGraph reuses its buffers.
type ratioGraph struct {
	nodes int
	arcs  []ratioArc

	policy  []int32   // by node: the arc that it follows
	height  []float64 // by node: excess of its path's time over ratio × tokens
	seen    []int32   // the last walk that reached each node
	reached []bool
	first   []int32 // by node: the first of its in-arcs; -1 for none
	next    []int32 // by arc: the next in-arc of its node; -1 for none
	queue   []int32
	cycle   []int32
}

// ratioArc leads from a node to another node that waits for it.
type ratioArc struct {
	from, to     int32
	time, tokens float64
	edge         int32 // of the application, or -1
}

// reset empties the graph.
func (g *ratioGraph) reset(nodes int) { g.nodes, g.arcs = nodes, g.arcs[:0] }

// ratioRounding is the relative difference of times that rounding may cause.
const ratioRounding = 1e-13

// maxRatio returns the maximum ratio and the arcs of its cycle, in order. The ratio is 0 if all cycles have a time of
// 0. It is +Inf for a cycle with time but without tokens. Every node must have an arc on a path to a cycle.
func (g *ratioGraph) maxRatio() (float64, []int32) {
	g.prepare()
	noise := 0.0
	for _, a := range g.arcs {
		noise = max(noise, a.time*ratioRounding)
	}
	ratio := 0.0
	for range 100 + 10*g.nodes { // a limit that is never reached: a few rounds suffice
		at, r := g.policyCycle()
		ratio = r
		if math.IsInf(ratio, 1) || ratio == 0 && noise == 0 {
			break
		}
		g.raise(at, ratio)
		if !g.improve(ratio, noise) {
			break
		}
	}
	return ratio, g.cycle
}

// prepare initializes the policy with the slowest arc of each node.
func (g *ratioGraph) prepare() {
	n := g.nodes
	if cap(g.policy) < n {
		g.policy, g.height, g.seen = make([]int32, n), make([]float64, n), make([]int32, n)
		g.first, g.reached = make([]int32, n), make([]bool, n)
	}
	if cap(g.next) < len(g.arcs) {
		g.next = make([]int32, len(g.arcs))
	}
	g.policy, g.height, g.seen = g.policy[:n], g.height[:n], g.seen[:n]
	g.first, g.next, g.reached = g.first[:n], g.next[:len(g.arcs)], g.reached[:n]
	for u := range n {
		g.policy[u], g.height[u], g.first[u] = -1, 0, -1
	}
	for i, a := range g.arcs {
		g.next[i], g.first[a.to] = g.first[a.to], int32(i)
		if p := g.policy[a.from]; p < 0 || a.time > g.arcs[p].time {
			g.policy[a.from] = int32(i)
		}
	}
}

// policyCycle returns the largest ratio of a cycle of the policy, and a node on this cycle.
func (g *ratioGraph) policyCycle() (node int32, ratio float64) {
	for u := range g.seen {
		g.seen[u] = -1
	}
	ratio, node = -1, 0
	for u := range int32(g.nodes) {
		at := u
		for g.seen[at] < 0 {
			g.seen[at] = u
			at = g.arcs[g.policy[at]].to
		}
		if g.seen[at] != u {
			continue // the walk ends at a node of an earlier walk
		}
		time, tokens := 0.0, 0.0
		for v := at; ; {
			a := &g.arcs[g.policy[v]]
			time, tokens = time+a.time, tokens+a.tokens
			if v = a.to; v == at {
				break
			}
		}
		r := 0.0
		if time > 0 {
			r = time / tokens
		}
		if r > ratio {
			ratio, node = r, at
		}
	}
	g.cycle = g.cycle[:0]
	for v := node; ; {
		g.cycle = append(g.cycle, g.policy[v])
		if v = g.arcs[g.policy[v]].to; v == node {
			break
		}
	}
	return node, ratio
}

// raise sets the heights of all nodes. It changes the policy of nodes that lead to another cycle, so that every node
// leads to the root. Otherwise heights would belong to different ratios: improve would break the cycle with the largest
// ratio, and the rounds would never converge.
func (g *ratioGraph) raise(root int32, ratio float64) {
	clear(g.reached)
	g.queue, g.reached[root] = append(g.queue[:0], root), true
	for _, byPolicy := range []bool{true, false} {
		for n := 0; n < len(g.queue) && len(g.queue) < g.nodes; n++ {
			for i := g.first[g.queue[n]]; i >= 0; i = g.next[i] {
				a := &g.arcs[i]
				if g.reached[a.from] || byPolicy && g.policy[a.from] != i {
					continue
				}
				g.reached[a.from], g.policy[a.from] = true, i
				g.height[a.from] = g.height[a.to] + a.time - ratio*a.tokens
				g.queue = append(g.queue, a.from)
			}
		}
	}
}

// improve changes the policy to arcs that increase the height. It reports whether a height increased by more than
// noise.
func (g *ratioGraph) improve(ratio, noise float64) bool {
	improved := false
	for i := range g.arcs {
		a := &g.arcs[i]
		if h := g.height[a.to] + a.time - ratio*a.tokens; h > g.height[a.from] {
			improved = improved || h > g.height[a.from]+noise*float64(g.nodes)
			g.height[a.from], g.policy[a.from] = h, int32(i)
		}
	}
	return improved
}
