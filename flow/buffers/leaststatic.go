package buffers

import (
	"fmt"

	"xopt/flow"
	"xopt/internal/units"
	"xopt/queueing/sdf"
)

// MinStatic returns, by edge, the sizes with the least total memory at which the static part of an application
// completes an iteration. Elements is 0 for an edge without static counts. The error is an *[sdf.Stuck] if a loop has
// too few initial elements for any sizes. Another error states why there is no iteration.
func MinStatic(app *flow.Application, flows *flow.Flows) ([]Minimum, error) {
	all := make([]Minimum, len(app.Edges))
	g := Counts(app, flows)
	if g == nil {
		return all, nil
	}
	sizes, err := g.MinSizes(sdf.MinOptions{Evals: minEvals})
	if err != nil {
		return all, err
	}
	for c, e := range g.Edge {
		n, bound := sizes.Capacities[c], g.Channels[c].Bound()
		all[e] = Minimum{Elements: float64(n), Alone: float64(bound), AloneWhy: g.whyBound(c, bound)}
		if all[e].Why = all[e].AloneWhy; n > bound {
			all[e].Why, all[e].Shared = g.whyMore(c, sizes.Capacities), true
		}
	}
	return all, nil
}

// minEvals limits the search for the minimum sizes, so that it ends within milliseconds. If the search reaches this
// limit, the sizes may exceed the minimum, but do not cause deadlocks.
const minEvals = 1000

// whyMore returns the reason why a channel exceeds its own lower bound in the solution with the least memory. Other
// solutions may need the same memory.
func (g *StaticGraph) whyMore(c int, capacities []int64) string {
	if stuck := g.stuckWith(c, capacities); stuck != nil {
		return "with a smaller buffer, another edge needs more space: " + stuck.Error()
	}
	return "with a smaller buffer, another edge needs more space"
}

// whyBound returns the reason for a channel's bound. The bound applies for any sizes of the other channels.
func (g *StaticGraph) whyBound(c int, n int64) string {
	ch := &g.Channels[c]
	from, to := g.Actors[ch.From].Name, g.Actors[ch.To].Name
	switch {
	case n == ch.Initial:
		return itsInitial(int(n))
	case n == max(ch.Produced, ch.Consumed) && ch.Consumed >= ch.Produced:
		return fmt.Sprintf("one firing of %s consumes %s of %s", to, units.Elements(ch.Consumed), ch.Name)
	case n == ch.Produced:
		return fmt.Sprintf("one firing of %s sends %s on %s", from, units.Elements(ch.Produced), ch.Name)
	}
	return fmt.Sprintf("one firing of %s sends %s and one firing of %s consumes %s: with a smaller buffer, one of "+
		"these kernels waits forever", from, units.Elements(ch.Produced), to, units.Elements(ch.Consumed))
}

// stuckWith returns the deadlock of an iteration in which a channel has space for one element less, or nil if there is
// no deadlock.
func (g *StaticGraph) stuckWith(c int, capacities []int64) *sdf.Stuck {
	less := append([]int64(nil), capacities...)
	less[c]--
	stuck, err := g.With(less).Play()
	if err != nil {
		return nil
	}
	return stuck
}
