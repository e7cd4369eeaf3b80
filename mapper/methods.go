package mapper

import (
	"context"
	"math"
)

// runChain runs a chain with the method of the search. It reports whether the chain converged.
func (r *runner) runChain(ctx context.Context, c *chain) (bool, error) {
	defer c.tally.publish()
	switch r.options.Method {
	case Exhaustive:
		return c.exhaust(ctx), nil
	case Walk:
		return c.walk(ctx)
	case Climb:
		return c.climb(ctx)
	}
	for {
		ended, ok, err := c.advance(ctx)
		if ended || !ok || err != nil {
			return ended, err
		}
	}
}

// advance executes one stage of the method. ended reports that it was the last stage. ok is false if the search must
// end before the stage is complete.
func (c *chain) advance(ctx context.Context) (ended, ok bool, err error) {
	p := &c.course
	ok = true
	switch p.Stage {
	case stageList:
		if c.mark(ctx) {
			return false, false, nil
		}
		if err = c.list(); err == nil {
			ok, err = c.coarse(ctx)
		}
		if ok && err == nil {
			p.Stage, ok = stagePolish, !c.spent()
		}
	case stagePolish:
		if ok = c.polish(ctx); ok {
			p.Stage = stageBegin
		}
	case stageBegin:
		return c.nextStage(ctx)
	case stageCool:
		if ok = c.cool(ctx); ok {
			p.Stage = stageFinish
		}
	case stageFinish:
		if ok = c.polish(ctx); ok {
			c.adapt()
		}
	case stageProve:
		if ok = !c.proof.run(ctx, func() bool { return c.mark(ctx) }, p.Until); ok {
			p.Stage = stageBegin
		}
	}
	return false, ok, err
}

// adapt ends a restart, and updates the number of restarts without improvement.
func (c *chain) adapt() {
	p := &c.course
	p.Idle++
	if c.tally.best > float64(p.Best)*(1+progressTolerance) || c.tally.value < float64(p.Value)*(1-progressTolerance) ||
		c.pool.front.changes > p.Front {
		p.Idle = 0
	}
	p.Stage = stageBegin
}

// restart is a kind of restart.
type restart uint8

const (
	anew     restart = iota // annealing from a random walk's mapping
	reheated                // annealing from the best mapping, from a lower temperature
)

func (c *chain) nextStage(ctx context.Context) (ended, ok bool, err error) {
	p := &c.course
	if c.mark(ctx) {
		return false, false, nil
	}
	again := false
	if c.mixed {
		if again, ok = c.learn(ctx); !ok {
			return false, false, nil
		}
	}
	if c.proof != nil {
		if c.proof.isDone(ctx) {
			c.closed = true
			return true, true, nil
		}
		if p.Until = c.proveUntil(); p.Until > 0 {
			p.Stage = stageProve
			return false, true, nil
		}
		if !c.mixed { // branch and bound alone
			return true, true, nil
		}
	}
	if p.Idle >= patience {
		if p.Settled = true; !c.mixed {
			return true, true, nil
		}
	}
	p.Best, p.Value, p.Front = exact(c.tally.best), exact(c.tally.value), c.pool.front.changes
	c.scalar.draw(c.rng)
	kind := anew
	if p.Settled {
		kind = restart((p.Restarts + c.number) % 2) // alternating
	} else if again && c.below(2) == 0 {
		kind = reheated
	}
	p.Restarts++
	ok, err = c.restart(ctx, kind)
	return false, ok, err
}

func (c *chain) restart(ctx context.Context, kind restart) (ok bool, err error) {
	p := &c.course
	switch {
	case kind == reheated && len(c.pool.best) > 0:
		best := 0
		if p.Settled { // start from one of the best mappings
			best = c.below(len(c.pool.best))
		}
		err = c.set(c.pool.best[best].Mapping)
	default:
		var again bool
		if again, ok, err = c.other(ctx); !ok || err != nil {
			return false, err
		}
		kind = anew
		if again {
			kind = reheated
		}
	}
	if err != nil {
		return false, err
	}
	if ok, err = c.warm(ctx, kind == reheated); ok {
		p.Stage = stageCool
	}
	return ok, err
}

// other sets the mapping from which a descent starts. If another chain has a better mapping than this chain, other uses
// that mapping with probability 1/2. Otherwise, it uses a random walk's mapping. again reports that the mapping is from
// another chain. ok is false if the search was interrupted.
func (c *chain) other(ctx context.Context) (again, ok bool, err error) {
	other, ok := c.exchange.best(ctx, c.number)
	if !ok {
		return false, false, nil
	}
	if other != nil && c.below(2) == 0 && (len(c.pool.best) == 0 || better(other, &c.pool.best[0])) {
		return true, true, c.set(other.Mapping)
	}
	return false, true, c.start()
}

// learn adds the best mapping of the other chains to the pool if it is better than the chain's own best mapping. again
// reports whether it added the mapping. ok is false if the search was interrupted.
func (c *chain) learn(ctx context.Context) (again, ok bool) {
	other, ok := c.exchange.best(ctx, c.number)
	if !ok {
		return false, false
	}
	if other == nil || len(c.pool.best) > 0 && !better(other, &c.pool.best[0]) {
		return false, true
	}
	c.pool.insert(*other)
	var best rise
	if best.offer(c.tally.best, c.tally.value); best.offer(other.Throughput, other.Value) {
		c.tally.best, c.tally.value = other.Throughput, other.Value
	}
	return true, true
}

// The shares of branch and bound in a chain's evaluations.
const (
	earlyEvals = 4_000_000 // evaluations after which branch and bound starts, although the chain has not settled
	earlyShare = 0.25
	proofShare = 1 // evaluations of branch and bound per evaluation of the other methods, after the chain has settled
	manyShare  = 3 // evaluations of branch and bound per other evaluation while other chains continue the search
	proofTurn  = 1 << 17
)

// proveUntil returns the node count up to which branch and bound may now run; 0 if another method must run now.
func (c *chain) proveUntil() uint64 {
	if !c.proof.branches() {
		return 0
	}
	if !c.mixed {
		return math.MaxUint64
	}
	share := 0.0
	switch {
	case c.course.Settled || c.course.Idle >= patience:
		if share = proofShare; len(c.exchange.chains) > 1 {
			share = manyShare
		}
	case c.tally.evals > earlyEvals:
		share = earlyShare
	}
	if until := uint64(share * float64(c.tally.evals)); c.tally.nodes < until {
		return max(until, c.tally.nodes+proofTurn)
	}
	return 0
}

// walkPatience is the number of consecutive random walks without improvement after which the method Walk has converged.
const walkPatience = 20_000

// walk draws mappings by random walks until walkPatience consecutive walks bring no improvement.
func (c *chain) walk(ctx context.Context) (bool, error) {
	for p := &c.course; p.Idle < walkPatience; p.Idle++ {
		if c.mark(ctx) {
			return false, nil
		}
		before := c.tally.best
		if err := c.start(); err != nil {
			return false, err
		}
		c.energy()
		if c.stop(ctx) {
			return false, nil
		}
		if c.tally.best > before*(1+progressTolerance) {
			p.Idle = -1
		}
	}
	return true, nil
}
