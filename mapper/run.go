package mapper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"xopt/flow"
	"xopt/internal/units"
)

// runner runs the chains of one search.
type runner struct {
	space    *space
	flows    *flow.Flows
	options  Options
	start    time.Time
	counters counters
	exchange *exchange
	kept     []kept // snapshot of each chain
}

func (r *runner) run(ctx context.Context, scorer *flow.Scorer) (*Result, error) {
	limited := ctx
	if r.options.MaxTime > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, r.start.Add(r.options.MaxTime))
		defer cancel()
	}
	chains := r.chains(scorer)
	defer context.AfterFunc(limited, r.exchange.wake)()
	if err := r.resume(chains); err != nil {
		return nil, err
	}
	ended, err := r.work(limited, chains)
	if err != nil {
		return nil, err
	}
	if limited.Err() != nil && r.tooShort(chains) && chains[0].course.Stage == stageList {
		if err := chains[0].simple(lateUnits); err != nil {
			return nil, err
		}
	}
	result := r.result(chains)
	if r.options.Checkpoint != nil {
		if state := r.checkpoint(); state != nil {
			r.options.Checkpoint(state)
		}
	}
	cut := true // the proof after the search was stopped or not tried
	if ctx.Err() == nil {
		last := ctx
		if r.options.MaxTime > 0 {
			var cancel context.CancelFunc
			last, cancel = context.WithDeadline(ctx, r.start.Add(r.options.MaxTime+r.options.MaxTime/proofGrace))
			defer cancel()
		}
		cut = r.prove(last, limited, scorer, chains[0], result)
	}
	switch {
	case result.Status == Proven || result.Status == GapReached:
	case !slices.Contains(ended, false) && r.options.Method == Exhaustive:
		result.Status = Optimal
		if len(result.Candidates) > 0 && !r.options.Goal.Several() && r.options.Goal.First() == Throughput {
			result.Bound = result.Candidates[0].Throughput
		}
	case !slices.Contains(ended, false) && !cut:
		result.Status = Converged
	case !slices.ContainsFunc(chains, func(c *chain) bool { return !c.spent() && !ended[c.number] }) && !cut:
		result.Status = EvalLimit
	case ctx.Err() != nil:
		result.Status = Interrupted
	default:
		result.Status = TimeLimit
	}
	if len(result.Candidates) == 0 {
		return nil, r.nothing(chains, result)
	}
	result.TooShort = (result.Status == TimeLimit || result.Status == Interrupted) && r.tooShort(chains)
	return result, nil
}

// tooShort reports whether the chains scored fewer mappings than the number of moves of one unit.
func (r *runner) tooShort(chains []*chain) bool {
	var work, moves uint64
	for _, c := range chains {
		work += c.tally.work()
	}
	for _, list := range r.space.allowed {
		moves += uint64(len(list) - 1)
	}
	return work < moves
}

// chains creates the chains, or restores them from Options.Resume.
func (r *runner) chains(scorer *flow.Scorer) []*chain {
	o := &r.options
	threads := o.Threads
	if o.Method == Exhaustive || o.Method == Exact {
		threads = 1
	}
	r.exchange, r.kept = newExchange(threads), make([]kept, threads)
	start := r.start
	if o.Resume != nil {
		start = start.Add(-o.Resume.Elapsed)
	}
	chains := make([]*chain, threads)
	for i := range chains {
		t := tally{shared: &r.counters, start: start}
		if o.MaxEvals > 0 {
			t.limit = o.MaxEvals / uint64(threads)
			if uint64(i) < o.MaxEvals%uint64(threads) {
				t.limit++
			}
			t.full = t.limit == 0 // fewer evaluations than threads
		}
		c := r.newChain(scorer.Clone(), i, t)
		c.number, c.exchange, c.publishAt, c.mixed = i, r.exchange, exchangeEvery, o.Method == Mixed
		if o.Checkpoint != nil {
			c.kept = &r.kept[i]
		}
		if i == 0 && (o.Method == Mixed || o.Method == Exact) && o.ProofNodes >= 0 {
			c.proof = newProof(r.space, scorer, &c.pool, &c.tally, o)
		}
		chains[i] = c
	}
	return chains
}

// work runs the chains, and reports which of them converged.
func (r *runner) work(ctx context.Context, chains []*chain) (ended []bool, err error) {
	stop := r.report(r.options.Checkpoint != nil)
	ended = make([]bool, len(chains))
	errs := make([]error, len(chains))
	var wg sync.WaitGroup
	for i, c := range chains {
		wg.Go(func() {
			ended[i], errs[i] = r.runChain(ctx, c)
			if ended[i] || c.closed || c.spent() {
				r.exchange.markEnded(i, c.pool.first(), c.closed && ended[i])
			} else {
				r.exchange.interrupt(i)
			}
		})
	}
	wg.Wait()
	stop()
	return ended, errors.Join(errs...)
}

// nothing returns the reason why a search found no mapping.
func (r *runner) nothing(chains []*chain, result *Result) error {
	e := &NoMappingError{Proven: result.Status == Optimal}
	add := func(text string) { e.Faults = append(e.Faults, flow.Fault{Text: text}) }
	if result.Status != Optimal {
		add(fmt.Sprintf("xopt scored %s (%s)", units.Counted(int(result.Evals), "mapping", "mappings"),
			result.Status))
	}
	var seen nearest
	for _, c := range chains {
		seen.merge(c.nearest)
	}
	if why := seen.why(&r.options.Goal); why != "" {
		add(why)
	}
	return e
}

