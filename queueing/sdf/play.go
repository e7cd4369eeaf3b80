package sdf

import (
	"fmt"
	"strings"

	"xopt/internal/units"
)

// Wait is a wait of an actor that cannot fire.
type Wait struct {
	Actor   int
	Channel int
	// Full is true if the actor waits for space on an output channel, and false if it waits for tokens on an input
	// channel.
	Full   bool
	Tokens int64 // tokens in the channel
	Need   int64 // smallest capacity with space for the firing, or the number of tokens that the firing consumes
}

// Stuck is a deadlock of an iteration: a cycle of actors. Each actor waits for the next actor, and the last actor waits
// for the first actor.
type Stuck struct {
	Cycle []Wait
	graph *Graph
	sizes []int64
}

// Empty reports whether all actors of the cycle wait for tokens. If so, more initial tokens can end the
// deadlock, but larger capacities cannot.
func (s *Stuck) Empty() bool {
	for _, w := range s.Cycle {
		if w.Full {
			return false
		}
	}
	return true
}

func (s *Stuck) needs() int64 {
	for _, w := range s.Cycle {
		if w.Full {
			return w.Need
		}
	}
	return 0
}

// Error describes the cycle: "a waits for space on e1 (full, 14 of 14 elements), b waits for 100 elements on e2
// (contains 14)".
func (s *Stuck) Error() string {
	var b strings.Builder
	for i, w := range s.Cycle {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.graph.Actors[w.Actor].Name)
		name := s.graph.Channels[w.Channel].Name
		size := s.sizes[w.Channel]
		switch {
		case w.Full && w.Tokens == size:
			fmt.Fprintf(&b, " waits for space on %s (full, %d of %s)", name, w.Tokens, units.Elements(size))
		case w.Full:
			fmt.Fprintf(&b, " waits for space for %s on %s (contains %d of %d)", units.Elements(w.Need-w.Tokens), name,
				w.Tokens, size)
		case w.Tokens == 0:
			fmt.Fprintf(&b, " waits for %s on %s (empty)", units.Elements(w.Need), name)
		default:
			fmt.Fprintf(&b, " waits for %s on %s (contains %d)", units.Elements(w.Need), name, w.Tokens)
		}
	}
	return b.String()
}

// Play executes one iteration with the graph's capacities. If the iteration completes, every later iteration also
// completes, independently of times, and Play returns nil. Otherwise it returns the deadlock. The error comes from
// [Graph.Repetition], or wraps [ErrTooLarge].
func (g *Graph) Play() (*Stuck, error) {
	q, err := g.Repetition()
	if err != nil {
		return nil, err
	}
	return newPlayer(g, q).play(g.Capacities())
}

// Starved plays the given number of firings of each actor, without a limit on capacities. It returns the channels with
// too few tokens for a remaining firing of their reader; nil if all firings complete or take too many steps.
func (g *Graph) Starved(firings []int64) []int {
	p := newPlayer(g, firings)
	if stuck, _ := p.play(make([]int64, len(g.Channels))); stuck == nil {
		return nil
	}
	var starved []int
	for i := range g.Channels {
		if c := &g.Channels[i]; p.left[c.To] > 0 && p.tokens[i] < c.Consumed {
			starved = append(starved, i)
		}
	}
	return starved
}

// player executes iterations of one graph with different capacities.
type player struct {
	g       *Graph
	q       []int64
	in, out [][]int // channels of each actor
	tokens  []int64 // tokens in each channel
	left    []int64 // remaining firings of each actor
	sizes   []int64
	queue   []int
	steps   int64 // number of executed steps, in all iterations
	max     int64 // maximum of steps
	queued  []bool
}

// maxSteps limits the steps of a search for the smallest capacities. A step is a series of firings of one actor. This
// number of steps takes some tenths of a second. Twice this number limits all steps of a player.
const maxSteps = 1 << 22

