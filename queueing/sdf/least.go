package sdf

import "context"

// Bound returns the least capacity that a channel can have for its own sake: one firing of its
// writer and one of its reader go by turns (Bhattacharyya, Murthy and Lee 1996), and its initial
// tokens fit. Channels beside it may ask for more.
func (c *Channel) Bound() int64 {
	g := gcd(c.Produced, c.Consumed)
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
// memory. A cycle without enough initial tokens is a *[Stuck] error: no capacities mend it. evals
// bounds how many capacities are tried; 0 means 10 000.
func (g *Graph) Least(ctx context.Context, evals int) (Sizes, error) {
	q, err := g.Repetition()
	if err != nil {
		return Sizes{}, err
	}
	p := newPlayer(g, q)
	s := newFrontier(g)
	s.push(g.bounds())
	best := func(sizes []int64, exact bool) Sizes {
		return Sizes{Capacities: sizes, Memory: g.Memory(sizes), Exact: exact}
	}
	if evals <= 0 {
		evals = defaultEvals
	}
	for i := 0; ; i++ {
		if err := ctx.Err(); err != nil {
			return Sizes{}, err
		}
		sizes := s.pop()
		if i >= evals {
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

// defaultEvals bounds the capacities that a search tries.
const defaultEvals = 10_000

// bounds returns every channel's least capacity for its own sake.
func (g *Graph) bounds() []int64 {
	sizes := make([]int64, len(g.Channels))
	for i := range g.Channels {
		sizes[i] = g.Channels[i].Bound()
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
