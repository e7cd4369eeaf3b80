package copyplan

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"

	"xopt/mapper/simplex"
)

// branching is a branch-and-bound search over the open decisions of the relaxation (Land and Doig, An Automatic Method
// of Solving Discrete Programming Problems, 1960). It visits the node with the lowest bound first. run can stop and
// continue it.
type branching struct {
	x *relaxation
	// real adds decisions about the exchange of data between copies of two tasks, so that each solution is a plan. The
	// nodes then exclude some plans, so that their bounds are not valid for all plans.
	real   bool
	open   nodes
	room   int     // number of decisions that open nodes may still store
	closed float64 // lowest bound, in units of T, of dropped nodes and of nodes without open decisions
	above  float64 // lowest limit, in units of T, of the nodes that exceeded their limit
	alike  [][]int // by group: earlier groups with equal loads
	visit  func(x []float64)
	values []float64
}

// node is a node of the search tree, defined by its decisions. bound is a lower bound on T under these decisions.
type node struct {
	bound     float64
	decisions []decision
}

// decision is one restriction of the relaxation.
type decision struct {
	kind  decisionKind
	at    int // task, or index of relaxation.edges
	group int
}

// decisionKind is the kind of a decision.
type decisionKind uint8

const (
	placed decisionKind = iota // the task runs only in the group
	joined                     // the edge's tasks are copied as a unit
	cut                        // no data of the edge stay on a core
)

// nodes is a heap of nodes by bound. If bounds are equal, the node with more decisions is first.
type nodes []node

func (n nodes) Len() int { return len(n) }
func (n nodes) Less(i, j int) bool {
	if n[i].bound != n[j].bound {
		return n[i].bound < n[j].bound
	}
	return len(n[i].decisions) > len(n[j].decisions)
}
func (n nodes) Swap(i, j int) { n[i], n[j] = n[j], n[i] }
func (n *nodes) Push(x any)   { *n = append(*n, x.(node)) }
func (n *nodes) Pop() any {
	last := (*n)[len(*n)-1]
	*n = (*n)[:len(*n)-1]
	return last
}

// maxDecisions is the maximum number of decisions in open nodes, about 24 bytes each. Each node counts as one more
// decision.
const maxDecisions = 2_000_000

// newBranching returns a branch-and-bound search that calls visit for each solution without open decisions.
func newBranching(x *relaxation, visit func(x []float64)) *branching {
	b := &branching{x: x, open: nodes{{}}, room: maxDecisions, closed: math.Inf(1),
		above: math.Inf(1), visit: visit,
		alike: make([][]int, len(x.groups))}
	for g, cores := range x.groups {
		for h, others := range x.groups[:g] {
			if x.exact() && x.equal(cores[0], others[0]) {
				b.alike[g] = append(b.alike[g], h)
			}
		}
	}
	return b
}

// equal reports whether two cores have the same coefficients in the relaxation.
func (x *relaxation) equal(c, d int) bool {
	for t := range x.p.Work {
		if x.p.Work[t][c] != x.p.Work[t][d] {
			return false
		}
		for l := range x.p.Links {
			if x.p.Outside != nil && x.outside(t, []int{c}, l) != x.outside(t, []int{d}, l) {
				return false
			}
		}
	}
	for _, e := range x.edges {
		for _, loads := range [][]float64{x.p.Edges[e].Send, x.p.Edges[e].Receive} {
			if loads != nil && loads[c] != loads[d] {
				return false
			}
		}
	}
	return true
}

// bound returns a lower bound on the load of all plans. best is the load of the best known plan.
func (b *branching) bound(best float64) float64 {
	minimum := math.Min(b.above, b.closed)
	if len(b.open) > 0 {
		minimum = math.Min(minimum, b.open[0].bound)
	}
	return math.Min(best, minimum*b.x.scale*(1-simplexError))
}

// simplexError is the relative rounding error of the simplex method.
const simplexError = 1e-7

// left reports whether an open node may contain a plan with a lower load than best.
func (b *branching) left(best float64) bool {
	return len(b.open) > 0 && b.open[0].bound*b.x.scale < best*(1-boundPrecision/2)
}

// run visits nodes until no node can contain a better plan than the best, or until the simplex method has executed work
// elementary operations. It drops all nodes if they need too much memory. best returns the load of the best known plan.
// run reports whether open nodes remain.
func (b *branching) run(ctx context.Context, best func() float64, work uint64) bool {
	for used := uint64(0); b.left(best()) && used < work && ctx.Err() == nil; {
		if b.room < 0 {
			b.closed, b.open = math.Min(b.closed, b.open[0].bound), nil
			break
		}
		limit := best() * (1 - boundPrecision/2) / b.x.scale
		at := heap.Pop(&b.open).(node)
		b.room += len(at.decisions) + 1
		lp := b.x.lp.Clone()
		lp.Work = 0
		for _, d := range at.decisions {
			b.x.decide(lp, d)
		}
		outcome, _ := lp.Solve(limit, maxWork)
		used += lp.Work + cloneWork
		switch outcome {
		case simplex.Unfinished, simplex.Infeasible: // only rounding errors make a node of the bound infeasible
			b.closed = math.Min(b.closed, at.bound)
		case simplex.Above:
			b.above = math.Min(b.above, limit)
		case simplex.Solved:
			b.values = lp.Values(b.values)
			b.divide(at, lp.Objective)
		}
	}
	return b.left(best())
}

