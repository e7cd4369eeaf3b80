package copyplan

import (
	"math"
	"slices"

	"xopt/mapper/simplex"
)

// relaxation is a linear program whose optimum is a lower bound on the load of all plans:
//
//	minimize T, where x(t, g) is the part of the stream that group g of cores processes in task t, Σg x(t, g) = 1,
//	z(e, g) ≤ x(t, g) for both tasks t of edge e is the part of its stream that stays on cores of group g,
//	cores × T ≥ Σt work × x + Σe costs × (x - z) for each group, and
//	T ≥ Σe carried × (1 - Σg z) for each link that all routes share
//
// A task without copies has one x(t, g) = 1 in a plan. Branch and bound chooses this group. If each group is one core,
// a plan can still be worse than a solution. Turns round the parts, and some data leave a core that has copies of both
// tasks. If each task has a core that can run it, z = 0 and a large T satisfy all rows. Only rounding errors can then
// make the program infeasible.
type relaxation struct {
	p      *Problem
	groups [][]int
	edges  []int // edges with z: those that load cores or links between different cores
	lp     *simplex.LP
	scale  float64 // load that corresponds to a T of 1
}

// maxDictionary limits the size of the program, in coefficients. Larger problems have a group for each class of cores,
// which weakens the bound. If streams between cores cost nothing, the lower limit maxDictionaryFree applies, because
// classes then weaken the bound less.
const (
	maxDictionary     = 40000
	maxDictionaryFree = 10000
)

// newRelaxation returns the program with a group for each core if it is small enough, otherwise with a group for each
// class of cores. It returns nil if both programs are too large.
func newRelaxation(p *Problem) *relaxation {
	x := &relaxation{p: p, scale: p.Bound()}
	if !(x.scale > 0) {
		return nil
	}
	for e := range p.Edges {
		if !p.Edges[e].free() {
			x.edges = append(x.edges, e)
		}
	}
	var single [][]int
	for c := range p.cores() {
		single = append(single, []int{c})
	}
	maximum := maxDictionary
	if len(x.edges) == 0 {
		maximum = maxDictionaryFree
	}
	for _, x.groups = range [][][]int{single, p.classes()} {
		columns := 1 + len(x.groups)*(len(p.Work)+len(x.edges))
		rows := len(x.groups)*(1+2*len(x.edges)) + 3*len(p.Work) + p.Links // equations count as two
		if columns*rows <= maximum {
			x.create(columns)
			return x
		}
	}
	return nil
}

// exact reports whether each group is one core.
func (x *relaxation) exact() bool { return len(x.groups) == x.p.cores() }

// task returns the index of the variable x of a task and a group.
func (x *relaxation) task(t, g int) int { return 1 + t*len(x.groups) + g }

// stays returns the index of the variable z of edges[i] and a group.
func (x *relaxation) stays(i, g int) int { return 1 + (len(x.p.Work)+i)*len(x.groups) + g }

// create creates the linear program. columns is the number of its variables.
func (x *relaxation) create(columns int) {
	cost, upper := make([]float64, columns), slices.Repeat([]float64{1}, columns)
	cost[0], upper[0] = 1, math.Inf(1)
	for t, work := range x.p.Work {
		for g, cores := range x.groups {
			if math.IsInf(work[cores[0]], 1) {
				upper[x.task(t, g)] = 0
			}
		}
	}
	x.lp = simplex.New(cost, upper)
	for t := range x.p.Work {
		var list []int
		for g := range x.groups {
			list = append(list, x.task(t, g))
		}
		x.lp.Zero(x.lp.Add(list, slices.Repeat([]float64{1}, len(list)), 1))
		if !x.p.divisible(t) && !x.exact() {
			value := []float64{1}
			for _, cores := range x.groups {
				value = append(value, -x.work(t, cores[0]))
			}
			x.lp.Add(append([]int{0}, list...), value, 0)
		}
	}
	for i, e := range x.edges {
		for g := range x.groups {
			for _, t := range []int{x.p.Edges[e].From, x.p.Edges[e].To} {
				x.lp.Add([]int{x.task(t, g), x.stays(i, g)}, []float64{1, -1}, 0)
			}
		}
	}
	for g := range x.groups {
		x.addCores(g)
	}
	for l := range x.p.Links {
		if x.p.common(l) {
			x.addLink(l)
		}
	}
	x.lp.Solve(math.Inf(1), maxWork) // so that each node starts from this basis
}

// work returns the load of a task on a core, in units of T; 0 if the task cannot run there.
func (x *relaxation) work(t, core int) float64 {
	if w := x.p.Work[t][core]; !math.IsInf(w, 1) {
		return w / x.scale
	}
	return 0
}

// addCores adds the row that limits the load of a group's cores.
func (x *relaxation) addCores(g int) {
	cores := x.groups[g]
	column, value := []int{0}, []float64{float64(len(cores))}
	add := func(j int, v float64) { column, value = append(column, j), append(value, -v) }
	for t := range x.p.Work {
		add(x.task(t, g), x.work(t, cores[0]))
	}
	for i, e := range x.edges {
		edge := &x.p.Edges[e]
		for _, side := range []struct {
			task        int
			load, first []float64
		}{{edge.From, edge.Send, edge.Sends}, {edge.To, edge.Receive, edge.Receives}} {
			if v := (minimumOf(side.load, cores) + minimumOf(side.first, nil)) / x.scale; v > 0 {
				add(x.task(side.task, g), v)
				add(x.stays(i, g), -v)
			}
		}
	}
	x.lp.Add(column, value, 0)
}

// minimumOf returns the minimum of the loads at the given indices, or of all loads if at is nil; 0 if loads is nil.
func minimumOf(loads []float64, at []int) float64 {
	if loads == nil {
		return 0
	}
	if at == nil {
		return slices.Min(loads)
	}
	minimum := math.Inf(1)
	for _, c := range at {
		minimum = math.Min(minimum, loads[c])
	}
	return minimum
}

// addLink adds the row that limits the load of a link that is part of all routes.
func (x *relaxation) addLink(l int) {
	column, value, total := []int{0}, []float64{1}, 0.0
	for i, e := range x.edges {
		if x.p.Edges[e].Carried == nil {
			continue
		}
		carried := x.p.Edges[e].Carried[l] / x.scale
		total += carried
		for g := range x.groups {
			column, value = append(column, x.stays(i, g)), append(value, carried)
		}
	}
	if x.p.Outside != nil {
		for t := range x.p.Work {
			for g, cores := range x.groups {
				if v := x.outside(t, cores, l) / x.scale; v > 0 {
					column, value = append(column, x.task(t, g)), append(value, -v)
				}
			}
		}
	}
	x.lp.Add(column, value, total)
}

// outside returns the minimum load of a link due to streams between a task and kernels that do not move, over the given
// cores of the task.
func (x *relaxation) outside(t int, cores []int, link int) float64 {
	minimum := math.Inf(1)
	for _, c := range cores {
		sum := 0.0
		for _, l := range x.p.Outside[t][c] {
			if l.Link == link {
				sum += l.Load
			}
		}
		minimum = math.Min(minimum, sum)
	}
	return minimum
}
