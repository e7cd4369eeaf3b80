package mapper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"xopt/flow"
)

// Method is a way to search.
type Method uint8

// The methods.
const (
	// Auto is Exhaustive where there are at most AutoExhaustive mappings to try,
	// Anneal otherwise.
	Auto Method = iota
	Exhaustive
	Anneal
	Walk    // random walks only, as Beard 2013 §4.4
	Greedy  // list scheduling, with noise
	Climb   // hill climbing from random walks
	Genetic // a population, crossover and mutation
	Exact   // branch and bound from a greedy mapping; for throughput of one free source
)

// Methods returns the names of the methods, by number.
func Methods() []string {
	return []string{"auto", "exhaustive", "anneal", "walk", "greedy", "climb", "genetic", "exact"}
}

// ParseMethod reads a method's name.
func ParseMethod(name string) (Method, error) {
	if i := slices.Index(Methods(), name); i >= 0 {
		return Method(i), nil
	}
	return 0, fmt.Errorf("method is %q, want one of %s", name, strings.Join(Methods(), ", "))
}

// String returns the method's name.
func (m Method) String() string { return Methods()[min(int(m), len(Methods())-1)] }

// AutoExhaustive is up to how many mappings Auto tries all of: about a second's
// work.
const AutoExhaustive = 300_000

// Options say how to search. The zero value searches by Auto on one thread until
// it has converged.
type Options struct {
	Method  Method
	Seed    uint64
	Threads int // independent chains; 0 means 1
	// MaxTime and MaxEvals end the search; 0 means no limit. The same seed,
	// inputs, threads and MaxEvals give the same answer; what a limit in time
	// lets through depends on the machine.
	MaxTime  time.Duration
	MaxEvals uint64
	Top      int // candidates to return; 0 means 5
	// ProofNodes is how many nodes of branch and bound may go into the proof after the
	// search; 0 means 2 million, below 0 none.
	ProofNodes int
	// Goal is what the search is to find.
	Goal Goal
	// Checkpoint, if set, is given what was found so far, at least every CheckpointEvery and
	// when the search ends; it must not keep what it is given. Resume goes on from there.
	Checkpoint      func(*State)
	CheckpointEvery time.Duration
	Resume          *State
	// Progress, if set, is called from one goroutine, at most ten times a second.
	Progress func(Progress)
}

// Progress is the state of a running search.
type Progress struct {
	Evals       uint64
	Elapsed     time.Duration
	Best        float64 // throughput of the best, bytes/s; 0 before the first mapping
	Value       float64 // of the best by the first objective, where that is not throughput
	Temperature float64
	Acceptance  float64 // of moves, at the last temperature
}

// Status says how a search ended.
type Status uint8

// The ways to end.
const (
	Optimal     Status = iota // every mapping was tried
	Converged                 // restarts brought nothing better
	TimeLimit                 // MaxTime was reached
	EvalLimit                 // MaxEvals was reached
	Interrupted               // the context was cancelled
	Proven                    // branch and bound has excluded a better mapping
)

// String returns the status in words.
func (s Status) String() string {
	return [...]string{"optimal: every mapping was tried", "converged: restarts brought nothing better", "stopped at the time limit", "stopped at the limit of scored mappings", "interrupted", "optimal: branch and bound found that none is better"}[s]
}

// Result is what a search found.
type Result struct {
	// Candidates have distinct placements, up to renaming of like resources, the best first; with several
	// objectives those of which none is as good as another in all and better in one, by the
	// first objective.
	Candidates []Candidate
	// Front are the mappings, where there are several objectives, of which none is as good as
	// another in all and better in one; by the first objective.
	Front   []Candidate
	Status  Status
	Method  Method // the one used, never Auto
	Evals   uint64 // mappings scored
	Elapsed time.Duration
	// Space is the number of placements that implementations, fix and forbid
	// allow, renamings counted.
	Space *big.Int
	// LeftOut says which placements are not among them, and why.
	LeftOut []string
	// Bound is a throughput that no mapping exceeds, in bytes/s: by the relaxation and by
	// branch and bound; 0 where none is known. ProofNodes are the nodes that went into it.
	Bound      float64
	ProofNodes uint64
	Seed       uint64
	Threads    int
	History    []Point // rises of the best throughput, in order of time
}

