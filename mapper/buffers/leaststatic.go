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
		n := sizes.Capacities[c]
		all[e] = Least{Elements: float64(n), Why: g.whyLeast(c, sizes.Capacities),
			Shared: n > g.Channels[c].Bound()}
	}
	return all, nil
}

// leastEvals bounds the search for the least sizes, so that it takes milliseconds; where it is cut
// short the sizes are not the least, but as safe.
const leastEvals = 1000

// whyLeast tells what keeps a channel from being smaller.
func (g *StaticGraph) whyLeast(c int, capacities []int64) string {
	ch := &g.Channels[c]
	from, to := g.Actors[ch.From].Name, g.Actors[ch.To].Name
	switch n := capacities[c]; {
	case n == ch.Initial:
		return fmt.Sprintf("its %d initial elements", n)
	case n > ch.Bound():
		if stuck := g.stuckWith(c, capacities); stuck != nil {
			return "with less an iteration stops: " + stuck.Error()
		}
		return "with less an iteration stops"
	case n == max(ch.Produced, ch.Consumed) && ch.Consumed >= ch.Produced:
		return fmt.Sprintf("one firing of %s takes %d of %s", to, ch.Consumed, ch.Name)
	case n == ch.Produced:
		return fmt.Sprintf("one firing of %s sends %d on %s", from, ch.Produced, ch.Name)
	}
	return fmt.Sprintf("%s sends %d in a firing and %s takes %d: with less one of them waits for ever", from,
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
