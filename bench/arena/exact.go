package arena

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"xopt/queueing/sdf"
)

// errNotExact reports that a graph is too large for the exact analysis.
var errNotExact = errors.New("too many firings for an exact analysis")

// period returns the period of an iteration, in s, with unlimited cores of the fastest kind of the machine for each
// task. It returns 0 if no cycle limits the period. Firings of a stateful task do not overlap. If the graph is too
// large for an exact analysis, period returns a lower bound: the largest work of a stateful task.
func (g *graph) period(m *machine, unit float64) (float64, error) {
	if g.fastest(m) { // all such machines have the same period
		if g.own == 0 {
			var err error
			if g.own, err = g.analyze(m, unit); err != nil {
				return 0, err
			}
		}
		return g.own, nil
	}
	return g.analyze(m, unit)
}

// analyze is like period, but without the cache.
func (g *graph) analyze(m *machine, unit float64) (float64, error) {
	x, err := g.expand(m)
	if errors.Is(err, errNotExact) {
		bound := 0.0
		for t := range g.entry.Tasks {
			if !g.replicable(t) {
				bound = max(bound, g.fast(t, m).sum(g.entry.Tasks[t].firings())*unit)
			}
		}
		return bound, nil
	}
	if err != nil {
		return 0, err
	}
	p, _, err := x.Throughput()
	if err != nil {
		return 0, fmt.Errorf("analyzing the cycles: %w", err)
	}
	return float64(p.Time) / float64(p.Iterations) * unit / perTick, nil
}

// perTick is the number of ticks of the analysis per unit of time. The analysis requires integer times, and the scales
// of cores are multiples of 1/4.
const perTick = 4

// fast returns the times of the firings of a task on the fastest kind of core of a machine, in units of the set.
func (g *graph) fast(t int, m *machine) phases {
	best, minimum := phases{0}, math.Inf(1)
	for _, k := range m.kinds {
		p, ok := g.entry.Tasks[t].times()[k.of]
		if !ok || k.largest && !g.isLarge(t, k.of) {
			continue
		}
		if total := p.sum(g.entry.Tasks[t].firings()) * k.scale; total < minimum {
			minimum, best = total, make(phases, len(p))
			for i := range p {
				best[i] = p[i] * k.scale
			}
		}
	}
	return best
}

// expand returns a graph with an actor for each firing of an iteration (Bilsen et al., Cycle-Static Dataflow, 1996).
// Each firing waits for the firings that produce the tokens that it consumes.
func (g *graph) expand(m *machine) (*sdf.Graph, error) {
	x, first, total := &sdf.Graph{}, make([]int, len(g.entry.Tasks)), int64(0)
	for t := range g.entry.Tasks {
		task := &g.entry.Tasks[t]
		n, times := task.firings(), g.fast(t, m)
		if total += n; total > sdf.MaxFirings {
			return nil, errNotExact
		}
		first[t] = len(x.Actors)
		for i := range n {
			ticks := times.at(i) * perTick
			if ticks != math.Trunc(ticks) {
				return nil, fmt.Errorf("task %s has a time of %g units, expected a multiple of a quarter", task.Name,
					times.at(i))
			}
			x.Actors = append(x.Actors, sdf.Actor{Time: int64(ticks)})
			if !g.replicable(t) {
				x.Channels = append(x.Channels, sdf.Channel{From: first[t] + int(i), To: first[t] + int((i+1)%n),
					Produced: 1, Consumed: 1, Initial: (i + 1) / n})
			}
		}
	}
	for i := range g.entry.Edges {
		e := &g.entry.Edges[i]
		from, to := g.index[e.From], g.index[e.To]
		a, b := counts(e.Out, g.entry.Tasks[from].firings()), counts(e.In, g.entry.Tasks[to].firings())
		produced, consumed := a[len(a)-1], b[len(b)-1]
		if produced != consumed {
			return nil, fmt.Errorf("edge %s -> %s: an iteration produces %d tokens, but consumes %d tokens (check the "+
				"tokens and repetitions in the file of the set)", e.From, e.To, produced, consumed)
		}
		addWaits(x, a, b, e.Initial, [2]int{first[from], first[to]})
	}
	return x, nil
}

// counts returns the total number of tokens at the end of each firing of an iteration.
func counts(rates phases, n int64) []int64 {
	list := make([]int64, n)
	total := int64(0)
	for i := range n {
		total += int64(rates.at(i))
		list[i] = total
	}
	return list
}

// addWaits adds a channel from each firing of a writer to each firing of a reader that consumes its tokens. a and b are
// the total tokens that the writer produces and the reader consumes up to the end of each firing. first contains the
// first actors of the writer and the reader.
func addWaits(x *sdf.Graph, a, b []int64, initial int64, first [2]int) {
	n := a[len(a)-1]
	since := int64(0)
	for j, until := range b {
		for token := since - initial; token < until-initial; {
			before := (n - 1 - token) / n // number of earlier iterations
			if token >= 0 {
				before = 0
			}
			at := token + before*n               // index of the token in the iteration of its writer
			i, _ := slices.BinarySearch(a, at+1) // the first firing after which the token exists
			x.Channels = append(x.Channels, sdf.Channel{From: first[0] + i, To: first[1] + j, Produced: 1, Consumed: 1,
				Initial: before})
			token += a[i] - at
		}
		since = until
	}
}
