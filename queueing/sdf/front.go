package sdf

import (
	"context"
	"errors"
)

// FrontOptions say how far a front is explored. The zero value goes from the least sizes that
// keep the graph alive to the least that reach the most that any sizes do.
type FrontOptions struct {
	// Floor are capacities that no channel may stay below, such as what a machine moves at once;
	// nil for none.
	Floor []int64
	// Keep ends the front at the first point that has this part of the most that any sizes
	// reach, in (0, 1]; 0 means 1. Up to there it is the same whatever Keep is.
	Keep float64
	// Evals bounds how many capacities are tried; 0 means 10 000.
	Evals int
	// Work bounds how many firings are looked at, over and over; 0 means [DefaultWork].
	Work int64
}

// Point is one of the front: no capacities of less memory, or as much, are faster.
type Point struct {
	Capacities []int64
	Memory     int64 // of all channels, in bytes
	Period     Period
	// Critical is a cycle that holds the graph to this throughput.
	Critical []Hop
}

// Front is the trade of memory against throughput: of every throughput that some capacities
// reach, those of least memory.
type Front struct {
	Points []Point // by memory, and so by throughput
	Most   Period  // the throughput with room without end
	// Exact tells that the front is whole, up to where it was to end. Else the search was cut
	// short, after Evals, or after as much work as it may do: what it found up to there is exact.
	Exact bool
	Evals int
}

// Front explores capacities by memory, the least first. From each it goes on to those in which
// one channel of the cycle that holds it up, of a deadlock or of the throughput, is larger, by as
// much as changes that cycle: all that are faster are reached so, as the cycle holds all others
// up alike. What every channel needs by itself for more throughput than was reached is a floor from
// then on. The error is a *[Stuck] where no capacities keep the graph alive.
func (g *Graph) Front(ctx context.Context, o FrontOptions) (*Front, error) {
	s, err := newSolver(g)
	if err != nil {
		return nil, err
	}
	if o.Work > 0 {
		s.work = o.Work
	}
	front := &Front{}
	if front.Most, _, err = s.solve(make([]int64, len(g.Channels))); err != nil {
		return nil, err
	}
	if o.Evals <= 0 {
		o.Evals = defaultEvals
	}
	if !(o.Keep > 0 && o.Keep <= 1) {
		o.Keep = 1
	}
	f := newFrontier(g)
	f.push(g.bounds(o.Floor))
	floor := g.bounds(o.Floor)
	for !f.empty() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if front.Evals >= o.Evals {
			return front, nil
		}
		front.Evals++
		points := len(front.Points)
		err := front.step(f, s)
		if errors.Is(err, ErrTooLarge) {
			return front, nil
		}
		if err != nil {
			return nil, err
		}
		if front.ends(f, o.Keep) {
			front.Exact = true
			return front, nil
		}
		if len(front.Points) > points {
			err := front.raise(floor, s)
			if errors.Is(err, ErrTooLarge) {
				return front, nil
			}
			if err != nil {
				return nil, err
			}
			f.lift(floor)
		}
	}
	return front, nil
}

// raise raises a floor to what every channel needs by itself, all others without bound, for more
// throughput than the last point has: less of it is of no use any more.
func (f *Front) raise(floor []int64, s *solver) error {
	best := f.Points[len(f.Points)-1].Period
	alone := make([]int64, len(floor))
	for e := range floor {
		if floor[e] == 0 {
			continue
		}
		for {
			alone[e] = floor[e]
			p, cycle, err := s.solve(alone)
			var stuck *Stuck
			if errors.As(err, &stuck) && !stuck.Empty() {
				floor[e] = stuck.needs() // of the only channel that can be full
				continue
			}
			if err != nil {
				return err
			}
			first := firstOf(cycle, e)
			if best.Less(p) || first < 0 {
				break
			}
			floor[e] += leastRaise(cycle, first)
		}
		alone[e] = 0
	}
	return nil
}

// leastRaise is by how much a channel must grow for a cycle to change, of which a hop waits for
// room on it.
func leastRaise(cycle []Hop, hop int) int64 {
	by := cycle[hop].raise
	for _, other := range cycle[hop+1:] {
		if other.Full && other.Channel == cycle[hop].Channel {
			by = min(by, other.raise)
		}
	}
	return by
}

// ends reports whether the last point is the last that is asked for: it has the most, or a part of it
// that is enough, and nothing that waits has as little memory.
func (f *Front) ends(waiting *frontier, keep float64) bool {
	if len(f.Points) == 0 {
		return false
	}
	last := &f.Points[len(f.Points)-1]
	if !last.Period.Less(f.Most) {
		return true
	}
	return keep < 1 && last.Period.Rate() >= keep*f.Most.Rate()*(1-keepRounding) &&
		(waiting.empty() || waiting.waiting[0].memory > last.Memory)
}

// step tries the capacities of least memory that have not been tried.
func (f *Front) step(waiting *frontier, s *solver) error {
	sizes := waiting.pop()
	p, cycle, err := s.solve(sizes)
	var stuck *Stuck
	if errors.As(err, &stuck) && !stuck.Empty() {
		waiting.branch(sizes, stuck)
		return nil
	}
	if err != nil {
		return err
	}
	f.add(Point{Capacities: sizes, Memory: s.p.g.Memory(sizes), Period: p, Critical: cycle})
	if !p.Less(f.Most) {
		return nil
	}
	for i, h := range cycle {
		if !h.Full || firstOf(cycle, h.Channel) != i {
			continue
		}
		next := append([]int64(nil), sizes...)
		next[h.Channel] += leastRaise(cycle, i)
		waiting.push(next)
	}
	return nil
}

// add keeps a point that is faster than all before, and takes those away that need as much memory.
func (f *Front) add(p Point) {
	last := len(f.Points) - 1
	if last >= 0 && !f.Points[last].Period.Less(p.Period) {
		return
	}
	for last >= 0 && f.Points[last].Memory == p.Memory {
		f.Points = f.Points[:last]
		last--
	}
	f.Points = append(f.Points, p)
}

// keepRounding forgives the rounding of a part, as of 75 %, and of times to whole units.
const keepRounding = 1e-9

// firstOf is the first hop of a cycle that waits for room on a channel.
func firstOf(cycle []Hop, channel int) int {
	for i, h := range cycle {
		if h.Full && h.Channel == channel {
			return i
		}
	}
	return -1
}
