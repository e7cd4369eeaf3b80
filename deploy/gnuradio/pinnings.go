package gnuradio

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// groups assigns the blocks of a flattened graph to the blocks of the .grc file, whose affinity a user can set.
type groups struct {
	names  []string
	of     []int // group of each block
	shares []float64
	order  []int // groups from the sources to the sinks
}

func newGroups(blocks []Block, edges []Edge, load Load) *groups {
	g := &groups{of: make([]int, len(blocks))}
	at, number := make(map[string]int), make(map[string]int)
	for i := range blocks {
		name := blocks[i].Group()
		if _, ok := at[name]; !ok {
			at[name] = len(g.names)
			g.names, g.shares = append(g.names, name), append(g.shares, 0)
		}
		g.of[i] = at[name]
		number[blocks[i].UID] = i
		g.shares[g.of[i]] += load.Shares[i]
	}
	g.order = g.topological(edges, number)
	return g
}

// topological returns the groups in the order of their distance from the sources. Groups in a cycle, which
// hierarchical blocks can form, keep their order.
func (g *groups) topological(edges []Edge, number map[string]int) []int {
	depth := make([]int, len(g.names))
	for range g.names {
		for _, e := range edges {
			from, to := g.of[number[e.From]], g.of[number[e.To]]
			if from != to && depth[to] <= depth[from] && depth[from] < len(g.names) {
				depth[to] = depth[from] + 1
			}
		}
	}
	order := make([]int, len(g.names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(depth[a], depth[b]) })
	return order
}

// candidates returns the pinnings to try. Each contains the processor of every group. The pinnings are the most even
// one, the most even one that keeps neighbors together, and one with the busiest group alone.
func (g *groups) candidates(processors int) [][]int {
	if processors < 2 || len(g.names) < 2 {
		return nil
	}
	var list [][]int
	for _, p := range [][]int{g.neighbors(processors), g.even(processors), g.alone(processors)} {
		p = canonical(p)
		if !slices.ContainsFunc(list, func(q []int) bool { return slices.Equal(p, q) }) {
			list = append(list, p)
		}
	}
	return list
}

// even assigns the groups by the longest-processing-time rule (Graham 1969), then improves the result by moves and
// exchanges.
func (g *groups) even(processors int) []int {
	at := make([]int, len(g.names))
	sums := make([]float64, processors)
	order := slices.Clone(g.order)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g.shares[b], g.shares[a]) })
	for _, k := range order {
		p := idlest(sums)
		at[k] = p
		sums[p] += g.shares[k]
	}
	for improved := true; improved; {
		improved = false
		for a := range at {
			for b := range at {
				improved = g.exchange(at, sums, a, b) || improved
			}
		}
	}
	return at
}

// exchange swaps the processors of two groups if this lowers the larger of the two sums. It reports whether it did.
func (g *groups) exchange(at []int, sums []float64, a, b int) bool {
	x, y, d := at[a], at[b], g.shares[a]-g.shares[b]
	if x == y || max(sums[x]-d, sums[y]+d) > max(sums[x], sums[y])-1e-9 {
		return false
	}
	at[a], at[b] = y, x
	sums[x], sums[y] = sums[x]-d, sums[y]+d
	return true
}

func idlest(sums []float64) int {
	at := 0
	for i, s := range sums {
		if s < sums[at] {
			at = i
		}
	}
	return at
}

// neighbors divides the groups, in the order of the flow, into one part per processor. It minimizes the largest part by
// dynamic programming.
func (g *groups) neighbors(processors int) []int {
	n := len(g.order)
	sum := make([]float64, n+1)
	for i, k := range g.order {
		sum[i+1] = sum[i] + g.shares[k]
	}
	best := make([][]float64, processors+1) // by number of parts and of groups
	cut := make([][]int, processors+1)
	for p := range best {
		best[p], cut[p] = make([]float64, n+1), make([]int, n+1)
		for i := range best[p] {
			best[p][i] = math.Inf(1)
			for j := 0; p > 0 && j <= i; j++ {
				if m := max(best[p-1][j], sum[i]-sum[j]); m < best[p][i] {
					best[p][i], cut[p][i] = m, j
				}
			}
		}
		best[p][0] = 0
	}
	at := make([]int, n)
	for p, i := processors, n; p > 0; p-- {
		for j := cut[p][i]; j < i; j++ {
			at[g.order[j]] = p - 1
		}
		i = cut[p][i]
	}
	return at
}

// alone assigns the busiest group to a separate processor.
func (g *groups) alone(processors int) []int {
	busiest := 0
	for k := range g.shares {
		if g.shares[k] > g.shares[busiest] {
			busiest = k
		}
	}
	rest := &groups{names: g.names, shares: slices.Clone(g.shares), order: g.order}
	rest.shares[busiest] = 0
	at := rest.even(processors - 1)
	at[busiest] = processors - 1
	return at
}

// canonical renumbers the processors in the order of their first use.
func canonical(at []int) []int {
	number := make(map[int]int)
	list := make([]int, len(at))
	for i, p := range at {
		if _, ok := number[p]; !ok {
			number[p] = len(number)
		}
		list[i] = number[p]
	}
	return list
}

// trials returns the pinnings as trials.
func (g *groups) trials(cpus []int) []Trial {
	var list []Trial
	for i, at := range g.candidates(len(cpus)) {
		t := Trial{Name: fmt.Sprintf("pin%d", i+1), Affinity: make(map[string][]int)}
		for k, name := range g.names {
			t.Affinity[name] = []int{cpus[at[k]]}
		}
		list = append(list, t)
	}
	return list
}

// variantOf converts a trial to the blocks of the flattened graph.
func variantOf(t *Trial, blocks []Block) variant {
	v := variant{Affinity: make(map[string][]int)}
	for i := range blocks {
		if cpus, ok := t.Affinity[blocks[i].Group()]; ok {
			v.Affinity[blocks[i].UID] = cpus
		}
	}
	return v
}