// Optimal tells whether no mapping is better than the first candidate.
func (r *Result) Optimal() bool { return r.Status == Optimal || r.Status == Proven }

// patience is after how many descents in a row without a better mapping a chain
// has converged.
const patience = 4

// better by less than this does not count as progress when deciding to stop.
const progressTolerance = 1e-9

// Search looks for the mappings of greatest throughput. When ctx is cancelled it
// returns the best so far, as Interrupted. The error is a *NoMappingError, or one
// of the problem itself.
func Search(ctx context.Context, p *flow.Problem, c *Constraints, o Options) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	flows, err := flow.NewFlows(&p.Application, p.JoinTolerance)
	if err != nil {
		return nil, err
	}
	if err := o.Goal.validate(p); err != nil {
		return nil, err
	}
	s, err := newSpace(p, c)
	if err != nil {
		return nil, err
	}
	o.Threads = max(1, o.Threads)
	if o.Top <= 0 {
		o.Top = 5
	}
	first := newWalker(s)
	if !first.draw(rand.New(rand.NewPCG(o.Seed, math.MaxUint64))) {
		return nil, first.failure()
	}
	scorer, err := flow.NewScorer(p, first.mapping())
	if err != nil {
		return nil, err
	}
	if err := refuse(scorer, p); err != nil {
		return nil, err
	}
	if o.Method == Exact && !(scorer.FreeSources() == 1 && o.Goal.Plain()) {
		return nil, goalErrorf("the exact search is for the greatest throughput of applications with one free source, without other limits; search exhaustively, or by annealing")
	}
	if o.Method == Auto {
		o.Method = Anneal
		if s.count(AutoExhaustive+1) <= AutoExhaustive {
			o.Method = Exhaustive
		}
	}
	r := &runner{space: s, flows: flows, options: o, start: time.Now()}
	return r.run(ctx, scorer)
}

// refuse finds applications that have no throughput to optimize.
func refuse(scorer *flow.Scorer, p *flow.Problem) error {
	if t := scorer.Throughput(); t > 0 && !math.IsInf(t, 1) {
		return nil
	}
	n, err := flow.NewNetwork(p, scorer.Mapping())
	if err != nil {
		return err
	}
	_, err = flow.Fast{}.Solve(context.Background(), n)
	return err
}

// runner runs the chains of one search.
type runner struct {
	space    *space
	flows    *flow.Flows
	options  Options
	start    time.Time
	counters counters
	exchange *exchange
	states   []chainState
}