// proofGrace limits the time of the relaxation after the end of a search to 1/proofGrace of the search's time.
const proofGrace = 10

// prove adds the bound and any better mappings of the proof to a result. If the search has reached its time limit,
// prove computes only the relaxation. cut reports that the proof was stopped early.
func (r *runner) prove(ctx, limited context.Context, scorer *flow.Scorer, first *chain, result *Result) (cut bool) {
	o := &r.options
	if o.Method == Exhaustive || len(result.Candidates) == 0 || o.ProofNodes < 0 {
		return false
	}
	// The proof of the first chain, or a new proof, starts from the results of all chains.
	t := tally{shared: &r.counters, start: first.tally.start, best: result.Candidates[0].Throughput}
	b := newIncumbentPool(r.space, r.flows, &o.Goal, o.Top)
	p := first.proof
	if p == nil {
		if p = newProof(r.space, scorer, &b, &t, o); p == nil {
			return false
		}
	}
	b.best = result.Candidates
	p.pool, p.tally = &b, &t
	p.uncounted = o.ProofNodes == 0 && o.MaxEvals == 0
	if !p.isDone(ctx) && first.proof == nil {
		nodes := uint64(o.ProofNodes)
		if nodes == 0 {
			if nodes = defaultProofNodes; o.MaxTime > 0 || o.MaxEvals > 0 { // limited only by time or evaluations
				nodes = math.MaxUint64
			}
			if done := result.Evals + result.ProofNodes; o.MaxEvals > 0 {
				nodes = min(nodes, max(o.MaxEvals, done)-done)
				t.limit = max(1, nodes)
			}
		}
		if cut = limited.Err() != nil; nodes > 0 && !cut {
			stop := r.report(false)
			p.run(limited, func() bool {
				return t.full || t.work() >= nodes || t.nodes%proofLook == 0 && limited.Err() != nil
			}, nodes)
			stop()
			cut = t.work() < nodes && limited.Err() != nil
		}
	}
	result.Candidates, result.ProofNodes, result.Evals = b.best, result.ProofNodes+t.nodes, result.Evals+t.evals
	for _, point := range t.history {
		point.Evals = result.Evals
		result.History = append(result.History, point)
	}
	result.Bound = p.bound()
	if p.closes(ctx) {
		result.Status = Proven
	} else if p.enough() {
		result.Status = GapReached
	}
	if result.Status == Proven || result.Status == GapReached {
		p.certify(limited)
	}
	result.Certificate, result.Weak = p.certificate(), p.weak()
	result.Elapsed = time.Since(first.tally.start)
	return cut
}

// proofLook is the approximate number of partial mappings between two checks of the context.
const proofLook = 16

// report calls Progress and, if keep is set, Checkpoint periodically. stop ends these calls, and returns after the last
// call.
func (r *runner) report(keep bool) (stop func()) {
	o := &r.options
	if o.Progress == nil && !keep {
		return func() {}
	}
	kept := time.Now()
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				if o.Progress != nil {
					o.Progress(r.progress())
				}
				if keep && now.Sub(kept) >= o.CheckpointEvery/2 {
					kept = now
					if state := r.checkpoint(); state != nil {
						o.Checkpoint(state)
					}
				}
			}
		}
	}()
	return func() {
		close(done)
		<-stopped
	}
}

func (r *runner) progress() Progress {
	best, value := r.counters.get()
	elapsed := time.Since(r.start)
	if r.options.Resume != nil {
		elapsed += r.options.Resume.Elapsed
	}
	return Progress{
		Evals: r.counters.evals.Load(), Elapsed: elapsed, Best: best, Value: value,
		Temperature: math.Float64frombits(r.counters.temperature.Load()),
		Acceptance:  math.Float64frombits(r.counters.acceptance.Load()),
		Bound:       math.Float64frombits(r.counters.bound.Load()),
	}
}

// result merges the chains' results. It merges in the order of the chains, so that the result does not depend on
// timing.
func (r *runner) result(chains []*chain) *Result {
	all := newIncumbentPool(r.space, r.flows, &r.options.Goal, r.options.Top)
	result := &Result{Method: r.options.Method, Elapsed: time.Since(chains[0].tally.start), Runs: 1,
		Space: r.space.size(), LeftOut: r.space.leftOut(), Mirrors: r.space.mirrors(),
		Seed: r.options.Seed, Threads: r.options.Threads}
	if r.options.Resume != nil {
		result.Runs += r.options.Resume.Runs
	}
	for _, c := range chains {
		all.merge(c.pool.best, c.pool.front.list)
		result.Evals += c.tally.evals
		result.ProofNodes += c.tally.nodes
		result.Annealed.Moves += c.tally.annealed.Moves
		result.Annealed.Time += c.tally.annealed.Time
		result.History = append(result.History, c.tally.history...)
	}
	result.Candidates = all.best
	if r.options.Goal.Several() {
		all.front.thin(max(r.options.Top, frontShown))
		result.Candidates = all.front.list
	}
	// Use evaluations because, unlike times, they do not depend on the machine.
	slices.SortStableFunc(result.History, func(a, b Point) int { return int(int64(a.Evals) - int64(b.Evals)) })
	var best rise
	var latest time.Duration
	result.History = slices.DeleteFunc(result.History, func(p Point) bool { return !best.offer(p.Throughput, p.Value) })
	for i := range result.History {
		latest = max(latest, result.History[i].Elapsed)
		result.History[i].Elapsed = latest
	}
	return result
}
