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

// Method is a search method.
type Method uint8

// The search methods.
const (
	// Auto is Exhaustive for at most AutoExhaustive mappings. For more mappings, it is Mixed if there is a limit on
	// time or evaluations, and Anneal otherwise.
	Auto Method = iota
	Exhaustive
	Anneal
	Walk  // random walks only (Beard 2013 §4.4)
	Climb // hill climbing from random walks
	Exact // branch and bound from a greedy mapping; only for throughput without limits
	// Mixed anneals from the result of list scheduling. When annealing brings no improvement, Mixed alternates between
	// restarts and branch and bound until the best mapping is proven optimal or a limit is reached.
	Mixed
)

// Methods returns the names of the methods, by number.
func Methods() []string {
	return []string{"auto", "exhaustive", "anneal", "walk", "climb", "exact", "mixed"}
}

// ParseMethod returns the method with the given name.
func ParseMethod(name string) (Method, error) {
	if i := slices.Index(Methods(), name); i >= 0 {
		return Method(i), nil
	}
	return 0, faults.WrongMethod.Errorf("method is %q, expected one of %s", name, strings.Join(Methods(), ", "))
}

// String returns the method's name.
func (m Method) String() string { return Methods()[min(int(m), len(Methods())-1)] }

// AutoExhaustive is the maximum number of mappings that Auto enumerates; this takes about one second.
const AutoExhaustive = 300_000

// Options configures a search. The zero value searches with the method Auto on one thread until the search converges.
type Options struct {
	Method  Method
	Seed    uint64
	Threads int // independent chains; 0 means 1
	// MaxTime and MaxEvals limit the search; 0 means no limit. Scored mappings, and partial mappings that branch and
	// bound visits, count as evaluations, over all runs of a resumed search. The last step may exceed MaxEvals
	// slightly. Equal seeds, inputs, threads and MaxEvals yield equal results. With MaxTime, the result depends on the
	// machine.
	MaxTime  time.Duration
	MaxEvals uint64
	Top      int // number of candidates to return; 0 means 5
	// ProofNodes limits the partial mappings that branch and bound visits after a search by another method. 0 means 10
	// million, or the remaining MaxEvals. A negative number disables branch and bound.
	ProofNodes int
	// Gap ends the search when the bound exceeds the best throughput by at most this fraction. 0 sets no such
	// condition.
	Gap float64
	// Goal contains the objectives and limits of the search.
	Goal Goal
	// Checkpoint, if set, usually receives the state of the search at least once per CheckpointEvery, and at the end.
	// The function must not retain the state. Resume is a state from which the search continues. With the same method,
	// seed, threads and top, the result is the same as without the interruption.
	Checkpoint      func(*State)
	CheckpointEvery time.Duration
	Resume          *State
	// Progress, if set, is called from one goroutine, at most ten times per second.
	Progress func(Progress)
}

// Progress is the state of a running search.
type Progress struct {
	Evals       uint64
	Elapsed     time.Duration
	Best        float64 // throughput of the best mapping, bytes/s; 0 before the first
	Value       float64 // value of the best mapping by the first objective, if that is not throughput
	Temperature float64
	Acceptance  float64 // fraction of accepted moves at the last annealing temperature
	Bound       float64 // upper bound on the throughput of any mapping, bytes/s; 0 if unknown
}

// Status is the reason why a search ended.
type Status uint8

// The reasons for the end of a search.
const (
	Optimal      Status = iota // all mappings were evaluated
	Converged                  // restarts brought no improvement
	TimeLimit                  // MaxTime was reached
	EvalLimit                  // MaxEvals was reached
	Interrupted                // the context was canceled
	Proven                     // branch and bound excluded better mappings
	GapReached                 // the best mapping is within Options.Gap of the bound
	CopiesTried                // changing the copies of any single kernel brings no improvement
	CopiesProven               // the bound on mappings with any copies is reached
	CopiesSlower               // copies are faster with unlimited buffers, but slower with their actual buffers
)

// String returns the status in words.
func (s Status) String() string {
	return [...]string{"optimal: all mappings were evaluated", "converged: restarts found no better mapping",
		"stopped at the time limit", "stopped at the limit of scored mappings", "interrupted",
		"optimal: proven by branch and bound", "stopped: the requested gap is reached",
		"xopt found no better copies of kernels",
		"optimal: the bound on mappings with copies is reached",
		"copies raise the throughput with unlimited buffers, but reduce it with recommended buffers"}[s]
}

// Result is the result of [Search].
type Result struct {
	// Candidates contains the best mappings, best first. No two placements differ only in the names of equal resources.
	// If there are several objectives, Candidates contains the Pareto front, sorted by the first objective.
	Candidates []Candidate
	Status     Status
	Method     Method // the method used, never Auto
	Evals      uint64 // number of scored mappings, in all runs
	// TooShort reports that the search scored fewer mappings than there are moves of one kernel.
	TooShort bool
	Elapsed  time.Duration
	Runs     int // number of runs of a resumed search
	// Space is the number of placements that implementations, fix and forbid permit. Placements that differ only in the
	// names of equal resources count separately.
	Space *big.Int
	// Mirrors reports that some resources are interchangeable. The search tries only one of several mappings that
	// differ only in the choice among these resources.
	Mirrors bool
	// LeftOut lists the placements that the search excludes, with reasons.
	LeftOut []string
	// Bound is an upper bound on the throughput of any mapping in bytes/s; 0 if unknown. ProofNodes is the number of
	// nodes that branch and bound visited.
	Bound      float64
	ProofNodes uint64
	// AloneBound is the bound on mappings without copies, if copies were tried, else 0. AloneProven reports that the
	// best mapping without copies reaches this bound with unlimited buffers.
	AloneBound  float64
	AloneProven bool
	// WithoutCopies reports that kernels could run in copies, but the search does not support them.
	WithoutCopies bool
	// Certificate is a self-contained proof of a bound; nil if there is none. That bound may be weaker than Bound.
	Certificate *Certificate
	// Weak lists the parts of the model that the bound ignores. These may explain a large gap.
	Weak     []string
	Seed     uint64
	Threads  int
	Annealed Annealed
	History  []Point // improvements of the best mapping, in order of evaluations
}

// Optimal reports whether no mapping is better than the first candidate.
func (r *Result) Optimal() bool {
	return r.Status == Optimal || r.Status == Proven || r.Status == CopiesProven
}

// patience is the number of consecutive restarts without improvement after which a chain has converged.
const patience = 4

// progressTolerance is the relative improvement that a change must exceed to count as progress.
const progressTolerance = 1e-9

// Search searches for the best mappings by the goal of the options. If ctx is canceled, it returns the best mappings
// found, with status Interrupted. The error is a *NoMappingError if there is no mapping, or reports invalid input.
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

// newRunner checks the input of a search, and returns its runner and a scorer.
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
		return nil, nil, goalErrorf(faults.MethodUnsuited, "--method exact supports only the objective throughput "+
			"without limits (use --method exhaustive or anneal)")
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

// refuse returns an error if the throughput of the scorer's mapping is 0 or unlimited, so that there is nothing to
// optimize.
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
