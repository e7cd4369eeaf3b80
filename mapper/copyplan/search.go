// Package copyplan searches for the numbers, the cores and the turns of the copies of tasks.
//
// Its input is the load of each task on each core, the load of each edge on each link, and the set of tasks that may
// run in copies. Package flow computes the loads from figures. Package copyplan proposes plans, which package copies
// scores with the complete model.
//
// Tasks are in data order. A [Plan] divides them into units. A unit has a copy on each of several cores. The copies
// process batches of the stream in turn. Several units may share a core.
//
// The search starts from several plans:
//   - the best mapping without copies
//   - connected tasks copied together on all cores
//   - tasks divided by the class of cores on which they are relatively faster
//   - the best plan in which each interval of tasks has its own cores, if there are at most two classes of cores
//     (dynamic programming, Orhan et al. 2025, arXiv 2502.10000, "HeRAD")
//
// Branch and bound over a linear relaxation yields further plans, and a bound. Simulated annealing improves the best
// plan. Its moves add, move and remove copies, change turns, move tasks between units, and divide and join units.
// Branch and bound and annealing alternate until the plan is proven optimal or the search ends.
package copyplan

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// smallest is the relative gain below which an improvement counts as a rounding error.
const smallest = 1e-9

// Options configures a search.
type Options struct {
	// Place is the core of each task in a mapping without copies, used as a starting point; nil for none.
	Place []int
	// Restarts is the number of consecutive annealing runs without improvement after which the search ends. If branch
	// and bound is complete, the limit is at most maxIdle. The search also ends when the best plan is within
	// boundPrecision of the bound.
	Restarts int
	Seed     uint64 // seed of the annealing
}

// The numbers of annealing steps per task, from a starting plan and in a restart, and the first and last temperatures,
// which are relative loads.
const (
	startSteps   = 300
	restartSteps = 2000
	hot, cold    = 0.05, 2e-5
)

// boundNodes is the node limit of the first call of Tighten. It limits the call to some tenths of a second.
const boundNodes = 100000

// maxTighten is the number of consecutive annealing runs without improvement after which Tighten is no longer called.
// maxIdle is the number after which the search ends if branch and bound is complete.
const (
	maxTighten = 32
	maxIdle    = 1000
)

// Bound is a lower bound on the load of all plans, in s per unit of throughput. Relaxed reports that Load is from the
// linear relaxation, which includes the costs of streams between cores and of links.
type Bound struct {
	Load    float64
	Relaxed bool
}

// Search returns plans, best first, and a bound. When ctx is done, it returns the plans and the bound found, with the
// error of ctx. It also returns an error for an invalid problem.
func Search(ctx context.Context, p *Problem, o Options) ([]Plan, Bound, error) {
	if err := p.Validate(); err != nil {
		return nil, Bound{}, err
	}
	x := &annealing{p: p, random: rand.New(rand.NewPCG(o.Seed, uint64(len(p.Work)))), bound: p.Bound()}
	if x.scale = x.bound; !(x.scale > 0) {
		x.scale = 1
	}
	starts := p.starts(ctx, o.Place)
	for _, units := range starts {
		x.consider(newState(p, units))
	}
	x.relax()
	x.branch(ctx)
	for _, units := range starts {
		x.anneal(ctx, units, startSteps*len(p.Work), cold*100)
	}
	for failed := 0; failed < o.Restarts && !x.proven() && !x.exhausted(failed) && ctx.Err() == nil; failed++ {
		before := x.best.maximum
		x.branch(ctx)
		found := x.anneal(ctx, x.plans[len(x.plans)-1].Units, restartSteps*len(p.Work), hot)
		if found || x.best.maximum < before*(1-smallest) {
			failed = -1
		}
		x.tighten(ctx, failed)
	}
	slices.Reverse(x.plans)
	x.plans[0] = x.simplified(x.plans[0])
	relaxed := x.relaxed != nil && x.relaxed.bound(x.best.maximum) > 0
	return x.plans, Bound{x.bound, relaxed}, ctx.Err()
}

// simplified removes copies from a plan and joins units where this does not increase the load.
func (x *annealing) simplified(plan Plan) Plan {
	s := newState(x.p, plan.Units)
	maximum := plan.Load * (1 + smallest)
	for again := true; again; {
		again = false
		try := func(changed bool) bool {
			if changed && s.value(x.scale).maximum <= maximum {
				s.mark()
				again = true
				return true
			}
			s.undo()
			return false
		}
		for u := range s.slots {
			for at := 0; len(s.slots[u].Copies) > 1 && at < len(s.slots[u].Copies); {
				if !try(s.put(u, s.slots[u].Tasks, slices.Delete(slices.Clone(s.slots[u].Copies), at, at+1))) {
					at++
				}
			}
		}
		for i := range x.p.Edges {
			u, v := s.unit[x.p.Edges[i].From], s.unit[x.p.Edges[i].To]
			if u != v && len(s.slots[u].Copies)+len(s.slots[v].Copies) > 2 && !try(s.join(u, v, 0)) {
				try(s.join(u, v, 1))
			}
		}
	}
	return Plan{Units: s.units(), Load: s.value(x.scale).maximum}
}

