package mapper

import (
	"math"

	"xopt/flow"
)

// partial contains the loads of resources and links in a partial mapping of branch and bound, for one free source.
type partial struct {
	t     *tree
	works flow.LoadCoefficients
	relax *relaxation
	scale float64   // factor of the source's loads
	rest  []float64 // by position in the tree's order: total price of this and all later units

	sum, max, shared, edgeEnds []float64 // by resource
	count                      []float64 // kernels by resource
	used                       []flow.Area
	link, linkMax, crossed     []float64 // by link: total, largest edge, number of edges
	journal                    []changed
}

// changed is a journal entry: a modified number and its old value.
type changed struct {
	at  *float64
	old float64
}

func newPartial(t *tree, works flow.LoadCoefficients, relax *relaxation, scale float64) *partial {
	n, links := len(t.class), len(t.problem.Architecture.Links)
	return &partial{t: t, works: works, relax: relax, scale: scale, rest: make([]float64, len(t.space.units)+1),
		sum: make([]float64, n), max: make([]float64, n), shared: make([]float64, n), edgeEnds: make([]float64, n),
		count: make([]float64, n), used: make([]flow.Area, n),
		link: make([]float64, links), linkMax: make([]float64, links), crossed: make([]float64, links)}
}

// load returns a lower bound on the load of a resource.
func (p *partial) load(r int) float64 {
	switch p.t.problem.Architecture.Resources[r].Sharing.Rule {
	case flow.Conserving:
		return p.inTime(r)
	case flow.Equal:
		return p.max[r] * p.count[r]
	}
	return p.max[r]
}

// inTime returns the load of a resource with work-conserving time sharing.
func (p *partial) inTime(r int) float64 {
	l := p.sum[r] + p.edgeEnds[r]
	if p.count[r] > 1 {
		l += p.shared[r]
	}
	return l
}

// alone returns the load of a kernel on a resource that does not share time, or shares it equally.
func (p *partial) alone(k, r int) float64 {
	load, _ := p.works.Kernel(k, r)
	if p.t.problem.Architecture.Resources[r].Sharing.Rule == flow.Equal {
		load *= p.count[r]
	}
	return load * p.scale
}

// dual returns the relaxation's bound on completions of the partial mapping. In the tree's order, the units from
// position next on are not placed yet.
func (p *partial) dual(next int) float64 {
	t := p.t
	if t.time == 0 {
		return 0
	}
	sum := p.rest[next] - t.spare
	for r, c := range p.relax.of {
		switch {
		case t.units[r] == 0:
		case !p.relax.timed[c]:
			sum += weigh(&p.relax.price[c], &p.used[r])
			continue
		case t.problem.Architecture.Resources[r].Sharing.Rule == flow.Conserving:
			sum += p.relax.time[c] * p.inTime(r)
		default: // valid because n times the largest load is at least the sum
			sum += p.relax.time[c] * p.sum[r]
		}
		if p.relax.timed[c] {
			sum += p.relax.price[c][0] * float64(t.units[r])
		}
	}
	return sum / t.time
}

// linkLoad returns the load of a link.
func (p *partial) linkLoad(l int) float64 {
	if p.t.problem.Architecture.Links[l].Sharing.Rule == flow.Equal {
		return p.linkMax[l] * p.crossed[l]
	}
	return p.link[l]
}

// linksBelow reports whether the loads of all links, and of the resources to which edges add load, are below maximum.
func (p *partial) linksBelow(maximum float64) bool {
	for l := range p.link {
		if p.linkLoad(l) >= maximum {
			return false
		}
	}
	for r := range p.edgeEnds { // crossings also load the resources of other units
		if p.t.units[r] > 0 && p.load(r) >= maximum {
			return false
		}
	}
	return true
}

func (p *partial) set(at *float64, v float64) {
	p.journal = append(p.journal, changed{at, *at})
	*at = v
}

// put adds the loads of a unit on a resource. It reports whether the unit's area fits and its edges have routes. revert
// reverts put.
func (p *partial) put(u, r int) bool {
	t := p.t
	fits := true
	for _, k := range t.space.units[u] {
		alone, shared := p.works.Kernel(k, r)
		alone, shared = alone*p.scale, shared*p.scale
		p.set(&p.sum[r], p.sum[r]+alone)
		p.set(&p.max[r], math.Max(p.max[r], alone))
		p.set(&p.shared[r], p.shared[r]+shared)
		p.set(&p.count[r], p.count[r]+1)
		if t.problem.Architecture.Resources[r].Sharing.Rule == flow.AreaOnly {
			for kind, a := range &t.problem.Figures[k][r].Area {
				p.set(&p.used[r][kind], p.used[r][kind]+a)
				fits = fits && p.used[r][kind] <= t.problem.Architecture.Resources[r].Area[kind]*(1+sameLoad)
			}
		}
	}
	for _, k := range t.space.units[u] {
		for _, e := range t.incident[k] {
			fits = p.join(e, k, r) && fits
		}
	}
	return fits
}

// join adds the load of an edge of a placed kernel, if the kernel at its other end is on another resource. It returns
// false if there is no route.
func (p *partial) join(e, k, r int) bool {
	t := p.t
	edge := &t.problem.Application.Edges[e]
	other := edge.To
	if other == k {
		other = edge.From
	}
	q := t.at[t.unitOf[other]]
	if q < 0 || q == r {
		return true
	}
	p.set(&p.edgeEnds[r], p.edgeEnds[r]+p.works.EdgeLoad(e, k, r)*p.scale)
	p.set(&p.edgeEnds[q], p.edgeEnds[q]+p.works.EdgeLoad(e, other, q)*p.scale)
	ways := t.routes.Between(t.at[t.unitOf[edge.From]], t.at[t.unitOf[edge.To]])
	if len(ways) == 1 { // if there are several routes, the choice is still open
		p.cross(e, ways[0])
	}
	return len(ways) > 0
}

// cross adds the load of an edge to the links of a route, and to the cores at their ends.
func (p *partial) cross(e int, links []int) {
	if p.t.carries { // the same for all sources, because their journals must have the same length
		edge := &p.t.problem.Application.Edges[e]
		from, to := p.t.at[p.t.unitOf[edge.From]], p.t.at[p.t.unitOf[edge.To]]
		sends, receives := p.works.Carrying(e, links, from, to)
		p.set(&p.edgeEnds[from], p.edgeEnds[from]+sends*p.scale)
		p.set(&p.edgeEnds[to], p.edgeEnds[to]+receives*p.scale)
	}
	for _, l := range links {
		w := p.works.Link(e, l) * p.scale
		p.set(&p.link[l], p.link[l]+w)
		p.set(&p.linkMax[l], math.Max(p.linkMax[l], w))
		p.set(&p.crossed[l], p.crossed[l]+1)
	}
}

// revert reverts all changes since a mark.
func (p *partial) revert(mark int) {
	for i := len(p.journal) - 1; i >= mark; i-- {
		*p.journal[i].at = p.journal[i].old
	}
	p.journal = p.journal[:mark]
}
