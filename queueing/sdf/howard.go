package sdf

import (
	"fmt"

	"xopt/queueing/int128"
)

// howard computes for every firing the largest ratio of time to delays over all cycles for which the firing waits,
// directly or indirectly. It also finds a cycle with the largest ratio in the graph. The method is policy iteration for
// several chains (Cochet-Terrasson et al. 1998). A policy chooses one wait for every firing. In each round, howard
// evaluates the cycles of the policy, and replaces waits by waits that delay a firing longer. The iteration ends when
// there are no such waits. All numbers are integers, so the ratio is exact.
type howard struct {
	x      *expansion
	policy []int    // the arc that each firing follows; -1 for a firing that waits for no cycle
	ratio  []Period // ratio of the cycle to which the policy leads
	// value is the start time of each firing under the policy, relative to firings with the same ratio. It is in units
	// of time, multiplied by Iterations of the ratio.
	value []int128.Int
	mark  []int32 // the last walk that reached each firing
	walk  int32
	path  []int32
}

func newHoward(x *expansion) *howard {
	n := len(x.actor)
	h := &howard{x: x, policy: make([]int, n), ratio: make([]Period, n), value: make([]int128.Int, n),
		mark: make([]int32, n)}
	for i := range h.policy {
		h.policy[i] = -1
	}
	return h
}

// solve returns the largest ratio, and a firing of a cycle with this ratio, or -1 if there is no cycle. It subtracts
// the number of visited firings from work. The error wraps [ErrTooLarge] if work falls below 0.
func (h *howard) solve(work *int64) (Period, int, error) {
	h.start()
	for {
		if *work -= int64(len(h.policy)); *work < 0 {
			return Period{}, -1, fmt.Errorf("finding the critical cycle of an iteration: %w", ErrTooLarge)
		}
		h.evaluate()
		if !h.improve() {
			break
		}
	}
	best := -1
	for i := range h.policy {
		if h.policy[i] >= 0 && (best < 0 || h.ratio[i].slower(h.ratio[best])) {
			best = i
		}
	}
	if best < 0 {
		return Period{Iterations: 1}, -1, nil
	}
	h.walk++
	for h.mark[best] != h.walk {
		h.mark[best] = h.walk
		best = h.next(best)
	}
	return h.ratio[best], best, nil
}

func (h *howard) next(i int) int { return int(h.x.arcs[h.policy[i]].to) }

// start chooses the initial policy: the previous policy, or the first wait of each firing. Firings that lead to no
// cycle have no wait in the policy.
func (h *howard) start() {
	x := h.x
	onCycle := func(int32) bool { return true }
	if !x.rings() {
		left := x.waitForNoCycle()
		onCycle = func(i int32) bool { return !left[i] }
	}
	for i := range h.policy {
		if p := h.policy[i]; p >= 0 && x.arcs[p].to >= 0 && onCycle(x.arcs[p].to) {
			continue
		}
		h.policy[i] = -1
		for p := x.of[i]; p < x.of[i+1]; p++ {
			if x.arcs[p].to >= 0 && onCycle(x.arcs[p].to) {
				h.policy[i] = p
				break
			}
		}
	}
}

// evaluate computes the ratio and value of every firing under the policy.
func (h *howard) evaluate() {
	first := h.walk + 1 // first walk of this evaluation
	for i := range h.policy {
		if h.policy[i] < 0 || h.mark[i] >= first {
			continue
		}
		h.walk++
		h.path = h.path[:0]
		at := i
		for h.mark[at] < first {
			h.mark[at] = h.walk
			h.path = append(h.path, int32(at))
			at = h.next(at)
		}
		if h.mark[at] == h.walk {
			h.closeCycle(at)
		}
		for k := len(h.path) - 1; k >= 0; k-- {
			if u := int(h.path[k]); u != at {
				h.ratio[u] = h.ratio[h.next(u)]
				h.value[u] = h.through(h.policy[u], h.ratio[u])
			}
		}
	}
}

// closeCycle evaluates the cycle that a walk has closed at a firing.
func (h *howard) closeCycle(at int) {
	time, delays := int64(0), int64(0)
	for u := at; ; {
		a := h.x.arcs[h.policy[u]]
		time += h.x.g.Actors[h.x.actor[a.to]].Time
		delays += a.delay
		if u = int(a.to); u == at {
			break
		}
	}
	r := period(time, delays)
	if h.ratio[at] != r {
		h.ratio[at], h.value[at] = r, int128.Int{}
	}
}

// through returns the value of a firing that follows an arc, under a ratio.
func (h *howard) through(p int, r Period) int128.Int {
	a := h.x.arcs[p]
	time := h.x.g.Actors[h.x.actor[a.to]].Time
	return h.value[a.to].Plus(int128.Product(time, r.Iterations)).Minus(int128.Product(a.delay, r.Time))
}

// improve chooses for every firing a wait with a larger ratio. If no firing has such a wait, it chooses waits with a
// larger value. It reports whether it changed any wait. A change takes effect immediately for later firings. Values
// only grow, so no cycle with a smaller ratio appears.
func (h *howard) improve() bool {
	x, found := h.x, false
	for i := range h.policy {
		if h.policy[i] < 0 {
			continue
		}
		best := h.ratio[i]
		for p := x.of[i]; p < x.of[i+1]; p++ {
			if to := x.arcs[p].to; to >= 0 && h.policy[to] >= 0 && h.ratio[to].slower(best) {
				best, h.policy[i], found = h.ratio[to], p, true
			}
		}
		h.ratio[i] = best
	}
	if found {
		return true
	}
	for i := range h.policy {
		if h.policy[i] < 0 {
			continue
		}
		best := h.value[i]
		for p := x.of[i]; p < x.of[i+1]; p++ {
			to := x.arcs[p].to
			if to < 0 || h.policy[to] < 0 || p == h.policy[i] || h.ratio[to] != h.ratio[i] {
				continue
			}
			if v := h.through(p, h.ratio[i]); best.Less(v) {
				best, h.policy[i], found = v, p, true
			}
		}
		h.value[i] = best
	}
	return found
}