// tighten improves the bound after restarts without improvement: after the first such restart, and whenever the number
// of such restarts has doubled, up to maxTighten. The node limit of Tighten is proportional to this number.
func (x *annealing) tighten(ctx context.Context, failed int) {
	if n := failed + 1; n > 0 && n <= maxTighten && n&(n-1) == 0 && !x.proven() {
		x.bound = math.Max(x.bound, x.p.Tighten(ctx, x.best.maximum, n*boundNodes))
	}
}

// relax prepares the two branch-and-bound searches.
func (x *annealing) relax() {
	r := newRelaxation(x.p)
	if r == nil {
		return
	}
	visit := func(values []float64) {
		s, shares := r.plan(values)
		s.refine(shares, x.scale)
		x.consider(s)
	}
	x.relaxed = newBranching(r, visit)
	if r.exact() && len(r.edges) > 0 {
		x.real = newBranching(r, visit)
		x.real.real = true
	}
}

// branchWork is the work of branch and bound between two annealing runs, in elementary operations of the simplex
// method.
const branchWork = 50_000_000

// branch continues the two branch-and-bound searches, and updates the bound.
func (x *annealing) branch(ctx context.Context) {
	best := func() float64 { return x.best.maximum }
	if x.relaxed != nil && !x.proven() {
		x.relaxed.run(ctx, best, branchWork)
		x.bound = math.Max(x.bound, x.relaxed.bound(x.best.maximum))
	}
	if x.real != nil && !x.proven() {
		x.real.run(ctx, best, branchWork)
	}
}

// annealing is the state of a search.
type annealing struct {
	p      *Problem
	random *rand.Rand
	bound  float64
	scale  float64 // scale of loads in norms
	plans  []Plan  // best plans, each better than the previous plan
	best   value
	// relaxed and real are branch-and-bound searches over relaxations; nil if the problem is too large. real is also
	// nil if relaxed suffices.
	relaxed, real *branching
}

// proven reports whether the best plan is within boundPrecision of the bound.
func (x *annealing) proven() bool { return x.best.maximum <= x.bound*(1+boundPrecision) }

// exhausted reports whether branch and bound is complete and the last maxIdle annealing runs found no better plan.
func (x *annealing) exhausted(failed int) bool {
	return failed >= maxIdle && x.relaxed != nil && !x.relaxed.left(x.best.maximum) &&
		(x.real == nil || !x.real.left(x.best.maximum))
}

// consider stores a plan if it is better than the best plan. It reports whether the plan's maximum load is lower.
func (x *annealing) consider(s *state) bool {
	v := s.value(x.scale)
	if len(x.plans) > 0 && !v.better(x.best) {
		return false
	}
	lower := len(x.plans) == 0 || v.maximum < x.best.maximum*(1-smallest)
	if !lower { // this plan is only a starting point for other plans
		x.plans = x.plans[:len(x.plans)-1]
	}
	x.best, x.plans = v, append(x.plans, Plan{Units: s.units(), Load: v.maximum})
	return lower
}

// anneal improves a plan by random changes. The temperature falls from first to cold. anneal reports whether it found a
// plan with a lower maximum load than the best plan.
func (x *annealing) anneal(ctx context.Context, units []Unit, steps int, first float64) (found bool) {
	s := newState(x.p, units)
	energy := func(v value) float64 { return math.Log(v.maximum/x.scale) + v.norm/8 }
	now := energy(s.value(x.scale))
	for step := range steps {
		if step%64 == 0 {
			if ctx.Err() != nil || x.proven() {
				break
			}
			s.refresh()
			s.mark()
		}
		if !s.random(x.random) {
			continue
		}
		v := s.value(x.scale)
		next := energy(v)
		temperature := first * math.Pow(cold/first, float64(step)/float64(steps))
		if next > now && !(x.random.Float64() < math.Exp((now-next)/temperature)) {
			s.undo()
			continue
		}
		s.mark()
		if now = next; v.maximum < x.best.maximum*(1+smallest) && x.consider(s) {
			found = true
		}
	}
	return found
}
