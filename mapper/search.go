package mapper

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"xopt/flow"
	"xopt/mapper/faults"
)

// Method is a way to search.
type Method uint8

// The methods.
const (
	// Auto is Exhaustive where there are at most AutoExhaustive mappings to try; else Mixed
	// where there is a limit on time or evaluations, and Anneal where there is none.
	Auto Method = iota
	Exhaustive
	Anneal
	Walk  // random walks only, as Beard 2013 §4.4
	Climb // hill climbing from random walks
	Exact // branch and bound from a greedy mapping; for throughput without other limits
	// Mixed anneals from a list, and where that brings nothing better any more, restarts and branch and bound take
	// turns, until no mapping can be better or a limit is reached.
	Mixed
)

// Methods returns the names of the methods, by number.
func Methods() []string {
	return []string{"auto", "exhaustive", "anneal", "walk", "climb", "exact", "mixed"}
}

// ParseMethod reads a method's name.
func ParseMethod(name string) (Method, error) {
	if i := slices.Index(Methods(), name); i >= 0 {
		return Method(i), nil
	}
	return 0, faults.WrongMethod.Errorf("method is %q, want one of %s", name, strings.Join(Methods(), ", "))
}

// String returns the method's name.
func (m Method) String() string { return Methods()[min(int(m), len(Methods())-1)] }

// AutoExhaustive is up to how many mappings Auto tries all of: about a second's
// work.
const AutoExhaustive = 300_000

// Options say how to search. The zero value searches by Auto on one thread until
// it has converged, for without a limit no other end is certain.
type Options struct {
	Method  Method
	Seed    uint64
	Threads int // independent chains; 0 means 1
	// MaxTime and MaxEvals end the search; 0 means no limit. Evaluations are mappings scored,
	// and partial ones that branch and bound looks at, of all runs where it is resumed; a
	// single step may pass their number a little. The same seed, inputs, threads and MaxEvals
	// give the same answer; what is reached within MaxTime depends on the machine.
	MaxTime  time.Duration
	MaxEvals uint64
	Top      int // candidates to return; 0 means 5
	// ProofNodes is how many partial mappings branch and bound may look at after a search by
	// one of the other methods; 0 means 10 million, or what MaxEvals leaves, below 0 none.
	ProofNodes int
	// Gap ends the search where the bound exceeds the best by at most this part of it, and is known;
	// 0 goes on until the best is proven.
	Gap float64
	// Goal is what the search is to find.
	Goal Goal
	// Checkpoint, if set, is given where the search is, at least every CheckpointEvery and
	// when it ends; it must not keep what it is given. Resume goes on from there: with the
	// same method, seed, threads and top, to the end that the search would have come to.
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
	Bound       float64 // a throughput that no mapping exceeds, bytes/s; 0 where none is known yet
}

// Status says how a search ended.
type Status uint8

// The ways to end.
const (
	Optimal      Status = iota // every mapping was tried
	Converged                  // restarts brought nothing better
	TimeLimit                  // MaxTime was reached
	EvalLimit                  // MaxEvals was reached
	Interrupted                // the context was cancelled
	Proven                     // branch and bound has excluded a better mapping
	GapReached                 // the best is as near to the bound as Options.Gap asks for
	CopiesTried                // no copy of a kernel more, less or elsewhere brings more
	CopiesProven               // no mapping with any copies is better, for the bound is reached
	CopiesSlower               // copies bring more by the model, but less with their buffers
)

// String returns the status in words.
func (s Status) String() string {
	return [...]string{"optimal: every mapping was tried", "converged: restarts found nothing better",
		"stopped at the time limit", "stopped at the limit of scored mappings", "interrupted",
		"optimal: proved by branch and bound", "stopped: the gap that was asked for is reached",
		"no copy more, less or elsewhere brings more", "optimal: the bound on mappings with any copies is reached",
		"copies bring more with unlimited buffers, but less with recommended buffers"}[s]
}

