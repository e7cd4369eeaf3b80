package mapper

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"xopt/flow"
	"xopt/mapper/faults"
)

// State is the complete state of a search, as plain data for encoding/json. A search that resumes from a State has the
// same result as a search without interruption.
type State struct {
	Method  string         `json:"method"`
	Seed    uint64         `json:"seed"`
	Threads int            `json:"threads"`
	Top     int            `json:"top"`
	Runs    int            `json:"runs"`  // number of runs
	Evals   uint64         `json:"evals"` // number of scored mappings and visited partial mappings, in all runs
	Elapsed time.Duration  `json:"elapsed"`
	Found   []StateMapping `json:"found"` // mappings that Chains refers to by index
	Chains  []StateChain   `json:"chains"`
}

// StateMapping is the plain data of a Candidate.
type StateMapping struct {
	Place      []int   `json:"place"`
	Route      [][]int `json:"route"`
	Throughput exact   `json:"throughput"`
	Value      exact   `json:"value"`
	Resources  int     `json:"resources"`
	Traffic    exact   `json:"traffic"`
	Measures   []exact `json:"measures"`
	Values     []exact `json:"values,omitempty"`
}

// StateChain is the plain data of a chain's snapshot.
type StateChain struct {
	Random    []byte       `json:"random"`
	Evals     uint64       `json:"evals"`
	Nodes     uint64       `json:"nodes"`
	Best      exact        `json:"best"`
	Value     exact        `json:"value"`
	Fastest   exact        `json:"fastest"`
	Latency   exact        `json:"latency,omitempty"` // lowest latency of the scored mappings, s
	Buffer    exact        `json:"buffer,omitempty"`  // minimum of the largest buffer, bytes
	PublishAt uint64       `json:"publishAt"`
	Rounds    []int        `json:"rounds"` // indices of the published mappings; -1 for none yet
	First     int          `json:"first"`  // number of the first published round
	Board     []int        `json:"board"`
	Front     []int        `json:"front"`
	Changes   int          `json:"changes"` // number of insertions into the front
	Place     []int        `json:"place"`
	Choice    []int        `json:"choice"`
	Weight    []exact      `json:"weight"`
	Ideal     []exact      `json:"ideal"`
	History   []StatePoint `json:"history"`
	Course    course       `json:"course"`
}

// StatePoint is the plain data of a Point.
type StatePoint struct {
	Evals      uint64        `json:"evals"`
	Elapsed    time.Duration `json:"elapsed"`
	Throughput exact         `json:"throughput"`
	Value      exact         `json:"value"`
}

// checkpoint combines the latest snapshots of all chains. It returns nil if a chain has no snapshot yet.
func (r *runner) checkpoint() *State {
	o := &r.options
	state := &State{Method: o.Method.String(), Seed: o.Seed, Threads: o.Threads, Top: o.Top, Runs: 1,
		Elapsed: time.Since(r.start)}
	if o.Resume != nil {
		state.Runs += o.Resume.Runs
		state.Elapsed += o.Resume.Elapsed
	}
	number := make(map[*flow.Mapping]int)
	add := func(list []Candidate) []int {
		var at []int
		for i := range list {
			c := &list[i]
			n, ok := number[c.Mapping]
			if !ok {
				n = len(state.Found)
				number[c.Mapping] = n
				state.Found = append(state.Found, c.Kept())
			}
			at = append(at, n)
		}
		return at
	}
	minimum := math.MaxInt
	for i := range r.kept {
		k := &r.kept[i]
		k.mu.Lock()
		if !k.done {
			k.mu.Unlock()
			return nil
		}
		random, err := k.pcg.MarshalBinary()
		if err != nil {
			k.mu.Unlock()
			return nil // cannot happen: the generator always has a binary form
		}
		c := StateChain{Random: random, Evals: k.tally.evals, Nodes: k.tally.nodes, Best: exact(k.tally.best),
			Value: exact(k.tally.value), Fastest: exact(k.nearest.fastest),
			Latency: exact(k.nearest.latency), Buffer: exact(k.nearest.buffer),
			PublishAt: k.publishAt, Board: add(k.best), Front: add(k.front), Changes: k.changes,
			Weight: exacts(k.weight), Ideal: exacts(k.ideal)}
		for _, at := range k.place {
			c.Place = append(c.Place, int(at))
		}
		for _, choice := range k.choice {
			c.Choice = append(c.Choice, int(choice))
		}
		for _, p := range k.tally.history {
			c.History = append(c.History, StatePoint{p.Evals, p.Elapsed, exact(p.Throughput), exact(p.Value)})
		}
		k.course.copyTo(&c.Course)
		rounds, first := r.exchange.window(i, k.rounds)
		c.First = first
		for _, x := range rounds {
			at := -1
			if x != nil {
				at = add([]Candidate{*x})[0]
			}
			c.Rounds = append(c.Rounds, at)
		}
		minimum = min(minimum, k.rounds)
		state.Evals += k.work
		k.mu.Unlock()
		state.Chains = append(state.Chains, c)
	}
	r.exchange.forget(minimum - keptRounds)
	return state
}

