package cutbound

import (
	"context"
	"math/rand/v2"
	"testing"
)

// drawPrices draws prices for which some clusters have positive worth.
func drawPrices(rng *rand.Rand, p *Problem) (*Prices, *costs) {
	w := &Prices{Sets: make([]int64, len(p.Sets)), Units: make([]int64, p.Units), Max: make([]int64, len(p.Kinds))}
	for s := range w.Sets {
		w.Sets[s] = rng.Int64N(1 << weightBits / p.Sets[s].Links)
	}
	for u := range w.Units {
		w.Units[u] = toPrice(rng.Float64() - 0.2)
	}
	c := p.costs(w.Sets, One)
	if p.crosses() {
		w.Cross = make([][]int64, len(p.Edges))
		for e := range w.Cross {
			for range p.Kinds {
				w.Cross[e] = append(w.Cross[e], int64((rng.Float64()-0.5)*float64(c.across[e])))
			}
		}
	}
	return w, c
}

// worth returns the worth of a cluster, computed unit by unit and edge by edge.
func worth(p *Problem, w *Prices, c *costs, kind int, in []bool) int64 {
	sum := int64(0)
	for u, is := range in {
		if is {
			sum += 2 * w.Units[u]
		}
	}
	for e, edge := range p.Edges {
		if in[edge.A] == in[edge.B] {
			continue
		}
		if sum -= c.cut[e]; w.Cross != nil {
			if in[edge.A] {
				sum -= 2 * w.Cross[e][kind]
			} else {
				sum += 2 * w.Cross[e][kind]
			}
		}
	}
	return sum
}

// drawFixes draws decisions on units that are together, separate, or on a kind.
func drawFixes(rng *rand.Rand, p *Problem) (fixes []Fix) {
	for range rng.IntN(3) {
		on := rng.IntN(2) == 0
		switch rng.IntN(3) {
		case 0:
			fixes = append(fixes, Fix{Edge: onPair, Unit: 0, Other: 1 + rng.IntN(p.Units-1), On: on})
		case 1:
			fixes = append(fixes, Fix{Edge: onKind, Unit: rng.IntN(p.Units), Kind: rng.IntN(len(p.Kinds)), On: on})
		default:
			if len(p.Edges) > 0 {
				fixes = append(fixes, Fix{Edge: rng.IntN(len(p.Edges)), On: on})
			}
		}
	}
	return fixes
}

// maxWorth returns the largest worth of all clusters of a kind, by enumeration; far below 0 if there are none.
func maxWorth(p *Problem, w *Prices, c *costs, kind int, fixes []Fix) int64 {
	best := int64(-1 << 62)
	for mask := 1; mask < 1<<p.Units; mask++ {
		in, cluster := make([]bool, p.Units), Cluster{Kind: kind}
		for u := range p.Units {
			if mask>>u&1 == 1 {
				in[u] = true
				cluster.Units = append(cluster.Units, u)
			}
		}
		if p.fits(&cluster, One) && cluster.keeps(p, fixes) {
			best = max(best, worth(p, w, c, kind, in))
		}
	}
	return best
}

// TestPricer compares the exact and heuristic searches for clusters with an enumeration.
func TestPricer(t *testing.T) {
	searched, better := 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := draw(rng)
		fixes := drawFixes(rng, p)
		x := newPart(p, fixes)
		if x.closed {
			continue
		}
		w, c := drawPrices(rng, p)
		for kind := range p.Kinds {
			best := maxWorth(p, w, c, kind, fixes)
			r := newPricer(x, kind, One)
			if r == nil {
				if best > -1<<62 {
					t.Fatalf("seed %d, kind %d: nothing is said to fit, and a cluster does", seed, kind)
				}
				continue
			}
			// is reports whether the groups are a valid cluster with the stated worth.
			is := func(v valued) bool {
				cluster, in := Cluster{kind, r.units(v.groups)}, make([]bool, p.Units)
				for _, u := range cluster.Units {
					in[u] = true
				}
				return p.fits(&cluster, One) && cluster.keeps(p, fixes) && worth(p, w, c, kind, in) == v.worth
			}
			r.set(w, c)
			above := int64(0) // worth of an empty resource
			if rng.IntN(2) == 0 {
				above = max(0, best-1)
			}
			found, proven := r.search(context.Background(), above, 1_000_000)
			searched++
			if len(found) == 0 && best > above {
				t.Fatalf("seed %d, kind %d: nothing is worth more than %d, and %d is", seed, kind, above, best)
			}
			if len(found) > 0 {
				better++
				last := found[len(found)-1]
				if !is(last) || last.worth > best || proven && last.worth < best {
					t.Fatalf("seed %d, kind %d: the best is worth %d, not %d, as %v is said to be", seed, kind, best,
						last.worth, last.groups)
				}
			}
			for g := range x.units {
				if v, ok := r.grow(g, seed%2 == 0); ok && !is(v) {
					t.Fatalf("seed %d, kind %d: %v was grown, and is no cluster of that worth", seed, kind, v.groups)
				}
			}
		}
	}
	if searched < 1000 || better < searched/4 {
		t.Errorf("%d searched, %d found: the test has lost its power", searched, better)
	}
}
