package mapper

import (
	"slices"
	"sync"
	"time"

	"xopt/flow"
)

// State is what a search has found so far: enough to go on from.
type State struct {
	Generation uint64        // how often the search was resumed
	Evals      uint64        // mappings scored, by all runs
	Elapsed    time.Duration // in all runs
	Mappings   []*flow.Mapping
}

// chainState is what one chain has found, as it was lately.
type chainState struct {
	mu    sync.Mutex
	best  []Candidate
	front []Candidate
}

// keepState notes what the chain has found.
func (c *chain) keepState() {
	if c.state == nil {
		return
	}
	c.state.mu.Lock()
	defer c.state.mu.Unlock()
	c.state.best = append(c.state.best[:0], c.board.best...)
	c.state.front = append(c.state.front[:0], c.board.front.list...)
}

// checkpoint puts together what all chains have found lately.
func (r *runner) checkpoint() *State {
	all := newBoard(r.space, r.flows, &r.options.Goal, r.options.Top)
	for i := range r.states {
		s := &r.states[i]
		s.mu.Lock()
		best, front := slices.Clone(s.best), slices.Clone(s.front)
		s.mu.Unlock()
		all.merge(best, front)
	}
	state := &State{Generation: 1, Evals: r.counters.evals.Load(), Elapsed: time.Since(r.start)}
	if o := r.options.Resume; o != nil {
		state.Generation += o.Generation
		state.Evals += o.Evals
		state.Elapsed += o.Elapsed
	}
	for _, list := range [][]Candidate{all.best, all.front.list} {
		for i := range list {
			state.Mappings = append(state.Mappings, list[i].Mapping)
		}
	}
	return state
}

// resume scores the mappings of a state. It may be of another machine's run: each is checked
// as any mapping is.
func (c *chain) resume(s *State) error {
	if s == nil {
		return nil
	}
	for _, m := range s.Mappings {
		if !c.has(m) {
			continue
		}
		if err := c.set(m); err != nil {
			return err
		}
		c.score()
	}
	return nil
}

// has tells whether a mapping is one of the space.
func (s *space) has(m *flow.Mapping) bool {
	if len(m.Place) != len(s.unitOf) {
		return false
	}
	for u, kernels := range s.units {
		r := m.Place[kernels[0]]
		if r < 0 || r >= len(s.class) || !s.isIn[u][r] {
			return false
		}
		for _, k := range kernels {
			if m.Place[k] != r {
				return false
			}
		}
		for _, v := range s.apart[u] {
			if m.Place[s.units[v][0]] == r {
				return false
			}
		}
	}
	for e, route := range m.Route {
		if e >= len(s.problem.Application.Edges) {
			return false
		}
		edge := &s.problem.Application.Edges[e]
		if len(route) > 0 && !slices.ContainsFunc(s.routes.Between(m.Place[edge.From], m.Place[edge.To]), func(r []int) bool { return slices.Equal(r, route) }) {
			return false
		}
	}
	return true
}