func (r *runner) run(ctx context.Context, scorer *flow.Scorer) (*Result, error) {
	limited := ctx
	if r.options.MaxTime > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, r.start.Add(r.options.MaxTime))
		defer cancel()
	}
	threads := r.options.Threads
	if r.options.Method == Exhaustive || r.options.Method == Exact {
		threads = 1
	}
	r.exchange, r.states = newExchange(threads), make([]chainState, threads)
	generation := uint64(0)
	if r.options.Resume != nil {
		generation = r.options.Resume.Generation
	}
	stop := r.report()
	chains := make([]*chain, threads)
	ended := make([]bool, threads) // whether the chain came to its own end
	errs := make([]error, threads)
	var wg sync.WaitGroup
	for i := range chains {
		t := tally{shared: &r.counters, start: r.start}
		if r.options.MaxEvals > 0 {
			t.limit = r.options.MaxEvals / uint64(threads)
			if uint64(i) < r.options.MaxEvals%uint64(threads) {
				t.limit++
			}
			t.limit = max(1, t.limit)
		}
		c := newChain(r.space, scorer.Clone(), r.flows, &r.options.Goal, r.options.Top, r.options.Seed, generation<<32|uint64(i), t)
		c.number, c.exchange, c.publishAt = i, r.exchange, exchangeEvery
		if r.options.Checkpoint != nil {
			c.state, c.stateEvery = &r.states[i], r.options.CheckpointEvery/2
		}
		if err := c.resume(r.options.Resume); err != nil {
			errs[i] = err
		}
		chains[i] = c
	}
	for i, c := range chains {
		if errs[i] != nil {
			r.exchange.end(i, nil)
			continue
		}
		wg.Go(func() {
			ended[i], errs[i] = r.runChain(limited, c)
			r.exchange.end(i, c.board.first())
			c.keepState()
		})
	}
	wg.Wait()
	stop()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	result := r.result(chains)
	if r.options.Checkpoint != nil {
		r.options.Checkpoint(r.checkpoint())
	}
	if ctx.Err() == nil {
		r.prove(limited, scorer, result)
	}
	switch {
	case result.Status == Proven:
	case !slices.Contains(ended, false) && r.options.Method == Exhaustive:
		result.Status = Optimal
		if len(result.Candidates) > 0 && !r.options.Goal.Several() && r.options.Goal.First() == Throughput {
			result.Bound = result.Candidates[0].Throughput
		}
	case !slices.Contains(ended, false) && r.options.Method != Exact:
		result.Status = Converged
	case ctx.Err() != nil:
		result.Status = Interrupted
	case limited.Err() != nil:
		result.Status = TimeLimit
	default:
		result.Status = EvalLimit
	}
	if len(result.Candidates) == 0 {
		e := &NoMappingError{Proven: result.Status == Optimal}
		if result.Status != Optimal {
			e.Faults = append(e.Faults, Fault{Text: fmt.Sprintf("%d mappings were scored (%s)", result.Evals, result.Status)})
		}
		fastest := 0.0
		for _, c := range chains {
			fastest = math.Max(fastest, c.fastest)
		}
		if g := &r.options.Goal; fastest > 0 && fastest < g.MinThroughput {
			e.Faults = append(e.Faults, Fault{Text: fmt.Sprintf("the fastest of them lets %.4g MB/s through, and %.4g MB/s are asked for", fastest/1e6, g.MinThroughput/1e6)})
		} else if fastest > 0 {
			e.Faults = append(e.Faults, Fault{Text: "none of them keeps the limits on throughput, latency and buffers"})
		}
		return nil, e
	}
	return result, nil
}

// prove adds to a result how much better any mapping could be, and what the proof has found.
func (r *runner) prove(ctx context.Context, scorer *flow.Scorer, result *Result) {
	g := &r.options.Goal
	if r.options.Method == Exhaustive || len(result.Candidates) == 0 || r.options.ProofNodes < 0 || g.Several() || g.First() != Throughput {
		return
	}
	nodes := uint64(r.options.ProofNodes)
	if nodes == 0 {
		nodes = defaultProofNodes
	}
	if r.options.Method == Exact {
		nodes = math.MaxUint64
	}
	if ctx.Err() != nil || !g.Plain() { // branch and bound knows of no other limits
		nodes = 0 // the relaxation takes no time
	}
	b := newBoard(r.space, r.flows, g, r.options.Top)
	b.best = result.Candidates
	p, ok := prove(ctx, r.space, scorer.Clone(), &b, nodes, func(throughput float64) {
		result.History = append(result.History, Point{Evals: result.Evals, Elapsed: time.Since(r.start), Throughput: throughput})
	})
	if !ok {
		return
	}
	result.Candidates, result.ProofNodes = b.best, p.nodes
	best := b.best[0].Throughput
	result.Bound = math.Max(p.bound, best)
	if p.optimal {
		result.Status, result.Bound = Proven, best
	}
	result.Elapsed = time.Since(r.start)
}

