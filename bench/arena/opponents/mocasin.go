package opponents

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"xopt/bench/arena"
)

// Random1000 returns the best of 1000 random placements: a random core for each unit, with each division into units in
// turn.
func Random1000(ctx context.Context, p *arena.Problem, seed uint64) (arena.Placement, error) {
	return restarts(ctx, p, seed, 1000, func(v *vectors) { v.cost(v.random()) })
}

// The parameters of mocasin's genetic mapper, from mocasin/conf/mapper/genetic.yaml of tud-ccc/mocasin (commit
// 10731f66). Offspring are three times the population (mocasin/mapper/genetic.py).
const (
	population   = 10
	generations  = 5
	crossover    = 0.35 // probability
	mutation     = 0.5  // probability
	tournament   = 4
	geneticRange = 5 // radius of a mutation
	geneticRuns  = 1000
)

// Genetic is mocasin's genetic algorithm (Menard et al., Mocasin: Rapid Prototyping of Rapid Prototyping Tools, 2021):
// DEAP's (μ+λ) with tournaments, crossover at one point, and mutation to a near vector of cores. Its objective here is
// the period alone. One run has 160 evaluations; Genetic repeats it from new random populations until ctx ends, at
// most 1000 times, with each division into units in turn.
func Genetic(ctx context.Context, p *arena.Problem, seed uint64) (arena.Placement, error) {
	return restarts(ctx, p, seed, geneticRuns, func(v *vectors) {
		var pool []individual
		for range population {
			cores := v.random()
			pool = append(pool, individual{cores, v.cost(cores)})
		}
		for range generations {
			if ctx.Err() != nil {
				return
			}
			all := slices.Clone(pool)
			for range 3 * population {
				all = append(all, v.child(pool))
			}
			for i := range pool {
				pool[i] = all[v.draw(len(all))]
				for range tournament - 1 {
					if rival := all[v.draw(len(all))]; rival.cost < pool[i].cost {
						pool[i] = rival
					}
				}
			}
		}
	})
}

// individual is a vector of cores, with its period in seconds.
type individual struct {
	cores []int
	cost  float64
}

// child returns a crossing of two individuals, a mutation, or a copy.
func (v *vectors) child(pool []individual) individual {
	first := v.draw(len(pool))
	a := pool[first]
	switch r := v.rng.Float64(); {
	case r < crossover:
		cores := slices.Clone(a.cores)
		mate := pool[(first+1+v.draw(len(pool)-1))%len(pool)]
		from := v.draw(len(cores))
		copy(cores[from:], mate.cores[from:])
		return individual{cores, v.cost(cores)}
	case r < crossover+mutation:
		cores := v.near(a.cores, geneticRange)
		return individual{cores, v.cost(cores)}
	}
	return a
}

// The parameters of mocasin's simulated annealing, from mocasin/conf/mapper/simulated_annealing.yaml of
// tud-ccc/mocasin (commit e6f8fd03).
const (
	hottest        = 1.0
	coldest        = 0.1
	cooling        = 0.5
	annealingRange = 3 // radius of a move
	annealingRuns  = 100
)

// Annealing is mocasin's simulated annealing (Menard et al. 2021, after Orsila et al., Automated Memory-Aware
// Application Distribution for Multi-Processor System-on-Chips, 2007). The temperature halves after each
// L = units × (cores − 1) moves; a run ends after L rejections in a row at or below the coldest temperature. A move to
// a longer period has the probability exp(−Δ/(T·C/2)) for the initial period C. Annealing repeats runs from new random
// placements until ctx ends, at most 100 times, with each division into units in turn.
func Annealing(ctx context.Context, p *arena.Problem, seed uint64) (arena.Placement, error) {
	return restarts(ctx, p, seed, annealingRuns, func(v *vectors) {
		length := max(1, len(v.u.all)*(len(p.Cores)-1))
		at := v.random()
		initial := v.cost(at)
		cost := initial
		for i, rejected := 0, 0; rejected < length && ctx.Err() == nil; i++ {
			temperature := hottest * math.Pow(cooling, float64(i/length))
			next := v.near(at, annealingRange)
			nextCost := v.cost(next)
			d := nextCost - cost
			if d < 0 || d > 0 && math.Exp(-d/(temperature*initial/2)) > v.rng.Float64() {
				at, cost, rejected = next, nextCost, 0
			} else if temperature <= coldest {
				rejected++
			}
		}
	})
}

// vectors are assignments of units to cores, mocasin's representation of mappings.
type vectors struct {
	u         *units
	b         *best
	rng       *rand.Rand
	placement arena.Placement // reused
	fixed     bool            // each task has one core
}

// restarts calls run a number of times, until ctx ends, with each division into units in turn.
func restarts(ctx context.Context, p *arena.Problem, seed uint64, runs int,
	run func(*vectors)) (arena.Placement, error) {
	divisions, err := splits(p)
	if err != nil {
		return nil, err
	}
	b := newBest(p)
	fixed := !slices.ContainsFunc(divisions[0].allowed, func(cores []int) bool { return len(cores) > 1 })
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := 0; i < runs && ctx.Err() == nil; i++ {
		run(&vectors{u: &divisions[i%len(divisions)], b: b, rng: rng, fixed: fixed})
	}
	return b.result(ctx)
}

// cost returns the period of a vector in seconds, and keeps the best.
func (v *vectors) cost(cores []int) float64 {
	v.placement = v.u.place(v.placement, cores)
	return v.b.offer(v.placement)
}

func (v *vectors) draw(n int) int { return v.rng.IntN(n) }

// random returns a random core for each unit.
func (v *vectors) random() []int {
	cores := make([]int, len(v.u.all))
	for i := range cores {
		some := v.u.cores(i)
		cores[i] = some[v.draw(len(some))]
	}
	return cores
}

// near returns a different vector at a uniform point of the ball of a radius, rounded and limited to the positions in
// the list of cores that can run each unit (SimpleVectorRepresentation of mocasin, where these are all cores). The
// radius grows by a tenth after 20 points without a change.
func (v *vectors) near(cores []int, radius float64) []int {
	const points = 20
	next, offset := slices.Clone(cores), make([]float64, len(cores))
	if v.fixed {
		return next
	}
	for tries := 1; ; tries++ {
		square := 0.0
		for i := range offset {
			offset[i] = v.rng.NormFloat64()
			square += offset[i] * offset[i]
		}
		length := radius * math.Pow(v.rng.Float64(), 1/float64(len(cores))) / math.Sqrt(square)
		changed := false
		for i, c := range cores {
			some := v.u.cores(i)
			at, _ := slices.BinarySearch(some, c)
			to := math.Round(float64(at) + length*offset[i])
			next[i] = some[int(max(0, min(to, float64(len(some)-1))))]
			changed = changed || next[i] != c
		}
		if changed {
			return next
		}
		if tries%points == 0 {
			radius *= 1.1
		}
	}
}
