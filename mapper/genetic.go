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
	at     []int
	energy float64
}

// genetic breeds mappings; edges take their default routes.
func (c *chain) genetic(ctx context.Context) (bool, error) {
	all := make([]genome, population)
	for i := range all {
		if err := c.start(); err != nil {
			return false, err
		}
		all[i].energy = c.energy()
		for u := range c.units {
			all[i].at = append(all[i].at, c.unitAt(u))
		}
		if c.stop(ctx) {
			return false, nil
		}
	}
	child := genome{at: make([]int, len(c.units))}
	fight := func(better bool) int {
		win := c.below(population)
		for range tournament - 1 {
			if x := c.below(population); (all[x].energy < all[win].energy) == better {
				win = x
			}
		}
		return win
	}
	for idle := 0; idle < geneticPatience*population; idle++ {
		best, value := c.tally.best, c.tally.value
		a, b := &all[fight(true)], &all[fight(true)]
		for u := range child.at {
			child.at[u] = a.at[u]
			if c.below(2) == 0 {
				child.at[u] = b.at[u]
			}
		}
		for u := range child.at {
			if c.rng.Float64() < mutationRate/float64(len(child.at)) {
				child.at[u] = c.allowed[u][c.below(len(c.allowed[u]))]
			}
		}
		child.energy = c.bear(child.at)
		if c.stop(ctx) {
			return false, nil
		}
		if lose := fight(false); child.energy < all[lose].energy {
			copy(all[lose].at, child.at)
			all[lose].energy = child.energy
		}
		if c.tally.best > best*(1+progressTolerance) || c.tally.value < value {
			idle = -1
		}
	}
	return true, nil
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
