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
	// Mixed anneals from the result of list scheduling. When this brings no improvement, it alternates between restarts
	// and branch and bound until the best mapping is proven optimal or a limit is reached.
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

// AutoExhaustive is the maximum number of mappings that Auto enumerates, about one second of work.
const AutoExhaustive = 300_000

// Options configure a search. The zero value searches by Auto on one thread until the search converges.
type Options struct {
	Method  Method
	Seed    uint64
	Threads int // independent chains; 0 means 1
	// MaxTime and MaxEvals limit the search; 0 means no limit. Evaluations are the scored mappings and the partial
	// mappings that branch and bound visits, over all runs of a resumed search. The last step may exceed MaxEvals
	// slightly. Equal seeds, inputs, threads and MaxEvals yield equal results. With MaxTime, the result depends on the
	// machine.
	MaxTime  time.Duration
	MaxEvals uint64
	Top      int // candidates to return; 0 means 5
	// ProofNodes limits the partial mappings that branch and bound visits after a search by another method. 0 means 10
	// million, or the remaining MaxEvals. A negative number means no branch and bound.
	ProofNodes int
	// Gap ends the search when the bound exceeds the best throughput by at most this fraction; 0 continues until the
	// best mapping is proven optimal.
	Gap float64
	// Goal contains the objectives and limits of the search.
	Goal Goal
	// Checkpoint, if set, receives the state of the search at least every CheckpointEvery, and at the end. The function
	// must not retain the state. Resume continues from such a state. With the same method, seed, threads and top, the
	// search ends as if it had not been interrupted.
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
	Acceptance  float64 // fraction of accepted moves at the last temperature
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
	CopiesSlower               // copies are faster by the model, but slower with their buffers
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

// Result is the result of a search.
type Result struct {
	// Candidates are sorted, best first. Their placements differ in more than the names of equal resources. If there
	// are several objectives, they are the Pareto front, sorted by the first objective.
	Candidates []Candidate
	Status     Status
	Method     Method // the method used, never Auto
	Evals      uint64 // number of scored mappings, in all runs
	// TooShort reports that the search did not try every kernel on another resource.
	TooShort bool
	Elapsed  time.Duration
	Runs     int // number of runs of a resumed search
	// Space is the number of placements that implementations, fix and forbid permit, including renamings.
	Space *big.Int
	// Mirrors reports that some resources are interchangeable. If mappings differ only in the choice among these
	// resources, the search tries one of them.
	Mirrors bool
	// LeftOut lists the placements outside the space, with reasons.
	LeftOut []string
	// Bound is an upper bound on the throughput of any mapping in bytes/s; 0 if unknown. ProofNodes is the number of
	// nodes that were visited to prove it.
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
	History  []Point // rises of the best throughput, in order of time
}

// Optimal reports whether no mapping is better than the first candidate.
func (r *Result) Optimal() bool {
	return r.Status == Optimal || r.Status == Proven || r.Status == CopiesProven
}

// patience is the number of consecutive descents without improvement after which a chain has converged.
const patience = 4

// progressTolerance is the relative improvement up to which a change does not count as progress.
const progressTolerance = 1e-9

// Search searches for the mappings with the highest throughput. If ctx is canceled, it returns the best mappings so
// far, with status Interrupted. The error is a *NoMappingError, or reports an invalid problem.
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

// refuse rejects applications without a throughput to optimize.
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
