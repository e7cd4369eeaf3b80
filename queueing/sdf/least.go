package sdf

// Bound returns the smallest capacity with which a graph of this channel alone does not deadlock (Bhattacharyya, Murthy
// and Lee 1996), and with which the initial tokens fit. Parallel channels may require a larger capacity. Bound returns
// 0 for an endless channel.
func (c *Channel) Bound() int64 {
	g := GCD(c.Produced, c.Consumed)
	if c.Endless {
		return 0
	}
	if c.From == c.To {
		return c.Initial + c.Produced
	}
	return max(c.Initial, c.Produced+c.Consumed-g+c.Initial%g)
}

// GCD returns the greatest common divisor of two numbers that are at least 0.
func GCD[T int | int64](a, b T) T {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Sizes contains the capacities of all channels and their memory.
type Sizes struct {
	Capacities []int64
	Memory     int64 // total in bytes
	// Exact reports whether the graph deadlocks with any capacities of less memory. If Exact is false, the search ended
	// early, and smaller capacities may exist.
	Exact bool
}

// MinSizes returns the capacities with the least memory with which every iteration completes. If a cycle has too few
// initial tokens, no capacities suffice, and the error is a *[Stuck].
func (g *Graph) MinSizes(o MinOptions) (Sizes, error) {
	q, err := g.Repetition()
	if err != nil {
		return Sizes{}, err
	}
	p := newPlayer(g, q)
	s := newFrontier(g)
	s.push(g.bounds(o.Floor))
	best := func(sizes []int64, exact bool) Sizes {
		return Sizes{Capacities: sizes, Memory: g.Memory(sizes), Exact: exact}
	}
	if o.Evals <= 0 {
		o.Evals = defaultEvals
	}
	for i := 0; ; i++ {
		sizes := s.pop()
		if i >= o.Evals || p.steps >= maxSteps {
			p.steps = 0
			sizes, err = p.mend(sizes)
			return best(sizes, false), err
		}
		stuck, err := p.play(sizes)
		switch {
		case err != nil:
			return Sizes{}, err
		case stuck == nil:
			return best(sizes, true), nil
		case stuck.Empty():
			return Sizes{}, stuck
		}
		s.branch(sizes, stuck)
	}
}

// MinOptions limits the search for the smallest capacities. The zero value is valid.
type MinOptions struct {
	// Floor contains the minimum capacities of the channels, such as the transfer size of a machine; nil for none.
	Floor []int64
	// Evals limits the number of tried capacities; 0 means 10 000.
	Evals int
}

// defaultEvals is the default limit on the number of capacities that a search tries.
const defaultEvals = 10_000

// bounds returns the larger of Bound and floor for each channel. It ignores floor for endless channels.
func (g *Graph) bounds(floor []int64) []int64 {
	sizes := make([]int64, len(g.Channels))
	for i := range g.Channels {
		sizes[i] = g.Channels[i].Bound()
		if floor != nil && !g.Channels[i].Endless {
			sizes[i] = max(sizes[i], floor[i])
		}
	}
	return sizes
}

// branch adds the capacities that may resolve a deadlock. Consider larger capacities that resolve the deadlock, and the
// first actor of the cycle that then fires. The channel for which this actor waited contains the same tokens as in the
// deadlock. Therefore one full channel must have at least the capacity that its wait needs.
func (f *frontier) branch(sizes []int64, stuck *Stuck) {
	for _, w := range stuck.Cycle {
		if w.Full {
			next := append([]int64(nil), sizes...)
			next[w.Channel] = w.Need
			f.push(next)
		}
	}
}

// mend repeatedly enlarges the full channel of the blocking cycle with the smallest increase in memory, until the
// iteration completes (Parks 1995).
func (p *player) mend(sizes []int64) ([]int64, error) {
	sizes = append([]int64(nil), sizes...)
	for {
		stuck, err := p.play(sizes)
		if err != nil || stuck == nil {
			return sizes, err
		}
		if stuck.Empty() {
			return nil, stuck
		}
		minimum, at := int64(0), Wait{Channel: -1}
		for _, w := range stuck.Cycle {
			if !w.Full {
				continue
			}
			more := (w.Need - sizes[w.Channel]) * max(1, p.g.Channels[w.Channel].Bytes)
			if at.Channel < 0 || more < minimum {
				minimum, at = more, w
			}
		}
		sizes[at.Channel] = at.Need
	}
}
