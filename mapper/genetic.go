package mapper

import (
	"context"
	"math"
)

// The genetic search: a steady population, children by uniform crossover of two parents that
// win tournaments, mutation of a few units.
const (
	population      = 60
	tournament      = 3
	mutationRate    = 1.5 // units that a child changes, in the mean
	geneticPatience = 400 // children per member of the population, in a row, that bring nothing better
)

// genome is the resource of each unit.
type genome struct {
	At     []int `json:"at"`
	Energy exact `json:"energy"`
}

// breed breeds mappings; edges take their default routes. It ends when that brings nothing
// better, or, where the course says so, after so many evaluations. It returns false when the
// search has to end.
func (c *chain) breed(ctx context.Context) (bool, error) {
	p := &c.course
	for len(p.Pool) < population {
		if c.mark(ctx) {
			return false, nil
		}
		if err := c.adam(len(p.Pool)); err != nil {
			return false, err
		}
	}
	child := make([]int, len(c.units))
	for p.Until > 0 && c.tally.evals < p.Until || p.Until == 0 && p.Idle < geneticPatience*population {
		if c.mark(ctx) {
			return false, nil
		}
		best, value := c.tally.best, c.tally.value
		c.cross(child)
		energy := c.bear(child)
		if lose := &p.Pool[c.fight(false)]; energy < float64(lose.Energy) {
			copy(lose.At, child)
			lose.Energy = exact(energy)
		}
		p.Idle++
		if c.tally.best > best*(1+progressTolerance) || c.tally.value < value {
			p.Idle = 0
		}
		if c.stop(ctx) {
			return false, nil
		}
	}
	p.Pool = p.Pool[:0]
	return true, nil
}

// adam adds a member to the population: one of the best mappings where methods take turns,
// else a random one.
func (c *chain) adam(number int) error {
	if c.mixed && number < len(c.pool.best) {
		if err := c.set(c.pool.best[number].Mapping); err != nil {
			return err
		}
	} else if err := c.start(); err != nil {
		return err
	}
	g := genome{Energy: exact(c.energy())}
	for u := range c.units {
		g.At = append(g.At, c.unitAt(u))
	}
	c.course.Pool = append(c.course.Pool, g)
	return nil
}

// fight returns the member that wins, or loses, a tournament.
func (c *chain) fight(better bool) int {
	all := c.course.Pool
	win := c.below(population)
	for range tournament - 1 {
		if x := c.below(population); (all[x].Energy < all[win].Energy) == better {
			win = x
		}
	}
	return win
}

// cross makes a child of two parents, and mutates it.
func (c *chain) cross(child []int) {
	a, b := &c.course.Pool[c.fight(true)], &c.course.Pool[c.fight(true)]
	for u := range child {
		child[u] = a.At[u]
		if c.below(2) == 0 {
			child[u] = b.At[u]
		}
	}
	for u := range child {
		if c.rng.Float64() < mutationRate/float64(len(child)) {
			child[u] = c.allowed[u][c.below(len(c.allowed[u]))]
		}
	}
}

// bear goes to a placement and returns its energy.
func (c *chain) bear(at []int) float64 {
	for u, r := range at {
		if c.unitAt(u) != r {
			c.moveUnit(u, r)
		}
	}
	c.scorer.Commit()
	for u := range at {
		if c.clashes(u) {
			c.tally.evals++
			return math.Inf(1)
		}
	}
	return c.energy()
}
