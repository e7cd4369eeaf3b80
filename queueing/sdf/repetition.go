package sdf

import (
	"container/heap"
	"fmt"
	"math/big"

	"xopt/internal/units"
)

// InconsistentError is the error for a graph without a repetition vector. Tokens on Channel accumulate or run out with
// any capacities.
type InconsistentError struct {
	Channel  string
	From, To string
	// FromFires and ToFires are the relative numbers of firings that the other channels require. Produced and Consumed
	// are the rates of the channel.
	FromFires, ToFires string
	Produced, Consumed int64
}

func (e *InconsistentError) Error() string {
	return fmt.Sprintf("channel %s: %s produces %s in each firing and %s consumes %s, but the other channels require "+
		"firings of %s and %s in the ratio %s : %s, so elements accumulate or run out",
		e.Channel, e.From, units.Elements(e.Produced), e.To, units.Elements(e.Consumed), e.From, e.To, e.FromFires,
		e.ToFires)
}

// maxBits limits the length of intermediate fractions.
const maxBits = 512

// Repetition returns the number of firings of each actor in one iteration. For each connected part of the graph, these
// are the smallest positive integers that leave the tokens of every channel unchanged. The error is an
// *[InconsistentError] if there are no such integers. It wraps [ErrTooLarge] if they are too large.
func (g *Graph) Repetition() ([]int64, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	touch := make([][]int, len(g.Actors)) // channels of each actor
	for i := range g.Channels {
		c := &g.Channels[i]
		touch[c.From] = append(touch[c.From], i)
		if c.To != c.From {
			touch[c.To] = append(touch[c.To], i)
		}
	}
	rate := make([]*big.Rat, len(g.Actors))
	q := make([]int64, len(g.Actors))
	for a := range g.Actors {
		if rate[a] != nil {
			continue
		}
		rate[a] = big.NewRat(1, 1)
		part, err := g.spread(a, rate, touch)
		if err != nil {
			return nil, err
		}
		if err := integerRates(part, rate, q); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// spread sets the relative rate of every actor connected to first, and returns these actors. It follows channels with
// low indices first, so that it reports an inconsistency at a channel with a high index.
func (g *Graph) spread(first int, rate []*big.Rat, touch [][]int) ([]int, error) {
	part := []int{first}
	ahead := &channels{}
	reach := func(a int) {
		for _, e := range touch[a] {
			heap.Push(ahead, e)
		}
	}
	for reach(first); len(*ahead) > 0; {
		c := &g.Channels[heap.Pop(ahead).(int)]
		next, want := c.To, new(big.Rat)
		if rate[c.From] != nil {
			want.Mul(rate[c.From], big.NewRat(c.Produced, c.Consumed))
		} else {
			next = c.From
			want.Mul(rate[c.To], big.NewRat(c.Consumed, c.Produced))
		}
		if want.Num().BitLen() > maxBits || want.Denom().BitLen() > maxBits {
			return nil, fmt.Errorf("channel %s: %w", c.Name, ErrTooLarge)
		}
		if rate[next] == nil {
			rate[next] = want
			part = append(part, next)
			reach(next)
		} else if rate[next].Cmp(want) != 0 {
			return nil, g.inconsistent(c, rate)
		}
	}
	return part, nil
}

// channels is a heap of channels, with the lowest index on top.
type channels []int

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (c channels) Len() int { return len(c) }

func (c channels) Less(i, j int) bool { return c[i] < c[j] }

func (c channels) Swap(i, j int) { c[i], c[j] = c[j], c[i] }

func (c *channels) Push(x any) { *c = append(*c, x.(int)) }

func (c *channels) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

func (g *Graph) inconsistent(c *Channel, rate []*big.Rat) error {
	ratio := new(big.Rat).Quo(rate[c.From], rate[c.To])
	return &InconsistentError{Channel: c.Name, From: g.Actors[c.From].Name, To: g.Actors[c.To].Name,
		FromFires: ratio.Num().String(), ToFires: ratio.Denom().String(), Produced: c.Produced, Consumed: c.Consumed}
}

// integerRates converts the rates of one connected part to the smallest integers.
func integerRates(part []int, rate []*big.Rat, q []int64) error {
	scale := big.NewInt(1) // the least common multiple of the denominators
	for _, a := range part {
		d := rate[a].Denom()
		common := new(big.Int).GCD(nil, nil, scale, d)
		scale.Mul(scale, new(big.Int).Quo(d, common))
		if scale.BitLen() > maxBits {
			return ErrTooLarge
		}
	}
	complete := make([]*big.Int, len(part))
	common := new(big.Int)
	for i, a := range part {
		complete[i] = new(big.Int).Mul(rate[a].Num(), new(big.Int).Quo(scale, rate[a].Denom()))
		common.GCD(nil, nil, common, complete[i])
	}
	for i, a := range part {
		n := complete[i].Quo(complete[i], common)
		if !n.IsInt64() || n.Int64() > maxCount {
			return ErrTooLarge
		}
		q[a] = n.Int64()
	}
	return nil
}
