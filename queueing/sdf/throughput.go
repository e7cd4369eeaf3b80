package sdf

import (
	"math"

	"xopt/queueing/int128"
)

// Hop is a step of a cycle. A firing of Actor waits for tokens on Channel or, if Full is set, for space on Channel. If
// Channel is -1, the firing waits for an earlier firing of Actor.
type Hop struct {
	Actor   int
	Channel int
	Full    bool
	raise   int64 // increase of the capacity after which the firing waits for an earlier firing
}

// Throughput returns the throughput of self-timed execution with the graph's capacities. It also returns a cycle of
// waits that limits the throughput, or nil if there is none. A part of the graph outside the cycles is as fast as the
// slowest part for which it waits. The result is the throughput of the slowest part. The error is a *[Stuck] if an
// iteration cannot complete, or an error of [Graph.Play].
func (g *Graph) Throughput() (Period, []Hop, error) {
	s, err := newSolver(g)
	if err != nil {
		return Period{}, nil, err
	}
	return s.solve(g.Capacities())
}

// solver computes the throughput of one graph with different capacities.
type solver struct {
	p *player
	x *expansion
	h *howard
	// work is the remaining number of firings that may be visited.
	work int64
}

// DefaultWork is the maximum number of visited firings in an exact analysis, counting repeated visits. It limits work
// rather than time, so that results are the same on every machine. It corresponds to about ten seconds.
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
	s.p.steps, s.p.max = 0, s.work
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
	return ratio, s.cycle(at), nil
}

// cycle returns the hops of the policy's cycle through a firing.
func (s *solver) cycle(at int) []Hop {
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

// Period is a throughput of Iterations per Time, in lowest terms. It is unbounded if Time is 0, and zero if Iterations
// is 0.
type Period struct {
	Time, Iterations int64
}

// period returns the throughput of the given iterations in a time, in lowest terms.
func period(time, iterations int64) Period {
	if g := GCD(time, iterations); g > 1 {
		return Period{time / g, iterations / g}
	}
	return Period{time, iterations}
}

// Rate returns the throughput in iterations per unit of time. It is +Inf if the throughput is unbounded.
func (p Period) Rate() float64 {
	switch {
	case p.Iterations == 0:
		return 0
	case p.Time == 0:
		return math.Inf(1)
	}
	return float64(p.Iterations) / float64(p.Time)
}

// Less reports whether the throughput p is less than other. The comparison is exact.
func (p Period) Less(other Period) bool {
	switch {
	case other.Iterations == 0:
		return false
	case p.Iterations == 0:
		return true
	}
	return int128.Product(p.Iterations, other.Time).Less(int128.Product(other.Iterations, p.Time))
}

// slower reports whether a cycle with the ratio p of time to delays is slower than a cycle with the ratio other.
func (p Period) slower(other Period) bool {
	return int128.Product(other.Time, p.Iterations).Less(int128.Product(p.Time, other.Iterations))
}

// Ticks converts times in seconds to integers. The unit is a power of ten of a second if all times are multiples of
// this unit. Otherwise the unit is so small that the error is below 1e-12 of the shortest time. The unit is larger if
// an iteration, in which actor a fires q[a] times, would overflow.
func Ticks(times []float64, q []int64) (ticks []int64, unit float64) {
	shortest, sum := math.Inf(1), 0.0
	for a, t := range times {
		if t > 0 {
			shortest = math.Min(shortest, t)
			sum += t * float64(q[a])
		}
	}
	ticks = make([]int64, len(times))
	if sum == 0 {
		return ticks, 1
	}
	finest := sum / (1 << 60)
	for digits := range 19 {
		unit = math.Pow(10, -float64(digits))
		if unit >= finest && integerTimes(times, unit, ticks) {
			return ticks, unit
		}
	}
	unit = math.Max(finest, shortest/(1<<40))
	for a, t := range times {
		ticks[a] = int64(math.Round(t / unit))
	}
	return ticks, unit
}

// integerRounding is the relative tolerance within which a time computed from a rate counts as an integer.
const integerRounding = 1e-12

func integerTimes(times []float64, unit float64, ticks []int64) bool {
	for a, t := range times {
		n := math.Round(t / unit)
		if math.Abs(t/unit-n) > integerRounding*n {
			return false
		}
		ticks[a] = int64(n)
	}
	return true
}
