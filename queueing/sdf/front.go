package sdf

import (
	"context"
	"errors"
)

// FrontOptions limits the exploration of a front. The zero value explores from the smallest capacities without a
// deadlock to the smallest capacities with the maximum throughput.
type FrontOptions struct {
	// Floor contains the minimum capacities of the channels, such as the transfer size of a machine; nil for none.
	Floor []int64
	// Keep is a fraction of the maximum throughput, in (0, 1]; 0 means 1. The front ends at the first point with this
	// fraction. The points up to the end do not depend on Keep.
	Keep float64
	// Evals limits the number of tried capacities; 0 means 10 000.
	Evals int
	// Work limits the number of visited firings, counting repeated visits; 0 means [DefaultWork].
	Work int64
}

// Point is a point of the front. No other capacities with the same or less memory have a higher throughput.
type Point struct {
	Capacities []int64
	Memory     int64 // memory of all channels, in bytes
	Period     Period
}

// Front is the trade-off between memory and throughput: the capacities with the least memory for each reachable
// throughput.
type Front struct {
	Points []Point // points in ascending order of memory and throughput
	Max    Period  // throughput with unlimited channels
	// Exact reports whether the front is complete up to its requested end. If not, the search reached the limit Evals
	// or Work, but the points of the front are exact.
	Exact bool
	Evals int
}

// Front explores capacities in order of memory. The cycle that limits the throughput or causes the deadlock determines
// the next capacities. One channel of this cycle grows by the smallest amount that changes the cycle. Front thus finds
// all faster capacities, because the unchanged cycle would limit the throughput of all other capacities. After each
// point, Front raises the minimum of each channel to the capacity that a higher throughput requires if all other
// channels are unlimited. The error is a *[Stuck] if the graph deadlocks with any capacities.
func (g *Graph) Front(ctx context.Context, o FrontOptions) (*Front, error) {
	s, err := newSolver(g)
	if err != nil {
		return nil, err
	}
	if o.Work > 0 {
		s.work = o.Work
	}
	front := &Front{}
	if front.Max, _, err = s.solve(make([]int64, len(g.Channels))); err != nil {
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
		if front.isComplete(f, o.Keep) {
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

// raise raises the minimum of each channel to the capacity that a higher throughput than at the last point requires, if
// all other channels are unlimited. Smaller capacities cannot yield another point.
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
				floor[e] = stuck.needs() // capacity of the only channel that can be full
				continue
			}
			if err != nil {
				return err
			}
			first := firstOf(cycle, e)
			if best.Less(p) || first < 0 {
				break
			}
			floor[e] += minRaise(cycle, first)
		}
		alone[e] = 0
	}
	return nil
}

// minRaise returns the smallest amount by which a channel must grow to change a cycle in which a hop waits for its
// space.
func minRaise(cycle []Hop, hop int) int64 {
	by := cycle[hop].raise
	for _, other := range cycle[hop+1:] {
		if other.Full && other.Channel == cycle[hop].Channel {
			by = min(by, other.raise)
		}
	}
	return by
}

// isComplete reports whether the last point is the end of the requested front. The point must have the requested
// fraction of the maximum throughput, and every waiting candidate must need more memory.
func (f *Front) isComplete(waiting *frontier, keep float64) bool {
	if len(f.Points) == 0 {
		return false
	}
	last := &f.Points[len(f.Points)-1]
	if !last.Period.Less(f.Max) {
		return true
	}
	return keep < 1 && last.Period.Rate() >= keep*f.Max.Rate()*(1-keepRounding) &&
		(waiting.empty() || waiting.waiting[0].memory > last.Memory)
}

// step evaluates the untried capacities with the least memory.
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
	f.add(Point{Capacities: sizes, Memory: s.p.g.Memory(sizes), Period: p})
	if !p.Less(f.Max) {
		return nil
	}
	for i, h := range cycle {
		if !h.Full || firstOf(cycle, h.Channel) != i {
			continue
		}
		next := append([]int64(nil), sizes...)
		next[h.Channel] += minRaise(cycle, i)
		waiting.push(next)
	}
	return nil
}

// add adds a point that is faster than all earlier points. It removes earlier points with the same memory.
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

// keepRounding is the tolerance for fractions, such as 75 %, and for times rounded to whole units.
const keepRounding = 1e-9

// firstOf returns the index of the first hop of a cycle that waits for space on a channel.
func firstOf(cycle []Hop, channel int) int {
	for i, h := range cycle {
		if h.Full && h.Channel == channel {
			return i
		}
	}
	return -1
}
