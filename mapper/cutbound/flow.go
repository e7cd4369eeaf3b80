package cutbound

// closure finds the nodes that are worth most together, where each has a worth and each edge that leaves them costs
// its capacity: a minimum cut (Picard 1976), by Dinic's algorithm, in whole numbers.
type closure struct {
	near  [][]arc // of each node
	spare [2][]int64
	over  []int64 // of each node: what it can still send
	under []int64 // what it can still take
	level []int
	next  []int
	queue []int
	// inside are the nodes that are worth most.
	inside []bool
	work   uint64
}

// arc is an edge seen from one of its ends.
type arc struct{ to, edge, way int }

func newClosure(nodes int, edges [][2]int) *closure {
	c := &closure{near: make([][]arc, nodes), over: make([]int64, nodes), under: make([]int64, nodes),
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

// solve returns what the best nodes are worth, by the flow that cannot be exceeded; nodes that are out
// take no part.
func (c *closure) solve(worth, capacity []int64, out []bool) int64 {
	total := int64(0)
	for g, w := range worth {
		c.over[g], c.under[g] = 0, 0
		if out[g] {
			continue
		}
		if w > 0 {
			c.over[g] = w
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
			if c.over[g] > 0 && c.level[g] == 0 {
				sent := c.send(g, c.over[g])
				c.over[g] -= sent
				total -= sent
			}
		}
	}
	for g := range c.inside {
		c.inside[g] = c.level[g] >= 0
	}
	return total
}

// levels finds how far each node is from one that can send; it reports whether any that is reached can take.
func (c *closure) levels(out []bool) bool {
	c.queue = c.queue[:0]
	for g := range c.level {
		if c.level[g] = -1; c.over[g] > 0 && !out[g] {
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

// send sends up to so much on from a node, and returns how much found a way.
func (c *closure) send(g int, most int64) int64 {
	sent := min(most, c.under[g])
	c.under[g] -= sent
	for ; c.next[g] < len(c.near[g]) && sent < most; c.next[g]++ {
		a := c.near[g][c.next[g]]
		c.work += 4
		if c.level[a.to] != c.level[g]+1 || c.spare[a.way][a.edge] <= 0 {
			continue
		}
		by := c.send(a.to, min(most-sent, c.spare[a.way][a.edge]))
		c.spare[a.way][a.edge] -= by
		c.spare[1-a.way][a.edge] += by
		if sent += by; sent == most {
			break // this arc may take more
		}
	}
	return sent
}
