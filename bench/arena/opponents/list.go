package opponents

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"xopt/bench/arena"
)

// LPT places the units in order of decreasing time, each on the core with the smallest resulting load (Graham, Bounds
// on Multiprocessing Timing Anomalies, 1969; for unrelated cores Ibarra and Kim, Heuristic Algorithms for Scheduling
// Independent Tasks on Nonidentical Processors, 1977). It ignores the bus. LPT tries all divisions of tasks into units
// (splits), and returns the best placement.
func LPT(ctx context.Context, p *arena.Problem, _ uint64) (arena.Placement, error) {
	noBus := *p
	noBus.Bus = 0
	return listed(ctx, p, &noBus, func(u *units) []float64 {
		priority := make([]float64, len(p.Tasks))
		for _, x := range u.all {
			priority[x.task] = x.part * minWork(p, x.task, u.allowed[x.task])
		}
		return priority
	})
}

// HEFT places the units in order of decreasing upward rank: the longest path of mean times and mean transfers to a sink
// (Topcuoglu, Hariri and Wu, Performance-Effective and Low-Complexity Task Scheduling for Heterogeneous Computing,
// 2002). Unlike the paper, which minimizes finish times, this method minimizes the period. It places a unit on the core
// with the smallest resulting maximum of core load and bus load. In a tie, it chooses the core with the smallest load.
// Ranks ignore edges that close a cycle. HEFT tries all divisions of tasks into units, and returns the best placement.
func HEFT(ctx context.Context, p *arena.Problem, _ uint64) (arena.Placement, error) {
	return listed(ctx, p, p, func(u *units) []float64 { return upwardRanks(p, u.allowed) })
}

// listed runs list scheduling for each division of tasks into units, in order of decreasing priority of tasks. It
// chooses cores by the costs in seen, which may differ from p.
func listed(ctx context.Context, p, seen *arena.Problem, priority func(*units) []float64) (arena.Placement, error) {
	divisions, err := splits(p)
	if err != nil {
		return nil, err
	}
	b := newBest(p)
	for d := range divisions {
		u := &divisions[d]
		rank := priority(u)
		order := make([]int, len(u.all))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			a, b := u.all[i].task, u.all[j].task
			return cmp.Or(cmp.Compare(rank[b], rank[a]), cmp.Compare(a, b))
		})
		l := newLister(seen, u)
		for _, i := range order {
			if ctx.Err() != nil {
				return b.result(ctx)
			}
			l.put(i)
		}
		b.offer(u.place(nil, l.cores))
	}
	return b.result(ctx)
}

// upwardRanks returns the upward rank of each task, in seconds.
func upwardRanks(p *arena.Problem, allowed [][]int) []float64 {
	next := make([][]arena.Edge, len(p.Tasks))
	for _, e := range p.Edges {
		next[e.From] = append(next[e.From], e)
	}
	rank := make([]float64, len(p.Tasks))
	open, done := make([]bool, len(p.Tasks)), make([]bool, len(p.Tasks))
	var visit func(t int) float64
	visit = func(t int) float64 {
		if done[t] {
			return rank[t]
		}
		open[t] = true
		tail := 0.0
		for _, e := range next[t] {
			if open[e.To] {
				continue
			}
			transfer := 0.0
			if p.Bus > 0 {
				transfer = e.Bytes / p.Bus
			}
			tail = max(tail, transfer+visit(e.To))
		}
		open[t], done[t] = false, true
		for _, c := range allowed[t] {
			rank[t] += work(p, t, c) / float64(len(allowed[t]))
		}
		rank[t] += tail
		return rank[t]
	}
	for t := range p.Tasks {
		visit(t)
	}
	return rank
}

// lister is the state of list scheduling.
type lister struct {
	p        *arena.Problem
	u        *units
	cores    []int          // by unit: its core, if it is placed
	loads    []float64      // s, by core
	parts    [][]float64    // by task and core
	edges    [][]arena.Edge // by task; none without a bus
	crossing float64        // bytes per iteration on the bus between placed units
}

func newLister(p *arena.Problem, u *units) *lister {
	l := &lister{p: p, u: u, cores: make([]int, len(u.all)), loads: make([]float64, len(p.Cores)),
		parts: make([][]float64, len(p.Tasks)), edges: make([][]arena.Edge, len(p.Tasks))}
	for t := range p.Tasks {
		l.parts[t] = make([]float64, len(p.Cores))
	}
	if p.Bus > 0 {
		for _, e := range p.Edges {
			if e.From != e.To {
				l.edges[e.From] = append(l.edges[e.From], e)
				l.edges[e.To] = append(l.edges[e.To], e)
			}
		}
	}
	return l
}

// put places unit i on the core with the smallest resulting maximum of core load and bus load, and in a tie on the core
// with the smallest load.
func (l *lister) put(i int) {
	at, minimum, leastLoad := -1, 0.0, 0.0
	for _, c := range l.u.cores(i) {
		load, cost := l.loads[c]+l.u.work(i, c), 0.0
		if cost = load; l.p.Bus > 0 {
			cost = math.Max(load, (l.crossing+l.bytes(i, c))/l.p.Bus)
		}
		if at < 0 || cost < minimum || cost == minimum && load < leastLoad {
			at, minimum, leastLoad = c, cost, load
		}
	}
	l.set(i, at)
}

// bytes returns the additional bytes per iteration on the bus if unit i is on core c.
func (l *lister) bytes(i, c int) float64 {
	x, sum := l.u.all[i], 0.0
	for _, e := range l.edges[x.task] {
		other := l.parts[e.From+e.To-x.task]
		mine := l.parts[x.task][c]
		sum += e.Bytes * (floats.Sum(other)*x.part - min(mine+x.part, other[c]) + min(mine, other[c]))
	}
	return sum
}

// set places unit i on core c, and updates the loads.
func (l *lister) set(i, c int) {
	l.crossing += l.bytes(i, c)
	l.cores[i] = c
	l.loads[c] += l.u.work(i, c)
	l.parts[l.u.all[i].task][c] += l.u.all[i].part
}
