package cutbound

import (
	"cmp"
	"context"
	"math"
	"slices"

	"xopt/mapper/simplex"
)

// visited is the result of bounding one part.
type visited struct {
	outcome  outcome
	prices   *Prices   // prices that exclude the part
	parts    [][]Fix   // subparts of a divided part
	value    float64   // lower bound on the part's load, from the known clusters
	clusters []Cluster // new clusters
	point    []Cluster // division of all units that meets the target in the loads that the problem models
	work     uint64    // used work
}

// The limits for one part: nodes of a pricer's search, total work, and clusters per round.
const (
	pricerNodes  = 20_000
	visitWork    = 1_500_000_000
	growClusters = 40 // clusters of one round
)

// bounder computes the cluster bound of a part.
type bounder struct {
	s        *Search
	m        *master
	x        *part
	fixes    []Fix
	target   int64
	complete bool
	pricer   []*pricer // by kind; nil if no group fits its resources
	seen     map[string]bool
	out      visited
}

// bound searches for prices that exclude a part. If there are none, or the work limit is reached, it divides the part.
// If complete is set, bound does not divide the part at the work limit.
func (s *Search) bound(ctx context.Context, target int64, fixes []Fix, complete bool) visited {
	b := &bounder{s: s, x: newPart(s.p, fixes), fixes: fixes, target: target, complete: complete}
	if b.x.closed || b.nowhere() {
		b.out.outcome, b.out.prices = excluded, &Prices{}
		return b.out
	}
	b.m = s.newMaster(target, slices.Clip(s.pool), func(i int) bool { return b.usable(&b.m.pool[i].Cluster) })
	b.seen = make(map[string]bool, len(s.pool))
	for i := range s.pool {
		b.seen[s.pool[i].key()] = true
	}
	for c := range s.p.Kinds {
		b.pricer = append(b.pricer, newPricer(b.x, c, target))
	}
	b.out.outcome = b.run(ctx)
	b.out.work += b.m.lp.Work
	for _, r := range b.pricer {
		if r != nil {
			b.out.work += r.flow.work
		}
	}
	return b.out
}

func (b *bounder) nowhere() bool {
	p := b.s.p
	for g, units := range b.x.units {
		some := false
		for c := range p.Kinds {
			some = some || b.x.may[g][c] && p.fits(&Cluster{c, units}, b.target)
		}
		if !some {
			return true
		}
	}
	return false
}

func (c *Cluster) key() string {
	key := []byte{byte(c.Kind)}
	for _, u := range c.Units {
		key = append(key, byte(u))
	}
	return string(key)
}

// usable reports whether a cluster may occur in the part.
func (b *bounder) usable(c *Cluster) bool {
	return b.s.p.fits(c, b.target) && c.keeps(b.s.p, b.fixes)
}

// run alternates between proposing prices, and searching for clusters that are worth more than these prices permit.
func (b *bounder) run(ctx context.Context) outcome {
	for {
		switch b.m.solve(ctx) {
		case simplex.Above:
			b.out.value = b.m.prices.value
			return b.divide(ctx)
		case simplex.Unfinished:
			if ctx.Err() != nil {
				return stopped
			}
			return unclear
		}
		b.out.value = b.m.prices.value
		prices, costs, ok := b.m.roundPrices()
		if !ok {
			return b.divide(ctx)
		}
		if b.grown(prices, costs) {
			continue
		}
		switch b.exactly(ctx, prices, costs) {
		case excluded:
			b.out.prices = prices
			return excluded
		case stopped:
			return stopped
		case unclear:
			return b.unclear(ctx)
		}
		if b.worked() > visitWork {
			return b.unclear(ctx)
		}
	}
}

// unclear divides a part without a clear outcome, because its subparts may be easier.
func (b *bounder) unclear(ctx context.Context) outcome {
	if b.complete {
		return unclear
	}
	if stop := b.divide(ctx); stop != hopeless {
		return stop
	}
	b.out.point = nil // the part contains no mapping: its value is above the target
	return unclear
}

func (b *bounder) worked() uint64 {
	sum := b.m.lp.Work
	for _, r := range b.pricer {
		if r != nil {
			sum += r.flow.work
		}
	}
	return sum
}

// grown adds clusters of the heuristic grow that are worth more than M. It reports whether it added any.
func (b *bounder) grown(prices *Prices, costs *costs) bool {
	type candidate struct {
		c      Cluster
		excess int64
	}
	var list []candidate
	for k, r := range b.pricer {
		if r == nil {
			continue
		}
		r.set(prices, costs)
		for g := range b.x.units {
			for _, byNeed := range []bool{false, true} {
				if v, ok := r.grow(g, byNeed); ok && v.worth > prices.Max[k] {
					list = append(list, candidate{Cluster{k, r.units(v.groups)}, v.worth - prices.Max[k]})
				}
			}
		}
		r.flow.work += uint64(40 * len(b.x.units) * len(b.x.units))
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.excess, a.excess) })
	n := 0
	for _, x := range list {
		if n < growClusters && b.addCluster(x.c) {
			n++
		}
	}
	return n > 0
}

// exactly searches for the most valuable cluster of each kind. It returns excluded if no cluster is worth more than M,
// and divided if it added clusters.
func (b *bounder) exactly(ctx context.Context, prices *Prices, costs *costs) outcome {
	n, sure := 0, true
	for k, r := range b.pricer {
		if r == nil {
			continue
		}
		r.set(prices, costs)
		r.until = r.flow.work + visitWork - min(visitWork, b.worked())
		found, proven := r.search(ctx, prices.Max[k], pricerNodes)
		if ctx.Err() != nil {
			return stopped
		}
		sure = sure && proven && len(found) == 0
		for _, v := range found {
			if b.addCluster(Cluster{k, r.units(v.groups)}) {
				n++
			}
		}
	}
	switch {
	case n > 0:
		return divided
	case !sure: // the pricer gave up, or a known cluster exceeds M because of rounding
		return unclear
	}
	return excluded
}

