package sdf

import (
	"fmt"
	"math"
)

// expansion is the homogeneous graph of the firings of one iteration. If a firing waits for several firings of an
// actor, the expansion contains only the wait for the last of these firings. The earlier firings have ended by then,
// because all firings of an actor take the same time.
type expansion struct {
	g     *Graph
	q     []int64
	first []int   // index of the first firing of each actor, and at the end the number of firings
	actor []int32 // actor of each firing
	rules [][]rule
	// The waits of firing i are arcs[of[i]:of[i+1]]. The rule of the n-th wait is rules[actor[i]][n].
	of   []int
	arcs []arc
}

// rule is a dependence that applies to every firing of an actor.
type rule struct {
	actor              int   // actor for which the firing waits
	produced, consumed int64 // tokens per firing of this actor, and per firing of the waiting actor
	initial            int64 // initial tokens or space
	channel            int   // -1 for the actor's own earlier firings
	full               bool  // space on the channel, not tokens
	none               bool  // no wait, because the channel is unlimited
}

// arc leads from a firing to the firing for which it waits. to is the index of that firing, which is delay iterations
// earlier. to is -1 if the firing does not wait.
type arc struct {
	to    int32
	delay int64
}

// maxTime limits the sum of the times of all firings in an iteration.
const maxTime = math.MaxInt64 / 4

func newExpansion(g *Graph, q []int64) (*expansion, error) {
	x := &expansion{g: g, q: q, first: make([]int, len(g.Actors)+1), rules: make([][]rule, len(g.Actors))}
	total, time := int64(0), int64(0)
	for a, n := range q {
		x.first[a] = int(total)
		if total += n; total > MaxFirings {
			return nil, fmt.Errorf("%w: actor %s fires %d times, and the limit for all actors is %d", ErrTooLarge,
				g.Actors[a].Name, n, MaxFirings)
		}
		if t := g.Actors[a].Time; t > 0 && n > (maxTime-time)/t {
			return nil, fmt.Errorf("%w: the sum of the times exceeds 63 bits", ErrTooLarge)
		}
		time += n * g.Actors[a].Time
	}
	x.first[len(q)] = int(total)
	for a := range g.Actors {
		if n := g.Actors[a].Concurrent; n > 0 {
			x.rules[a] = append(x.rules[a], rule{actor: a, produced: 1, consumed: 1, initial: n, channel: -1})
		}
	}
	for i := range g.Channels {
		c := &g.Channels[i]
		x.rules[c.To] = append(x.rules[c.To], rule{actor: c.From, produced: c.Produced, consumed: c.Consumed,
			initial: c.Initial, channel: i})
		x.rules[c.From] = append(x.rules[c.From], rule{actor: c.To, produced: c.Consumed, consumed: c.Produced,
			channel: i, full: true})
	}
	x.actor = make([]int32, total)
	x.of = make([]int, total+1)
	arcs := 0
	for a := range g.Actors {
		for i := x.first[a]; i < x.first[a+1]; i++ {
			x.actor[i] = int32(a)
			x.of[i] = arcs
			arcs += len(x.rules[a])
		}
	}
	x.of[total] = arcs
	x.arcs = make([]arc, arcs)
	x.setAll(func(*rule) bool { return true })
	return x, nil
}

// bound sets the capacities of the channels; 0 means unlimited.
func (x *expansion) bound(sizes []int64) {
	for a := range x.rules {
		for n := range x.rules[a] {
			if r := &x.rules[a][n]; r.full {
				r.none = sizes[r.channel] == 0
				r.initial = sizes[r.channel] - x.g.Channels[r.channel].Initial
			}
		}
	}
	x.setAll(func(r *rule) bool { return r.full })
}

// setAll computes the waits of all firings for the rules that the function which selects.
func (x *expansion) setAll(which func(*rule) bool) {
	for a := range x.rules {
		for n := range x.rules[a] {
			r := &x.rules[a][n]
			if !which(r) {
				continue
			}
			for i := x.first[a]; i < x.first[a+1]; i++ {
				x.arcs[x.of[i]+n] = x.wait(r, int64(i-x.first[a]))
			}
		}
	}
}

// wait returns the wait of firing j of an actor by a rule. The firing waits for the firing that completes the inputs of
// the actor's firings up to j.
func (x *expansion) wait(r *rule, j int64) arc {
	if r.none {
		return arc{to: -1}
	}
	last := r.needs(j) - 1
	delay := -floorDiv(last, x.q[r.actor])
	return arc{to: int32(x.first[r.actor] + int(last+delay*x.q[r.actor])), delay: delay}
}

// needs returns the number of firings that must end before firing j starts. Zero and negative numbers refer to earlier
// iterations.
func (r *rule) needs(j int64) int64 { return -floorDiv(r.initial-r.consumed*(j+1), r.produced) }

// floorDiv returns ⌊a/b⌋ for b > 0.
func floorDiv(a, b int64) int64 {
	d := a / b
	if a%b < 0 {
		d--
	}
	return d
}

// rings reports whether every firing waits for an earlier firing of its own actor. If so, every firing leads to a cycle
// of waits.
func (x *expansion) rings() bool {
	for a := range x.g.Actors {
		if x.g.Actors[a].Concurrent == 0 {
			return false
		}
	}
	return true
}

// waitForNoCycle reports, for each firing, whether no chain of waits leads from the firing to a cycle.
func (x *expansion) waitForNoCycle() []bool {
	n := len(x.actor)
	waits := make([]int32, n)     // number of firings for which each firing waits
	waiting := make([][]int32, n) // firings that wait for each firing
	none := make([]bool, n)
	var free []int32
	for i := range n {
		for _, a := range x.arcs[x.of[i]:x.of[i+1]] {
			if a.to >= 0 {
				waits[i]++
				waiting[a.to] = append(waiting[a.to], int32(i))
			}
		}
		if waits[i] == 0 {
			free = append(free, int32(i))
		}
	}
	for k := 0; k < len(free); k++ {
		none[free[k]] = true
		for _, i := range waiting[free[k]] {
			if waits[i]--; waits[i] == 0 {
				free = append(free, i)
			}
		}
	}
	return none
}