// maxWork is the maximum number of elementary operations for one node. cloneWork is the number that copying a large
// program counts as.
const (
	maxWork   = 200_000_000
	cloneWork = maxDictionary / 8
)

// decide adds the constraint of a decision to a program.
func (x *relaxation) decide(lp *simplex.LP, d decision) {
	switch d.kind {
	case placed:
		for g := range x.groups {
			if g != d.group {
				lp.Zero(x.task(d.at, g))
			}
		}
	case cut:
		for g := range x.groups {
			lp.Zero(x.stays(d.at, g))
		}
	case joined:
		e := &x.p.Edges[x.edges[d.at]]
		for g := range x.groups {
			pair := []int{x.task(e.From, g), x.task(e.To, g)}
			lp.Zero(lp.Add(pair, []float64{1, -1}, 0))
		}
	}
}

// integral is the tolerance within which a part counts as 0 or 1.
const integral = 1e-6

// divide adds the child nodes for the next open decision of a solution. If there is none, it calls visit with the
// solution.
func (b *branching) divide(at node, value float64) {
	at.bound = math.Max(at.bound, value)
	if t := b.split(); t >= 0 {
		b.place(at, t)
		return
	}
	if b.real {
		if i := b.exchange(); i >= 0 {
			e := &b.x.p.Edges[b.x.edges[i]]
			b.push(at, decision{joined, i, 0})
			b.push(at, decision{cut, i, 0})
			b.place(at, e.From)
			b.place(at, e.To)
			return
		}
	}
	b.closed = math.Min(b.closed, at.bound)
	b.visit(b.values)
}

// push adds a child node: the given node with one more decision.
func (b *branching) push(at node, d decision) {
	decisions := append(make([]decision, 0, len(at.decisions)+1), at.decisions...)
	heap.Push(&b.open, node{at.bound, append(decisions, d)})
	b.room -= len(decisions) + 2
}

// place adds a node for each group that can run a task. Of several equal cores that no decision uses yet, it tries only
// one.
func (b *branching) place(at node, t int) {
	used := func(g int) bool {
		return slices.ContainsFunc(at.decisions, func(d decision) bool { return d.kind == placed && d.group == g })
	}
	for g, cores := range b.x.groups {
		if math.IsInf(b.x.p.Work[t][cores[0]], 1) || !used(g) &&
			slices.ContainsFunc(b.alike[g], func(h int) bool { return !used(h) }) {
			continue
		}
		b.push(at, decision{placed, t, g})
	}
}

// split returns a task without copies that the solution divides; -1 for none. If there are several such tasks, it
// returns the task with the most work outside its largest part.
func (b *branching) split() int {
	found, maximum := -1, 0.0
	for t := range b.x.p.Work {
		if b.x.p.divisible(t) {
			continue
		}
		part := b.values[b.x.task(t, 0):b.x.task(t+1, 0)]
		if left := 1 - slices.Max(part); left > integral && left*slices.Min(b.x.p.Work[t]) > maximum {
			found, maximum = t, left*slices.Min(b.x.p.Work[t])
		}
	}
	return found
}

// exchange returns the index of the edge with the most data that stay on cores in the solution although its two tasks
// have different parts; -1 if there is none. No plan achieves such a solution.
func (b *branching) exchange() int {
	found, maximum := -1, integral
	for i, e := range b.x.edges {
		edge := &b.x.p.Edges[e]
		from := b.values[b.x.task(edge.From, 0):b.x.task(edge.From+1, 0)]
		to := b.values[b.x.task(edge.To, 0):b.x.task(edge.To+1, 0)]
		stays, differ := 0.0, 0.0
		for g := range b.x.groups {
			stays += math.Max(0, b.values[b.x.stays(i, g)])
			differ = math.Max(differ, math.Abs(from[g]-to[g]))
		}
		if slices.Max(from) < 1-integral && slices.Max(to) < 1-integral && differ > integral && stays > maximum {
			found, maximum = i, stays
		}
	}
	return found
}

// byWork returns a comparison that sorts tasks by decreasing work.
func byWork(p *Problem) func(a, b int) int {
	return func(a, b int) int {
		return cmp.Or(cmp.Compare(slices.Min(p.Work[b]), slices.Min(p.Work[a])), a-b)
	}
}
