package sdf

// Hop is a step of a cycle: a firing of Actor waits for tokens on Channel, or where Full for room
// on it; where Channel is -1, for an earlier firing of itself.
type Hop struct {
	Actor   int
	Channel int
	Full    bool
	raise   int64 // by which a capacity must grow for the firing to wait for an earlier one
}

// Throughput returns the throughput of self-timed execution with the graph's capacities, and a
// cycle of waits that allows no more; nil where there is none. Parts that are not connected in a
// cycle go as fast as the slowest that they wait for; the throughput is that of the slowest. The
// error is a *[Stuck] where an iteration cannot finish, else that of [Graph.Play].
func (g *Graph) Throughput() (Period, []Hop, error) {
	s, err := newSolver(g)
	if err != nil {
		return Period{}, nil, err
	}
	return s.solve(g.Capacities())
}

// solver finds the throughput of one graph with many capacities.
type solver struct {
	p *player
	x *expansion
	h *howard
	// work is left of what may be done, in firings that are looked at.
	work int64
}

// DefaultWork bounds the work of an exact analysis: how many firings are looked at, over and over. Work
// and not time is bounded, so that the answer is the same on every machine; it is some ten seconds.
const DefaultWork = 1 << 29

func newSolver(g *Graph) (*solver, error) {
	q, err := g.Repetition()
	if err != nil {
		return nil, err
	}
	x, err := newExpansion(g, q)
	if err != nil {
		return nil, err
	}
	return &solver{p: newPlayer(g, q), x: x, h: newHoward(x), work: DefaultWork}, nil
}

func (s *solver) solve(sizes []int64) (Period, []Hop, error) {
	s.p.steps, s.p.most = 0, s.work
	stuck, err := s.p.play(sizes)
	s.work -= s.p.steps
	if err != nil {
		return Period{}, nil, err
	}
	if stuck != nil {
		return Period{}, nil, stuck
	}
	s.x.bound(sizes)
	s.work -= int64(len(s.x.actor))
	ratio, at, err := s.h.solve(&s.work)
	if err != nil {
		return Period{}, nil, err
	}
	if at < 0 {
		return Period{Time: 0, Iterations: 1}, nil, nil
	}
	return ratio, s.cycle(at, sizes), nil
}

// cycle lists the hops of the policy's cycle through a firing.
func (s *solver) cycle(at int, sizes []int64) []Hop {
	var hops []Hop
	for u := at; ; {
		a := int(s.x.actor[u])
		r := &s.x.rules[a][s.h.policy[u]-s.x.of[u]]
		hop := Hop{Actor: a, Channel: r.channel, Full: r.full}
		if r.full {
			j := int64(u - s.x.first[a])
			hop.raise = r.consumed*(j+1) - r.produced*(r.needs(j)-1) - r.initial
		}
		hops = append(hops, hop)
		if u = s.h.next(u); u == at {
			return hops
		}
	}
}