// Kept converts a candidate to plain data for a State.
func (c *Candidate) Kept() StateMapping {
	return StateMapping{Place: c.Mapping.Place, Route: c.Mapping.Route, Throughput: exact(c.Throughput),
		Value: exact(c.Value), Resources: c.Resources, Traffic: exact(c.Traffic), Measures: c.Measures.list(),
		Values: exacts(c.values)}
}

// keptRounds is the number of rounds before the last common round that the exchange retains. No chain reads older
// rounds.
const keptRounds = 4

// list returns all measures as numbers, in the order of the struct's fields.
func (m *Measures) list() []exact {
	var list []exact
	for v, i := reflect.ValueOf(*m), 0; i < v.NumField(); i++ {
		if f := v.Field(i); f.CanFloat() {
			list = append(list, exact(f.Float()))
		} else {
			list = append(list, exact(f.Int()))
		}
	}
	return list
}

// measuresOf is the inverse of list. ok is false if the length is wrong.
func measuresOf(list []exact) (m Measures, ok bool) {
	v := reflect.ValueOf(&m).Elem()
	if len(list) != v.NumField() {
		return m, false
	}
	for i, x := range list {
		if f := v.Field(i); f.CanFloat() {
			f.SetFloat(float64(x))
		} else {
			f.SetInt(int64(x))
		}
	}
	return m, true
}

// StateError reports a state from which a search cannot resume.
type StateError struct{ Err error }

func (e *StateError) Error() string { return e.Err.Error() }

func (e *StateError) Unwrap() error { return e.Err }

func (e *StateError) Is(target error) bool { return target == flow.ErrInvalid }

// damaged returns the error for a state that is not from a search of this problem.
func damaged(what string) error {
	return &StateError{faults.DamagedState.Errorf("the saved state of the search is damaged: %s", what)}
}

func (r *runner) resume(chains []*chain) error {
	s, o := r.options.Resume, &r.options
	if s == nil {
		return nil
	}
	if s.Method != o.Method.String() || s.Seed != o.Seed || s.Threads != o.Threads || s.Top != o.Top ||
		len(s.Chains) != len(chains) {
		return &StateError{faults.OtherState.Errorf("the saved state belongs to another search: method %s, seed %d, "+
			"%d threads, %d best mappings (this search: method %s, seed %d, %d threads, %d best mappings)",
			s.Method, s.Seed, s.Threads, s.Top, o.Method, o.Seed, o.Threads, o.Top)}
	}
	found := make([]*Candidate, len(s.Found))
	for i := range s.Found {
		c, err := r.candidate(&s.Found[i], chains[0])
		if err != nil {
			return err
		}
		found[i] = c
	}
	for i, c := range chains {
		if err := c.resume(&s.Chains[i], found, r.exchange); err != nil {
			return err
		}
	}
	return nil
}

// candidate validates a mapping from a state, because the file of the state may have been modified.
func (r *runner) candidate(m *StateMapping, c *chain) (*Candidate, error) {
	x := Candidate{Mapping: &flow.Mapping{Place: m.Place, Route: m.Route}, Throughput: float64(m.Throughput),
		Value: float64(m.Value), Resources: m.Resources, Traffic: float64(m.Traffic), values: plainFloats(m.Values)}
	var ok bool
	if x.Measures, ok = measuresOf(m.Measures); !ok || !r.space.has(x.Mapping) || len(x.values) != 0 &&
		len(x.values) != len(r.options.Goal.Objectives) {
		return nil, damaged("a mapping does not belong to this problem")
	}
	if err := c.set(x.Mapping); err != nil {
		return nil, damaged(err.Error())
	}
	if got := c.scorer.Throughput(); !(math.Abs(got-x.Throughput) <= 1e-9*got) || math.IsInf(got, 0) {
		return nil, damaged(fmt.Sprintf("the recorded throughput of a mapping is %.6g B/s, but the model "+
			"computes %.6g B/s", x.Throughput, got))
	}
	x.key = keyOf(r.space, c.scorer.Place(), c.scorer.Route)
	return &x, nil
}

