package cutbound

// closure finds the set of nodes with the largest value: the total worth of its nodes, minus the capacities of the
// edges that leave the set. This is a minimum-cut problem (Picard 1976), solved by Dinic's algorithm in integers.
type closure struct {
	near   [][]arc // arcs of each node
	spare  [2][]int64
	excess []int64 // by node: excess that the node can still send
	under  []int64 // by node: demand that the node can still absorb
	level  []int
	next   []int
	queue  []int
	// inside is the best set found by solve.
	inside []bool
	work   uint64
}

// arc is an edge at one of its ends. to is the node at the other end, and way is the direction of the arc (0 or 1).
type arc struct{ to, edge, way int }

func newClosure(nodes int, edges [][2]int) *closure {
	c := &closure{near: make([][]arc, nodes), excess: make([]int64, nodes), under: make([]int64, nodes),
		level: make([]int, nodes), next: make([]int, nodes), inside: make([]bool, nodes)}
	for w := range c.spare {
		c.spare[w] = make([]int64, len(edges))
	}
	for e, ends := range edges {
		c.near[ends[0]] = append(c.near[ends[0]], arc{ends[1], e, 0})
		c.near[ends[1]] = append(c.near[ends[1]], arc{ends[0], e, 1})
	}
	return c
}

// solve returns the value of the best set without the nodes in out, computed from the maximum flow.
func (c *closure) solve(worth, capacity []int64, out []bool) int64 {
	total := int64(0)
	for g, w := range worth {
		c.excess[g], c.under[g] = 0, 0
		if out[g] {
			continue
		}
		if w > 0 {
			c.excess[g] = w
			total += w
		} else {
			c.under[g] = -w
		}
	}
	copy(c.spare[0], capacity)
	copy(c.spare[1], capacity)
	for c.levels(out) {
		clear(c.next)
		for _, g := range c.queue {
			if c.excess[g] > 0 && c.level[g] == 0 {
				sent := c.send(g, c.excess[g])
				c.excess[g] -= sent
				total -= sent
			}
		}
	}
	for g := range c.inside {
		c.inside[g] = c.level[g] >= 0
	}
	return total
}

// levels computes the distance of each node from the nodes with excess. It reports whether it reaches a node with
// demand.
func (c *closure) levels(out []bool) bool {
	c.queue = c.queue[:0]
	for g := range c.level {
		if c.level[g] = -1; c.excess[g] > 0 && !out[g] {
			c.level[g] = 0
			c.queue = append(c.queue, g)
		}
	}
	reached := false
	for i := 0; i < len(c.queue); i++ {
		g := c.queue[i]
		reached = reached || c.under[g] > 0
		for _, a := range c.near[g] {
			if c.level[a.to] < 0 && !out[a.to] && c.spare[a.way][a.edge] > 0 {
				c.level[a.to] = c.level[g] + 1
				c.queue = append(c.queue, a.to)
			}
		}
		c.work += 4 * uint64(len(c.near[g]))
	}
	return reached
}

// send pushes at most maximum units of flow from a node. It returns the amount that arrives.
func (c *closure) send(g int, maximum int64) int64 {
	sent := min(maximum, c.under[g])
	c.under[g] -= sent
	for ; c.next[g] < len(c.near[g]) && sent < maximum; c.next[g]++ {
		a := c.near[g][c.next[g]]
		c.work += 4
		if c.level[a.to] != c.level[g]+1 || c.spare[a.way][a.edge] <= 0 {
			continue
		}
		by := c.send(a.to, min(maximum-sent, c.spare[a.way][a.edge]))
		c.spare[a.way][a.edge] -= by
		c.spare[1-a.way][a.edge] += by
		if sent += by; sent == maximum {
			break // the arc may carry more later
		}
	}
	return sent
}
