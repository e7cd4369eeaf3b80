package sdf

// Bound returns the least capacity that a channel can have for its own sake: one firing of its
// writer and one of its reader go by turns (Bhattacharyya, Murthy and Lee 1996), and its initial
// tokens fit. Channels beside it may ask for more; an endless one has none.
func (c *Channel) Bound() int64 {
	g := gcd(c.Produced, c.Consumed)
	if c.Endless {
		return 0
	}
	if c.From == c.To {
		return c.Initial + c.Produced
	}
	return max(c.Initial, c.Produced+c.Consumed-g+c.Initial%g)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Sizes are capacities of all channels, by number, with what they are worth.
type Sizes struct {
	Capacities []int64
	Memory     int64 // of all together, in bytes
	// Exact tells that no other capacities do with less memory; else the search for them was
	// cut short, and these are some that keep the graph alive.
	Exact bool
}

// Least returns capacities with which every iteration finishes, and which together take the least
// memory. A cycle without enough initial tokens is a *[Stuck] error: no capacities mend it.
func (g *Graph) Least(o LeastOptions) (Sizes, error) {
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

// LeastOptions say how the least capacities are found. The zero value is ready.
type LeastOptions struct {
	// Floor are capacities that no channel may stay below, such as what a machine moves at once;
	// nil for none.
	Floor []int64
	// Evals bounds how many capacities are tried; 0 means 10 000.
	Evals int
}

// defaultEvals bounds the capacities that a search tries.
const defaultEvals = 10_000

// bounds returns every channel's least capacity for its own sake, and no less than a floor.
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

// branch adds what may mend sizes that are stuck: whichever of the cycle's actors fires first
// with larger sizes, it is one that waits for room, and finds it where its channel holds what it
// did. So one of the full channels must have the capacity that its wait needs.
func (f *frontier) branch(sizes []int64, stuck *Stuck) {
	for _, w := range stuck.Cycle {
		if w.Full {
			next := append([]int64(nil), sizes...)
			next[w.Channel] = w.Need
			f.push(next)
		}
	}
}

// mend enlarges, as long as an iteration is stuck, the full channel of the cycle that then takes
// least memory (Parks 1995).
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
		least, at := int64(0), Wait{Channel: -1}
		for _, w := range stuck.Cycle {
			if !w.Full {
				continue
			}
			more := (w.Need - sizes[w.Channel]) * max(1, p.g.Channels[w.Channel].Bytes)
			if at.Channel < 0 || more < least {
				least, at = more, w
			}
		}
		sizes[at.Channel] = at.Need
	}
}