// runChain searches on one goroutine; it returns whether the chain came to its
// own end.
func (r *runner) runChain(ctx context.Context, c *chain) (bool, error) {
	defer c.tally.tell()
	switch r.options.Method {
	case Exhaustive:
		return c.exhaust(ctx), nil
	case Walk:
		return r.walk(ctx, c)
	case Greedy:
		return c.greedy(ctx)
	case Climb:
		return c.climb(ctx)
	case Genetic:
		return c.genetic(ctx)
	case Exact:
		return c.list(ctx)
	}
	again := r.options.Resume != nil && len(c.board.best) > 0 // from what was found before
	if !again {                                               // a good mapping at once
		if ok, err := c.list(ctx); !ok || err != nil {
			return false, err
		}
	}
	for idle := 0; idle < patience; idle++ {
		before, value := c.tally.best, c.tally.value
		front := c.board.front.changes
		c.wish.draw(c.rng)
		if err := c.begin(&again); err != nil {
			return false, err
		}
		if !c.descend(ctx, again) {
			return false, nil
		}
		if again = false; c.tally.best > before*(1+progressTolerance) || c.tally.value < value*(1-progressTolerance) || c.board.front.changes > front {
			idle = -1
		}
	}
	return true, nil
}

// begin goes to where a descent starts: every other time to the best mapping of the other
// chains, where it is better than the chain's own, else to a random walk's. again is whether
// it is to be a mapping that was found before, and whether it was.
func (c *chain) begin(again *bool) error {
	if *again {
		return c.set(c.board.best[0].Mapping)
	}
	other := c.exchange.best(c.number)
	if other != nil && c.below(2) == 0 && (len(c.board.best) == 0 || better(other, &c.board.best[0])) {
		*again = true
		return c.set(other.Mapping)
	}
	return c.start()
}

// walkPatience is after how many random walks in a row without a better mapping
// a walk has converged.
const walkPatience = 20_000

func (r *runner) walk(ctx context.Context, c *chain) (bool, error) {
	for idle := 0; idle < walkPatience; idle++ {
		before := c.tally.best
		if err := c.start(); err != nil {
			return false, err
		}
		c.energy()
		if c.stop(ctx) {
			return false, nil
		}
		if c.tally.best > before*(1+progressTolerance) {
			idle = -1
		}
	}
	return true, nil
}

// report calls Progress and Checkpoint until the returned function is called, which returns
// after the last call has.
func (r *runner) report() (stop func()) {
	o := &r.options
	if o.Progress == nil && o.Checkpoint == nil {
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
				if o.Checkpoint != nil && now.Sub(kept) >= o.CheckpointEvery/2 {
					kept = now
					o.Checkpoint(r.checkpoint())
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
	return Progress{
		Evals: r.counters.evals.Load(), Elapsed: time.Since(r.start), Best: best, Value: value,
		Temperature: math.Float64frombits(r.counters.temperature.Load()), Acceptance: math.Float64frombits(r.counters.acceptance.Load()),
	}
}

// result merges what the chains found, in their order, so that it does not
// depend on which ended first.
func (r *runner) result(chains []*chain) *Result {
	all := newBoard(r.space, r.flows, &r.options.Goal, r.options.Top)
	result := &Result{Method: r.options.Method, Elapsed: time.Since(r.start), Space: r.space.size(), LeftOut: r.space.leftOut(), Seed: r.options.Seed, Threads: r.options.Threads}
	for _, c := range chains {
		all.merge(c.board.best, c.board.front.list)
		result.Evals += c.tally.evals
		result.History = append(result.History, c.tally.history...)
	}
	result.Candidates = all.best
	if r.options.Goal.Several() {
		all.front.thin(max(r.options.Top, frontShown))
		result.Candidates = all.front.list
	}
	slices.SortStableFunc(result.History, func(a, b Point) int { return int(a.Elapsed - b.Elapsed) })
	var best rise
	result.History = slices.DeleteFunc(result.History, func(p Point) bool { return !best.offer(p.Throughput, p.Value) })
	return result
}
