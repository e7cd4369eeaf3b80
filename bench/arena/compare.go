package arena

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// ErrNotApplicable reports that a method does not support a problem, or that a program it requires is not installed.
var ErrNotApplicable = errors.New("method not applicable")

// Opponent is a mapping method that the arena compares with xopt.
type Opponent struct {
	Name string
	// Run returns a valid placement with a small period. The error wraps [ErrNotApplicable] if the method does not
	// support the problem. When ctx is done, Run returns the best placement found, or the error of ctx if there is
	// none. Otherwise, equal seeds yield equal placements.
	Run func(ctx context.Context, p *Problem, seed uint64) (Placement, error)
}

// Options configures a comparison.
type Options struct {
	SearchOptions
	Opponents []Opponent
	Progress  func(done, all int) // called before each instance; may be nil
}

// minTime is the minimum time limit of an opponent. The limit is the time that xopt used, which may be only
// milliseconds if xopt proves its result.
const minTime = time.Second

// Score is the result of one opponent for an instance.
type Score struct {
	Method  string  `json:"method"`
	Period  float64 `json:"period"`           // s; 0 for none
	Seconds float64 `json:"seconds"`          // measured duration
	Reason  string  `json:"reason,omitempty"` // reason why the method has no placement
}

// Row contains the results of all methods for an instance. Periods are computed, and durations are measured, all in s.
type Row struct {
	Set        string   `json:"set"`
	Name       string   `json:"name"`
	Tasks      int      `json:"tasks"`
	Cores      int      `json:"cores"`
	Replicable int      `json:"replicable"`
	Period     float64  `json:"period"`
	Bound      float64  `json:"bound"` // lower bound of the period; 0 if unknown
	Gap        *float64 `json:"gap"`   // largest possible improvement of the throughput; nil without a bound
	Proven     bool     `json:"proven"`
	BestAfter  float64  `json:"bestAfter"`           // time until the search found its best mapping
	Seconds    float64  `json:"seconds"`             // time until the proof, or the end of the search
	Published  float64  `json:"published,omitempty"` // shortest published period; 0 for none
	Rate       float64  `json:"movesPerSecondAndThread"`
	Left       string   `json:"left,omitempty"` // reason why the search omitted some or all copies
	Note       string   `json:"note,omitempty"`
	Scores     []Score  `json:"opponents"`
}

// Tie is the relative difference up to which two periods count as equal. A search for copies ends when its plan is
// proven optimal to this precision. Opponents may divide a task in any ratio, but xopt only in complete batches.
const Tie = 1e-3

// Best returns the result of the opponent with the smallest period; nil if no opponent has a placement.
func (r *Row) Best() *Score {
	var best *Score
	for i := range r.Scores {
		if s := &r.Scores[i]; s.Period > 0 && (best == nil || s.Period < best.Period) {
			best = s
		}
	}
	return best
}

// Lead returns the relative difference between the throughput of the best opponent and the throughput of xopt: 0.01
// means that the opponent is 1 % faster. It returns 0 if the results tie, or if no opponent has a placement.
func (r *Row) Lead() float64 {
	best := r.Best()
	if best == nil || math.Abs(r.Period/best.Period-1) <= Tie {
		return 0
	}
	return r.Period/best.Period - 1
}

// Winner returns the name of the best method, "equal" for a tie, or "" if no opponent has a placement.
func (r *Row) Winner() string {
	switch lead := r.Lead(); {
	case r.Best() == nil:
		return ""
	case lead > 0:
		return r.Best().Method
	case lead == 0:
		return "equal"
	}
	return "xopt"
}

// Compare runs the search and the opponents on the instances, one instance after the other. When ctx is done, it
// returns the complete rows and the error of ctx. A result that contradicts the cost model or a bound is an error.
func Compare(ctx context.Context, list []Instance, o *Options) ([]Row, error) {
	rows := make([]Row, 0, len(list))
	for n := range list {
		if o.Progress != nil {
			o.Progress(n, len(list))
		}
		i := &list[n]
		found, err := i.Search(ctx, o.SearchOptions)
		if err != nil {
			return rows, err
		}
		r, err := i.row(found)
		if err != nil {
			return rows, err
		}
		r.Scores, err = i.challenge(ctx, max(minTime, found.Elapsed), o)
		if ctx.Err() != nil {
			return rows, ctx.Err()
		}
		if err != nil {
			return rows, err
		}
		if best := r.Best(); best != nil && best.Period < r.Bound*(1-1e-9) {
			return rows, fmt.Errorf("%s: the placement of %s has a period of %g s, below xopt's bound of %g s", r.Name,
				best.Method, best.Period, r.Bound)
		}
		rows = append(rows, *r)
	}
	return rows, nil
}

