package opponents

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"xopt/bench/arena"
)

// Random1000 returns the best of 1000 random placements. Each placement assigns every unit to a random core that can
// run it. The placements alternate between the divisions of tasks into units.
func Random1000(ctx context.Context, p *arena.Problem, seed uint64) (arena.Placement, error) {
	return restarts(ctx, p, seed, 1000, func(v *vectors) { v.cost(v.random()) })
}

// Parameters of mocasin's genetic mapper, from mocasin/conf/mapper/genetic.yaml of tud-ccc/mocasin (commit 10731f66). A
// generation has three times as many children as the population (mocasin/mapper/genetic.py).
const (
	population   = 10
	generations  = 5
	crossover    = 0.35 // probability
	mutation     = 0.5  // probability
	tournament   = 4    // number of individuals
	geneticRange = 5    // radius of a mutation, in cores
	geneticRuns  = 1000
)

// Genetic is mocasin's genetic algorithm (Menard et al., Mocasin: Rapid Prototyping of Rapid Prototyping Tools, 2021):
// DEAP's (μ+λ) algorithm with tournament selection, one-point crossover, and mutation to a near vector of cores. Unlike
// in mocasin, the period is the only objective. A run has 160 evaluations. Genetic repeats runs from new random
// populations until ctx is done, but at most 1000 times. The runs alternate between the divisions of tasks into units.
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

// individual is a vector of cores with its cost.
type individual struct {
	cores []int   // core of each unit
	cost  float64 // period in s
}

// child returns a new individual: by crossover of two individuals of the pool, by mutation, or as a copy.
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

// Parameters of mocasin's simulated annealing, from mocasin/conf/mapper/simulated_annealing.yaml of
// tud-ccc/mocasin (commit e6f8fd03).
const (
	hottest        = 1.0 // temperature
	coldest        = 0.1 // temperature
	cooling        = 0.5 // factor of the temperature
	annealingRange = 3   // radius of a move, in cores
	annealingRuns  = 100
)

// Annealing is mocasin's simulated annealing (Menard et al. 2021, after Orsila et al., Automated Memory-Aware
// Application Distribution for Multi-Processor System-on-Chips, 2007). The temperature halves after each L = units ×
// (cores − 1) moves. A run ends after L consecutive rejections at or below the coldest temperature. A move that
// increases the period by Δ is accepted with the probability exp(−Δ/(T·C/2)), with the temperature T and the initial
// period C. Annealing repeats runs from new random placements until ctx is done, but at most 100 times. The runs
// alternate between the divisions of tasks into units.
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

// vectors generates and evaluates vectors of cores, mocasin's representation of a mapping: the core of each unit.
type vectors struct {
	u         *units
	b         *best
	rng       *rand.Rand
	placement arena.Placement // reused by each call of cost
	fixed     bool            // each task has only one possible core
}

// restarts calls run until ctx is done, but at most runs times, and returns the best placement. The calls alternate
// between the divisions of tasks into units.
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

// cost returns the period of a vector in seconds, and stores its placement if it is the best.
func (v *vectors) cost(cores []int) float64 {
	v.placement = v.u.place(v.placement, cores)
	return v.b.offer(v.placement)
}

// draw returns a random integer from 0 to n - 1.
func (v *vectors) draw(n int) int { return v.rng.IntN(n) }

// random returns a random vector: for each unit, a core that can run the unit.
func (v *vectors) random() []int {
	cores := make([]int, len(v.u.all))
	for i := range cores {
		some := v.u.cores(i)
		cores[i] = some[v.draw(len(some))]
	}
	return cores
}

// near returns a random vector that differs from cores. Each coordinate is a position in the list of cores that can run
// the unit. In mocasin (SimpleVectorRepresentation), it is a position in the list of all cores. The function draws a
// point uniformly from the ball with the given radius around cores. It rounds the coordinates of the point, and limits
// them to the lists. After 20 points without a change, the radius increases by a tenth.
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