func (c *chain) resume(s *StateChain, found []*Candidate, x *exchange) error {
	pick := func(at []int) (list []Candidate, ok bool) {
		for _, n := range at {
			if n < 0 || n >= len(found) {
				return nil, false
			}
			list = append(list, *found[n])
		}
		return list, true
	}
	var ok, ok2 bool
	c.pool.best, ok = pick(s.Board)
	c.pool.front.list, ok2 = pick(s.Front)
	if !ok || !ok2 || len(s.Choice) != len(c.routed) || len(s.Weight) != len(c.scalar.weight) ||
		len(s.Ideal) != len(c.scalar.ideal) || !c.fitsCourse(&s.Course) {
		return damaged(fmt.Sprintf("the data of chain %d are inconsistent", c.number))
	}
	c.pool.front.changes = s.Changes
	if err := c.pcg.UnmarshalBinary(s.Random); err != nil {
		return damaged(err.Error())
	}
	m := &flow.Mapping{Place: s.Place}
	if !c.has(m) {
		return damaged("a placement does not belong to this problem")
	}
	if err := c.set(m); err != nil {
		return damaged(err.Error())
	}
	for i, e := range c.routed {
		if s.Choice[i] < 0 || s.Choice[i] > 0 && s.Choice[i] >= c.scorer.Alternatives(e) {
			return damaged("an edge uses a route that does not exist")
		}
		c.scorer.Reroute(e, s.Choice[i])
	}
	c.scorer.Commit()
	t := &c.tally
	t.evals, t.nodes, t.best, t.value, t.next = s.Evals, s.Nodes, float64(s.Best), float64(s.Value), 0
	for _, p := range s.History {
		t.history = append(t.history, Point{p.Evals, p.Elapsed, float64(p.Throughput), float64(p.Value)})
		t.shared.offer(float64(p.Throughput), float64(p.Value))
	}
	c.nearest = nearest{float64(s.Fastest), float64(s.Latency), float64(s.Buffer)}
	c.publishAt = s.PublishAt
	copy(c.scalar.weight, plainFloats(s.Weight))
	copy(c.scalar.ideal, plainFloats(s.Ideal))
	s.Course.copyTo(&c.course)
	if c.proof != nil && !c.proof.resume(s.Course.Proof) {
		return damaged("a proof does not belong to this problem")
	}
	p := &x.chains[c.number]
	p.first = s.First
	for _, n := range s.Rounds {
		switch {
		case n >= len(found) || n < -1:
			return damaged(fmt.Sprintf("the data of chain %d are inconsistent", c.number))
		case n < 0:
			p.rounds = append(p.rounds, nil)
		default:
			p.rounds = append(p.rounds, found[n])
		}
	}
	return nil
}

// fitsCourse reports whether a course fits this problem.
func (c *chain) fitsCourse(p *course) bool {
	unit := func(at []int) bool {
		if len(at) != len(c.units) {
			return false
		}
		for u, r := range at {
			if r < 0 || r >= len(c.class) || !c.isIn[u][r] {
				return false
			}
		}
		return true
	}
	return (len(p.Placement) == 0 || unit(p.Placement)) && p.Unit >= 0 && p.Moves >= 0 &&
		p.Epoch >= 0 && p.Restarts >= 0 && p.Descents >= 0 &&
		p.Stage <= stageProve && (p.Stage != stageProve || c.proof != nil)
}

// has reports whether a mapping belongs to the space.
func (s *space) has(m *flow.Mapping) bool {
	if len(m.Place) != len(s.unitOf) {
		return false
	}
	for u, kernels := range s.units {
		r := m.Place[kernels[0]]
		if r < 0 || r >= len(s.class) || !s.isIn[u][r] {
			return false
		}
		if slices.ContainsFunc(kernels, func(k int) bool { return m.Place[k] != r }) ||
			slices.ContainsFunc(s.separateUnits[u], func(v int) bool { return m.Place[s.units[v][0]] == r }) {
			return false
		}
	}
	for e, route := range m.Route {
		if e >= len(s.problem.Application.Edges) {
			return false
		}
		edge := &s.problem.Application.Edges[e]
		if len(route) > 0 && !slices.ContainsFunc(s.routes.Between(m.Place[edge.From], m.Place[edge.To]),
			func(r []int) bool { return slices.Equal(r, route) }) {
			return false
		}
	}
	return true
}
