package buffers

import (
	"fmt"

	"xopt/flow"
	"xopt/queueing/sdf"
)

// LeastStatic returns the least sizes with which an iteration of an application's static part
// finishes, by edge: together they take the least memory. Elements is 0 for an edge whose counts
// are not static. The error is an *[sdf.Stuck] where no sizes do, for a loop holds too few initial
// elements, or tells why there is nothing to play.
func LeastStatic(app *flow.Application, flows *flow.Flows) ([]Least, error) {
	all := make([]Least, len(app.Edges))
	g := Counts(app, flows)
	if g == nil {
		return all, nil
	}
	sizes, err := g.Least(sdf.LeastOptions{Evals: leastEvals})
	if err != nil {
		return all, err
	}
	for c, e := range g.Edge {
		n, bound := sizes.Capacities[c], g.Channels[c].Bound()
		all[e] = Least{Elements: float64(n), Alone: float64(bound), AloneWhy: g.whyBound(c, bound)}
		if all[e].Why = all[e].AloneWhy; n > bound {
			all[e].Why, all[e].Shared = g.whyMore(c, sizes.Capacities), true
		}
	}
	return all, nil
}

// leastEvals bounds the search for the least sizes, so that it takes milliseconds; where it is cut
// short the sizes are not the least, but as safe.
const leastEvals = 1000

// whyMore tells why a channel has more than it needs by itself in the choice of least memory: there may
// be others.
func (g *StaticGraph) whyMore(c int, capacities []int64) string {
	if stuck := g.stuckWith(c, capacities); stuck != nil {
		return "with less, another edge needs more: " + stuck.Error()
	}
	return "with less, another edge needs more"
}

// whyBound tells what keeps a channel from being smaller, however large the others are.
func (g *StaticGraph) whyBound(c int, n int64) string {
	ch := &g.Channels[c]
	from, to := g.Actors[ch.From].Name, g.Actors[ch.To].Name
	switch {
	case n == ch.Initial:
		return itsInitial(int(n))
	case n == max(ch.Produced, ch.Consumed) && ch.Consumed >= ch.Produced:
		return fmt.Sprintf("one firing of %s takes %d of %s", to, ch.Consumed, ch.Name)
	case n == ch.Produced:
		return fmt.Sprintf("one firing of %s sends %d on %s", from, ch.Produced, ch.Name)
	}
	return fmt.Sprintf("%s sends %d in a firing and %s takes %d: with less, one of them waits forever", from,
		ch.Produced, to, ch.Consumed)
}

// stuckWith is where an iteration stops with one element less on a channel.
func (g *StaticGraph) stuckWith(c int, capacities []int64) *sdf.Stuck {
	less := append([]int64(nil), capacities...)
	less[c]--
	stuck, err := g.With(less).Play()
	if err != nil {
		return nil
	}
	return stuck
}
