package mapper

import (
	"cmp"
	"slices"

	"xopt/flow"
	"xopt/mapper/cutbound"
)

// leaving bounds the load of links in all completions of a partial mapping. Every unplaced unit either goes to the
// resource to which most of its edges lead, or these edges load links. If the units with most edges to a core exceed
// its target load, some of them must leave the core. The bound chooses the parts of units that add the least link load
// (the linear relaxation of a knapsack problem). It ignores the load that these parts add to other resources.
type leaving struct {
	links float64 // number of links of the set
	near  [][]neighbor
	// Reused by each call.
	attached []float64 // by resource
	touched  []int
	excess   []float64 // by resource: load that must leave
	list     []candidate
}

// neighbor is a unit that shares an edge with a given unit. load is the minimum total load of all links if the two
// units are on different resources.
type neighbor struct {
	unit int
	load float64
}

// candidate is an unplaced unit that may leave a core.
type candidate struct {
	core       int
	work, cost float64 // load of the core, and additional load of links if the unit leaves
}

// newLeaving returns the bound of a problem; nil if no edge loads a link. unit is the load that corresponds to
// cutbound.One.
func newLeaving(p *cutbound.Problem, unit float64, resources int) *leaving {
	set := p.MainSet()
	if set == nil {
		return nil
	}
	l := &leaving{links: float64(set.Links), near: make([][]neighbor, p.Units), attached: make([]float64, resources),
		excess: make([]float64, resources)}
	for e, edge := range p.Edges {
		if load := float64(set.Any[e]) / cutbound.One * unit; load > 0 {
			l.near[edge.A] = append(l.near[edge.A], neighbor{edge.B, load})
			l.near[edge.B] = append(l.near[edge.B], neighbor{edge.A, load})
		}
	}
	return l
}

// below returns false if every completion of the tree's partial mapping has a load of at least maximum.
func (l *leaving) below(t *tree, maximum float64) bool {
	link := l.crossing(t)
	if link >= l.links*maximum {
		return false
	}
	for r := range l.excess {
		l.excess[r] = t.sources[0].load(r) - maximum
	}
	for _, x := range l.list {
		l.excess[x.core] += x.work
	}
	slices.SortFunc(l.list, func(a, b candidate) int { return cmp.Compare(a.cost*b.work, b.cost*a.work) })
	for _, x := range l.list {
		if out := min(x.work, l.excess[x.core]); out > 0 {
			l.excess[x.core] -= out
			link += x.cost * out / x.work
		}
	}
	return link < l.links*maximum
}

// crossing returns a lower bound on the total load of links if no unit leaves its core. It also sets the list of units
// that may leave.
func (l *leaving) crossing(t *tree) float64 {
	link := 0.0
	l.list = l.list[:0]
	for u, near := range l.near {
		if r := t.at[u]; r >= 0 {
			for _, n := range near {
				if q := t.at[n.unit]; n.unit < u && q >= 0 && q != r {
					link += n.load
				}
			}
			continue
		}
		l.touched = l.touched[:0]
		for _, n := range near {
			if q := t.at[n.unit]; q >= 0 {
				if l.attached[q] == 0 {
					l.touched = append(l.touched, q)
				}
				l.attached[q] += n.load
				link += n.load
			}
		}
		core, first, second := -1, 0.0, 0.0
		for _, q := range l.touched {
			switch load := l.attached[q]; {
			case !t.isIn[u][q]:
			case load > first:
				core, first, second = q, load, first
			default:
				second = max(second, load)
			}
			l.attached[q] = 0
		}
		link -= first
		if core >= 0 && t.problem.Architecture.Resources[core].Sharing.Rule == flow.Conserving {
			l.list = append(l.list, candidate{core, t.relax.work[u][t.relax.of[core]], first - second})
		}
	}
	return link
}