// addCluster adds a cluster to the pool. It returns false if the pool already contains it.
func (b *bounder) addCluster(c Cluster) bool {
	key := c.key()
	if b.seen[key] {
		return false
	}
	b.seen[key] = true
	b.out.clusters = append(b.out.clusters, c)
	b.m.pool = append(b.m.pool, b.s.pooled(c))
	b.m.add(len(b.m.pool) - 1)
	return true
}

// pooled returns a cluster with the loads of its cut edges on each set of links.
func (s *Search) pooled(c Cluster) pooled {
	x := pooled{Cluster: c}
	in := make([]bool, s.p.Units)
	for i := range s.p.Sets {
		x.leaves = append(x.leaves, load(s.p.leaving(&c, in, i)))
	}
	return x
}

// divide divides the part by the decision that raises the bounds of both subparts most.
func (b *bounder) divide(ctx context.Context) outcome {
	shares := b.m.shares()
	list := b.candidates(shares)
	if len(list) == 0 {
		if b.out.point = b.point(shares); b.out.point == nil {
			return unclear
		}
		return hopeless
	}
	best, maximum := 0, -1.0
	for i, f := range list {
		if len(list) == 1 {
			break
		}
		score := b.rise(ctx, f) * b.rise(ctx, f.other())
		if ctx.Err() != nil {
			return stopped
		}
		if score > maximum {
			best, maximum = i, score
		}
	}
	for _, f := range []Fix{list[best].other(), list[best]} {
		b.out.parts = append(b.out.parts, append(slices.Clip(b.fixes), f))
	}
	return divided
}

// rise returns the bound of the subpart that a decision defines, from the known clusters.
func (b *bounder) rise(ctx context.Context, f Fix) float64 {
	fix := []Fix{f}
	m := b.s.newMaster(b.target, b.m.pool, func(i int) bool {
		return b.m.may(i) && b.m.pool[i].keeps(b.s.p, fix)
	})
	outcome := m.solve(ctx)
	b.out.work += m.lp.Work
	if outcome == simplex.Above { // the bound of the part has not increased
		return 1e-4
	}
	return math.Max(1e-4, m.prices.slack())
}

// candidates returns the decisions whose values are closest to 1/2.
func (b *bounder) candidates(shares []share) []Fix {
	p := b.s.p
	together := make([]float64, p.Units*p.Units)
	on := make([]float64, p.Units*len(p.Kinds))
	for _, x := range shares {
		for _, u := range x.Units {
			on[p.in(u, x.Kind)] += x.part
			for _, v := range x.Units {
				together[u*p.Units+v] += x.part
			}
		}
	}
	var edges, units, pairs []candidate
	joined := make(map[[2]int]bool)
	for e, edge := range p.Edges {
		x := together[edge.A*p.Units+edge.B]
		joined[[2]int{edge.A, edge.B}], joined[[2]int{edge.B, edge.A}] = true, true
		if f := math.Min(x, 1-x); f > fractional {
			cost := 0.0
			for s := range p.Sets {
				cost = math.Max(cost, load(p.Sets[s].Any[e])/float64(p.Sets[s].Links))
			}
			edges = append(edges, candidate{Fix{Edge: e, On: true}, f * (cost + 1e-3)})
		}
	}
	for u := range p.Units {
		for c := range p.Kinds {
			x := on[p.in(u, c)]
			if f := math.Min(x, 1-x); f > fractional {
				units = append(units, candidate{Fix{Edge: onKind, Unit: u, Kind: c, On: true}, f})
				break
			}
		}
	}
	for u := range p.Units {
		for v := range u {
			x := together[u*p.Units+v]
			if f := math.Min(x, 1-x); f > fractional && !joined[[2]int{u, v}] {
				pairs = append(pairs, candidate{Fix{Edge: onPair, Unit: v, Other: u, On: true}, f})
			}
		}
	}
	if len(edges)+len(units) > 0 {
		pairs = nil
	}
	var list []Fix
	for _, of := range [][]candidate{edges, units, pairs} {
		of = slices.DeleteFunc(of, func(c candidate) bool { // omit earlier decisions, which rounding may suggest again
			return slices.Contains(b.fixes, c.fix) || slices.Contains(b.fixes, c.fix.other())
		})
		slices.SortStableFunc(of, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
		for _, c := range of[:min(len(of), candidates)] {
			list = append(list, c.fix)
		}
	}
	return list
}

// point returns the division of all units that integral shares define; nil if a share is fractional.
func (b *bounder) point(shares []share) []Cluster {
	p := b.s.p
	kept := make([]bool, p.Units)
	used := make([]int64, len(p.Kinds))
	var list []Cluster
	for _, x := range shares {
		if x.part < 0.5 {
			continue
		}
		for _, u := range x.Units {
			if kept[u] {
				return nil
			}
			kept[u] = true
		}
		used[x.Kind]++
		list = append(list, Cluster{x.Kind, slices.Clone(x.Units)})
	}
	for c, n := range used {
		if n > p.Kinds[c].Many {
			return nil
		}
	}
	if slices.Contains(kept, false) {
		return nil
	}
	return list
}