// row returns a row with the result of xopt, without opponents. It returns an error if xopt's model and the arena's
// cost model compute different periods.
func (i *Instance) row(f *Found) (*Row, error) {
	p := &i.Problem
	if err := p.Check(f.Placement); err != nil {
		return nil, err
	}
	if period := p.Period(f.Placement); math.Abs(period/f.Period-1) > 1e-9 {
		return nil, fmt.Errorf("%s: xopt's mapping has a period of %g s in X, but of %g s in the arena's cost model",
			p.Name, f.Period, period)
	}
	r := &Row{Set: i.Set, Name: p.Name, Tasks: len(p.Tasks), Cores: len(p.Cores), Replicable: i.replicable(),
		Period: f.Period, Bound: f.Bound, Proven: f.Proven, BestAfter: f.Best.Seconds(), Seconds: f.Elapsed.Seconds(),
		Published: i.Published, Rate: f.Rate, Left: f.Left, Note: i.Note, Scores: []Score{}}
	if gap := f.Gap(); gap >= 0 {
		r.Gap = &gap
	}
	return r, nil
}

// replicable returns the number of replicable tasks.
func (i *Instance) replicable() int {
	n := 0
	for t := range i.Problem.Tasks {
		if i.Problem.Tasks[t].Replicable {
			n++
		}
	}
	return n
}

// challenge runs the opponents, at most as many in parallel as the search has threads.
func (i *Instance) challenge(ctx context.Context, limit time.Duration, o *Options) ([]Score, error) {
	scores, failed := make([]Score, len(o.Opponents)), make([]error, len(o.Opponents))
	free := make(chan struct{}, max(o.Threads, 1))
	var all sync.WaitGroup
	for n := range o.Opponents {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			scores[n], failed[n] = i.run(ctx, &o.Opponents[n], limit, o.Seed)
		})
	}
	all.Wait()
	return scores, errors.Join(failed...)
}

// run runs an opponent and checks its placement. It returns an error only for an invalid placement. For other failures,
// the score contains the reason.
func (i *Instance) run(ctx context.Context, by *Opponent, limit time.Duration, seed uint64) (Score, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	begun := time.Now()
	placement, err := by.Run(ctx, &i.Problem, seed)
	s := Score{Method: by.Name, Seconds: time.Since(begun).Seconds()}
	switch {
	case errors.Is(err, ErrNotApplicable):
		s.Reason = "not applicable"
		return s, nil
	case err != nil:
		s.Reason = err.Error()
		return s, nil
	}
	if err := i.Problem.Check(placement); err != nil {
		return s, fmt.Errorf("%s: %w", by.Name, err)
	}
	s.Period = i.Problem.Period(placement)
	return s, nil
}

// Check returns an error if a placement is invalid. The shares of each task must be on existing cores, and add up to 1.
// Only replicable tasks may have several shares.
func (p *Problem) Check(placement Placement) error {
	if len(placement) != len(p.Tasks) {
		return fmt.Errorf("%s: the placement has %d tasks, but the problem has %d tasks", p.Name, len(placement),
			len(p.Tasks))
	}
	for t, shares := range placement {
		total := 0.0
		for _, s := range shares {
			if s.Core < 0 || s.Core >= len(p.Cores) || s.Part < 0 {
				return fmt.Errorf("%s: task %s has a share of %g on core %d (expected a share of at least 0, and "+
					"a core below %d)", p.Name, p.Tasks[t].Name, s.Part, s.Core, len(p.Cores))
			}
			total += s.Part
		}
		if math.Abs(total-1) > 1e-9 || len(shares) > 1 && !p.Tasks[t].Replicable {
			return fmt.Errorf("%s: task %s has %d shares with a sum of %g (expected a sum of 1, and one share for a "+
				"task with state)", p.Name, p.Tasks[t].Name, len(shares), total)
		}
	}
	return nil
}
