package mapper

import (
	"math"

	"xopt/flow"
)

// load is what a resource has so far, at least.
func (t *tree) load(r int) float64 {
	switch t.problem.Architecture.Resources[r].Sharing.Rule {
	case flow.Conserving:
		l := t.sum[r] + t.ends[r]
		if t.count[r] > 1 {
			l += t.shared[r]
		}
		return l
	case flow.Equal:
		return t.most[r] * t.count[r]
	}
	return t.most[r]
}

// dual is the relaxation's bound with what has been placed.
func (t *tree) dual(next int) float64 {
	if t.time == 0 {
		return 0
	}
	sum := t.rest[next] - t.spare
	for r, c := range t.relax.of {
		switch {
		case t.units[r] == 0:
		case !t.relax.timed[c]:
			sum += weigh(&t.relax.price[c], &t.used[r])
			continue
		case t.problem.Architecture.Resources[r].Sharing.Rule == flow.Conserving:
			sum += t.relax.time[c] * t.load(r)
		default: // n times the greatest is the sum at least
			sum += t.relax.time[c] * t.sum[r]
		}
		if t.relax.timed[c] {
			sum += t.relax.price[c][0] * float64(t.units[r])
		}
	}
	return sum / t.time
}

func (t *tree) clashes(u, r int) bool {
	for _, v := range t.apart[u] {
		if t.at[v] == r {
			return true
		}
	}
	return false
}

func (t *tree) linksBelow() bool {
	for l := range t.link {
		load := t.link[l]
		if t.problem.Architecture.Links[l].Sharing.Rule == flow.Equal {
			load = t.linkMost[l] * t.crossed[l]
		}
		if load >= t.target*(1-sameLoad) {
			return false
		}
	}
	for r := range t.ends { // ends may have been added elsewhere
		if t.units[r] > 0 && t.load(r) >= t.target*(1-sameLoad) {
			return false
		}
	}
	return true
}

func (t *tree) set(at *float64, v float64) {
	t.journal = append(t.journal, changed{at, *at})
	*at = v
}

// put places a unit; it returns whether that can be: its area fits, and its edges have a
// way. What it changes take takes back.
func (t *tree) put(u, r int) bool {
	t.at[u] = r
	t.units[r]++
	fits := true
	for _, k := range t.space.units[u] {
		alone, shared := t.works.Kernel(k, r)
		t.set(&t.sum[r], t.sum[r]+alone)
		t.set(&t.most[r], math.Max(t.most[r], alone))
		t.set(&t.shared[r], t.shared[r]+shared)
		t.set(&t.count[r], t.count[r]+1)
		if t.problem.Architecture.Resources[r].Sharing.Rule == flow.AreaOnly {
			for kind, a := range &t.problem.Figures[k][r].Area {
				t.set(&t.used[r][kind], t.used[r][kind]+a)
				fits = fits && t.used[r][kind] <= t.problem.Architecture.Resources[r].Area[kind]*(1+sameLoad)
			}
		}
	}
	for _, k := range t.space.units[u] {
		for _, e := range t.incident[k] {
			edge := &t.problem.Application.Edges[e]
			other := edge.To
			if other == k {
				other = edge.From
			}
			q := t.at[t.unitOf[other]]
			if q < 0 || q == r {
				continue
			}
			t.set(&t.ends[r], t.ends[r]+t.works.End(e, k, r))
			t.set(&t.ends[q], t.ends[q]+t.works.End(e, other, q))
			ways := t.routes.Between(t.at[t.unitOf[edge.From]], t.at[t.unitOf[edge.To]])
			if len(ways) == 0 {
				fits = false
			}
			if len(ways) == 1 { // of several, any may be taken
				from, to := t.at[t.unitOf[edge.From]], t.at[t.unitOf[edge.To]]
				sends, receives := t.works.Carrying(e, ways[0], from, to)
				t.set(&t.ends[from], t.ends[from]+sends)
				t.set(&t.ends[to], t.ends[to]+receives)
				for _, l := range ways[0] {
					w := t.works.Link(e, l)
					t.set(&t.link[l], t.link[l]+w)
					t.set(&t.linkMost[l], math.Max(t.linkMost[l], w))
					t.set(&t.crossed[l], t.crossed[l]+1)
				}
			}
		}
	}
	return fits
}

// take takes a unit back, with all that has been overwritten since the mark.
func (t *tree) take(u, r, mark int) {
	for i := len(t.journal) - 1; i >= mark; i-- {
		*t.journal[i].at = t.journal[i].old
	}
	t.journal = t.journal[:mark]
	t.units[r]--
	t.at[u] = -1
}