// Result is what a search found.
type Result struct {
	// Candidates have distinct placements, up to renaming of like resources, the best first; with several
	// objectives those of which none is as good as another in all and better in one, by the
	// first objective.
	Candidates []Candidate
	// Front are the mappings, where there are several objectives, of which none is as good as
	// another in all and better in one; by the first objective.
	Front  []Candidate
	Status Status
	Method Method // the one used, never Auto
	Evals  uint64 // mappings scored, in all runs
	// TooShort reports that the search ended before it had tried each kernel elsewhere.
	TooShort bool
	Elapsed  time.Duration
	Runs     int // how many led to this: more than one where it was resumed
	// Space is the number of placements that implementations, fix and forbid
	// allow, renamings counted.
	Space *big.Int
	// Mirrors is that resources are interchangeable: mappings that differ only by which of these is used are
	// tried once.
	Mirrors bool
	// LeftOut says which placements are not among them, and why.
	LeftOut []string
	// Bound is a throughput that no mapping exceeds, in bytes/s: by the relaxation and by
	// branch and bound; 0 where none is known. ProofNodes are the nodes that went into it.
	Bound      float64
	ProofNodes uint64
	// Certificate shows a bound by itself; nil where there is none. It may be weaker than Bound.
	Certificate *Certificate
	// Weak says what the bound leaves out of the model, which may be why the gap is large.
	Weak    []string
	Seed    uint64
	Threads int
	History []Point // rises of the best throughput, in order of time
}

// Optimal reports whether no mapping is better than the first candidate.
func (r *Result) Optimal() bool {
	return r.Status == Optimal || r.Status == Proven || r.Status == CopiesProven
}

// patience is after how many descents in a row without a better mapping a chain
// has converged.
const patience = 4

// better by less than this does not count as progress when deciding to stop.
const progressTolerance = 1e-9

// Search looks for the mappings of greatest throughput. When ctx is cancelled it
// returns the best so far, as Interrupted. The error is a *NoMappingError, or one
// of the problem itself.
func Search(ctx context.Context, p *flow.Problem, c *flow.Constraints, o Options) (*Result, error) {
	r, scorer, err := newRunner(p, c, o)
	if err != nil {
		return nil, err
	}
	if err := attainable(ctx, p, c, &o); err != nil {
		return nil, err
	}
	return r.run(ctx, scorer)
}

// newRunner prepares a search.
func newRunner(p *flow.Problem, c *flow.Constraints, o Options) (*runner, *flow.Scorer, error) {
	start := time.Now()
	prepared, err := flow.Prepare(p)
	if err != nil {
		return nil, nil, err
	}
	if err := o.Goal.Validate(p); err != nil {
		return nil, nil, err
	}
	s, err := spaceWith(p, prepared.Routes, c)
	if err != nil {
		return nil, nil, err
	}
	o.Threads = max(1, o.Threads)
	if o.Top <= 0 {
		o.Top = 5
	}
	first := newWalker(s)
	if !first.draw(rand.New(rand.NewPCG(o.Seed, math.MaxUint64))) {
		return nil, nil, first.failure()
	}
	scorer, err := prepared.Scorer(first.mapping())
	if err != nil {
		return nil, nil, err
	}
	if err := refuse(scorer, prepared); err != nil {
		return nil, nil, err
	}
	if o.Method == Exact && !o.Goal.Plain() {
		return nil, nil, goalErrorf(faults.MethodUnsuited, "the exact search supports only the throughput, without "+
			"other limits; use --method exhaustive or anneal")
	}
	if o.Method == Auto {
		if o.Method = Mixed; o.MaxTime == 0 && o.MaxEvals == 0 {
			o.Method = Anneal
		}
		if s.count(AutoExhaustive+1) <= AutoExhaustive {
			o.Method = Exhaustive
		}
	}
	return &runner{space: s, flows: prepared.Flows, options: o, start: start}, scorer, nil
}

// refuse finds applications that have no throughput to optimize.
func refuse(scorer *flow.Scorer, p *flow.Prepared) error {
	if t := scorer.Throughput(); t > 0 && !math.IsInf(t, 1) {
		return nil
	}
	n, err := p.Network(scorer.Mapping())
	if err != nil {
		return err
	}
	_, err = flow.Fast{}.Solve(context.Background(), n)
	return err
}