func newPlayer(g *Graph, q []int64) *player {
	p := &player{g: g, q: q, in: make([][]int, len(g.Actors)), out: make([][]int, len(g.Actors)),
		tokens: make([]int64, len(g.Channels)), left: make([]int64, len(g.Actors)),
		queued: make([]bool, len(g.Actors)), max: 2 * maxSteps}
	for i := range g.Channels {
		c := &g.Channels[i]
		p.out[c.From] = append(p.out[c.From], i)
		p.in[c.To] = append(p.in[c.To], i)
	}
	return p
}

// play fires each actor as often in a row as possible, until the iteration is complete or blocked. The order does not
// matter, because a firing never consumes the tokens or the space of another actor's firing.
func (p *player) play(sizes []int64) (*Stuck, error) {
	p.sizes = sizes
	p.queue = p.queue[:0]
	for i := range p.tokens {
		p.tokens[i] = p.g.Channels[i].Initial
	}
	for a := range p.left {
		p.left[a] = p.q[a]
		p.push(a)
	}
	for len(p.queue) > 0 {
		a := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		p.queued[a] = false
		n := p.possible(a)
		if n == 0 {
			continue
		}
		if p.steps++; p.steps > p.max {
			return nil, fmt.Errorf("playing one iteration: %w", ErrTooLarge)
		}
		p.fire(a, n)
	}
	for a := range p.left {
		if p.left[a] > 0 {
			return p.stuck(a), nil
		}
	}
	return nil, nil
}

func (p *player) push(a int) {
	if !p.queued[a] && p.left[a] > 0 {
		p.queued[a] = true
		p.queue = append(p.queue, a)
	}
}

// possible returns the number of times that an actor can fire in a row.
func (p *player) possible(a int) int64 {
	n := p.left[a]
	for _, e := range p.in[a] {
		c := &p.g.Channels[e]
		if c.From == a { // the channel contains the same number of tokens afterwards
			if p.tokens[e] < c.Consumed {
				return 0
			}
			continue
		}
		n = min(n, p.tokens[e]/c.Consumed)
	}
	for _, e := range p.out[a] {
		c := &p.g.Channels[e]
		if p.sizes[e] == 0 {
			continue
		}
		room := p.sizes[e] - p.tokens[e]
		if c.To == a {
			if room < c.Produced {
				return 0
			}
			continue
		}
		n = min(n, max(0, room)/c.Produced)
	}
	return n
}

func (p *player) fire(a int, n int64) {
	p.left[a] -= n
	for _, e := range p.in[a] {
		c := &p.g.Channels[e]
		p.tokens[e] -= n * c.Consumed
		p.push(c.From)
	}
	for _, e := range p.out[a] {
		c := &p.g.Channels[e]
		p.tokens[e] += n * c.Produced
		p.push(c.To)
	}
	p.push(a)
}

// stuck follows the waits from actor a until an actor repeats.
func (p *player) stuck(a int) *Stuck {
	seen := make(map[int]int) // actor -> its position in the chain
	var chain []Wait
	for {
		if first, ok := seen[a]; ok {
			return &Stuck{Cycle: chain[first:], graph: p.g, sizes: append([]int64(nil), p.sizes...)}
		}
		seen[a] = len(chain)
		w := p.waits(a)
		chain = append(chain, w)
		c := &p.g.Channels[w.Channel]
		if a = c.From; w.Full {
			a = c.To
		}
	}
}

// waits returns the wait that blocks an actor. It reports missing space before missing tokens, because larger sizes can
// provide space.
func (p *player) waits(a int) Wait {
	for _, e := range p.out[a] {
		c := &p.g.Channels[e]
		if p.sizes[e] > 0 && p.sizes[e]-p.tokens[e] < c.Produced {
			return Wait{Actor: a, Channel: e, Full: true, Tokens: p.tokens[e], Need: p.tokens[e] + c.Produced}
		}
	}
	for _, e := range p.in[a] {
		if c := &p.g.Channels[e]; p.tokens[e] < c.Consumed {
			return Wait{Actor: a, Channel: e, Tokens: p.tokens[e], Need: c.Consumed}
		}
	}
	return Wait{Actor: a} // unreachable: an actor that does not wait would have fired
}
