package buffers

import (
	"iter"
	"math/bits"
	"slices"

	"xopt/flow"
)

// ancestors contains, for each kernel, a row of bits for the kernel itself and all kernels from which it receives data.
type ancestors struct {
	words int
	rows  []uint64
}

// maxAncestors is the largest number of kernels for which the sizing computes ancestors. The bits of that many kernels
// occupy 128 MiB. For more kernels, the sizing assumes that any two streams that meet outside a join may have a common
// origin.
const maxAncestors = 1 << 15

// tooManyForAncestors reports whether an application is too large to compute the ancestors of its kernels.
func tooManyForAncestors(app *flow.Application) bool { return len(app.Kernels) > maxAncestors }

// ancestorsOf propagates ancestors along the edges of an application in data order until no row changes. Each feedback
// edge of a cycle may require another pass.
func ancestorsOf(app *flow.Application) *ancestors {
	n := len(app.Kernels)
	a := &ancestors{words: (n + 63) / 64}
	a.rows = make([]uint64, n*a.words)
	for k := range n {
		a.row(k)[k>>6] |= 1 << (k & 63)
	}
	from := edgesFrom(app)
	order := dataOrder(app, from)
	for changed := true; changed; {
		changed = false
		for _, k := range order {
			for _, e := range from[k] {
				changed = a.merge(app.Edges[e].To, k) || changed
			}
		}
	}
	return a
}

// dataOrder returns the kernels in topological order, ignoring the feedback edges of cycles.
func dataOrder(app *flow.Application, from [][]int) []int {
	order, seen, next := make([]int, 0, len(from)), make([]bool, len(from)), make([]int, len(from))
	for first := range from {
		if seen[first] {
			continue
		}
		seen[first] = true
		for path := []int{first}; len(path) > 0; {
			k := path[len(path)-1]
			if next[k] == len(from[k]) {
				order, path = append(order, k), path[:len(path)-1]
				continue
			}
			to := app.Edges[from[k][next[k]]].To
			if next[k]++; !seen[to] {
				seen[to] = true
				path = append(path, to)
			}
		}
	}
	slices.Reverse(order)
	return order
}

func (a *ancestors) row(k int) []uint64 { return a.rows[k*a.words : (k+1)*a.words] }

// merge adds the ancestors of another kernel to the row of kernel k, and reports whether the row changed.
func (a *ancestors) merge(k, other int) bool {
	row, lacked := a.row(k), false
	for w, x := range a.row(other) {
		lacked = lacked || x&^row[w] != 0
		row[w] |= x
	}
	return lacked
}

// has reports whether the kernel other is k or an ancestor of k.
func (a *ancestors) has(k, other int) bool {
	return a.rows[k*a.words+other>>6]>>(other&63)&1 != 0
}

// union returns the union of the ancestors of the writers of some edges.
func (a *ancestors) union(app *flow.Application, edges []int) []uint64 {
	all := make([]uint64, a.words)
	for _, e := range edges {
		for w, x := range a.row(app.Edges[e].From) {
			all[w] |= x
		}
	}
	return all
}

// shares reports whether row contains kernel k or an ancestor of k.
func (a *ancestors) shares(k int, row []uint64) bool {
	for w, x := range a.row(k) {
		if x&row[w] != 0 {
			return true
		}
	}
	return false
}

// common yields the common ancestors of two kernels, in ascending order.
func (a *ancestors) common(one, other int) iter.Seq[int] {
	return func(yield func(int) bool) {
		b := a.row(other)
		for w, x := range a.row(one) {
			for x &= b[w]; x != 0; x &= x - 1 {
				if !yield(w<<6 + bits.TrailingZeros64(x)) {
					return
				}
			}
		}
	}
}

// edgesFrom returns the edges that leave each kernel.
func edgesFrom(app *flow.Application) [][]int {
	list := make([][]int, len(app.Kernels))
	for e := range app.Edges {
		list[app.Edges[e].From] = append(list[app.Edges[e].From], e)
	}
	return list
}

// edgesTo returns the edges that end in each kernel.
func edgesTo(app *flow.Application) [][]int {
	list := make([][]int, len(app.Kernels))
	for e := range app.Edges {
		list[app.Edges[e].To] = append(list[app.Edges[e].To], e)
	}
	return list
}
