package sweep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/copies"
	"xopt/mapper/faults"
	"xopt/mapper/predict"
	"xopt/mapper/result"
)

// Answer is the result of the search at one point.
type Answer struct {
	None bool   // no mapping is feasible
	Note string // reason why no copies were tried; "" if there is nothing to report

	plain  *design.Design // design of the point, without copies
	design *design.Design // design of the mapping
	best   mapper.Candidate
	// unproven reports that no mapping was found, although one may exist.
	unproven bool
	proof
}

// proof contains the bound on all mappings, and whether the best mapping is proven optimal.
type proof struct {
	optimal bool
	alone   bool    // optimal among mappings without copies
	bound   float64 // B/s; 0 if unknown
	early   bool    // the search ended before it was complete
}

// optimal is the text for a mapping that is proven optimal.
const optimal = "optimal"

func (p proof) text(throughput float64) string {
	switch {
	case p.optimal:
		return optimal
	case p.alone && p.bound > 0:
		return "optimal without copies; within " + units.Percent(p.bound/throughput-1) + " of the bound with copies"
	case p.alone:
		return "optimal without copies"
	case p.bound > 0:
		return "within " + units.Percent(p.bound/throughput-1)
	}
	return "not proven"
}

// figures contains the values for the columns of a sweep's table.
type figures struct {
	throughput result.Number
	bottleneck string
	possible   []string // other possible bottlenecks
	stale      int
	result.Sureness
}

// comparePart reserves 1/comparePart of a point's time for comparing the best mappings with and without copies by their
// throughput with buffers.
const comparePart = 4

// Answer searches for the best mapping of a point's design.
func (s *Sweep) Answer(ctx context.Context, d *design.Design, i int) (*Answer, error) {
	o, limited, copying := s.Search, ctx, ctx
	if !s.Deadline.IsZero() {
		o.MaxTime = s.grant(i)
		var cancel, stop context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, o.MaxTime)
		defer cancel()
		copying = limited
		if s.Policy.Tries(d.Program) {
			copying, stop = context.WithTimeout(ctx, o.MaxTime-o.MaxTime/comparePart)
			defer stop()
			o.MaxTime = max(minTime, (o.MaxTime-o.MaxTime/comparePart)/2)
		}
	}
	// The time limit only shortens the search. Other points use the time that this point does not need.
	policy := s.Policy
	policy.Restarts = copies.RestartsUntimed
	found, err := mapper.Search(ctx, d.Problem, d.Constraints, o)
	var improved *copies.Improved
	if err == nil {
		improved, err = copies.Improve(copying, d, found, policy)
	} else {
		found, improved, err = copies.MeetLimits(copying, d, o, policy, err)
	}
	var none *mapper.NoMappingError
	switch {
	case errors.As(err, &none):
		return &Answer{None: true, unproven: !none.Proven}, nil
	case err != nil:
		return nil, fmt.Errorf("searching mappings: %w", err)
	}
	improved.Rank(limited, found, 1, s.BufferSeed)
	if found.WithoutCopies { // the proof does not include copies
		found.AloneProven, found.AloneBound, found.Bound = found.Optimal(), found.Candidates[0].Throughput, 0
	}
	return &Answer{Note: improved.Note, plain: d, design: improved.Design, best: found.Candidates[0],
		proof: proof{optimal: found.Optimal() && !found.WithoutCopies, bound: found.Bound,
			alone: improved.Design == d && found.AloneProven &&
				found.Candidates[0].Throughput >= found.AloneBound*(1-result.TieTolerance),
			early: improved.Left != "" || found.Status == mapper.TimeLimit ||
				found.Status == mapper.Interrupted}}, nil
}

// errOther reports that a stored answer does not match the input files.
var errOther = faults.AnswerOfOtherFiles.Errorf("a stored point of the sweep belongs to other input files " +
	"(start a new campaign)")

// Join adds the next point from a stored sweep of only that point. x is nil if the point was not computed. It loads the
// design only if the mapping differs from the mapping of the previous point. In a tie, it prefers the mapping of the
// previous point.
func (s *Sweep) Join(ctx context.Context, x *result.Sweep) error {
	i := len(s.Done.Points)
	if x == nil {
		s.Done.Points = append(s.Done.Points, result.SweptPoint{Values: s.Values(i), Mapping: -1,
			Proof: result.NotComputed, Bottleneck: "-"})
		return nil
	}
	if len(x.Points) != 1 {
		return errOther
	}
	p := x.Points[0]
	p.Values = s.Values(i)
	if p.Mapping < 0 {
		s.Done.Points = append(s.Done.Points, p)
		return nil
	}
	if len(x.Places) != 1 || len(x.Mappings) != 1 {
		return errOther
	}
	where, places, order := x.Mappings[0], x.Places[0], s.preferred(i)
	if len(order) > 0 && reflect.DeepEqual(s.Done.Places[order[0]], places) {
		where = s.Done.Mappings[order[0]]
	} else {
		plain, err := s.Design(ctx, i)
		if err != nil {
			return err
		}
		d := plain
		if places.Turns != nil {
			d = s.recreate(ctx, plain, &places)
		}
		if d != nil {
			return s.joinTied(ctx, plain, d, &p, x)
		}
	}
	s.add(p, where, places)
	return nil
}

// joinTied is like Join, but replaces the mapping by an earlier mapping that ties with it.
func (s *Sweep) joinTied(ctx context.Context, plain, d *design.Design, p *result.SweptPoint,
	x *result.Sweep) error {
	m := mappingOf(d, &x.Places[0])
	if m == nil {
		return errOther
	}
	best, err := mapper.CandidateFor(d.Problem, s.Search.Goal, m)
	if err != nil {
		return err
	}
	a := &Answer{plain: plain, design: d, best: *best, proof: proof{optimal: p.Proof == optimal,
		bound: float64(p.Bound), early: p.Early}}
	if !s.keepTied(ctx, len(s.Done.Points), a) {
		s.add(*p, x.Mappings[0], x.Places[0])
		return nil
	}
	return s.Add(ctx, a)
}

// Add adds the answer of the next point. In a tie, it prefers the mapping of the previous point, and then the first
// mapping that was the best at another point.
func (s *Sweep) Add(ctx context.Context, a *Answer) error {
	i := len(s.Done.Points)
	if a.None && a.unproven {
		s.addNone(i, "no mapping was found")
		return nil
	}
	if a.None {
		s.AddNone(i)
		return nil
	}
	s.keepTied(ctx, i, a)
	x, err := figuresOf(ctx, a.design, a.best.Mapping)
	if err != nil {
		return err
	}
	s.add(s.point(i, a.proof, &a.best, x), inWords(a.design, a.best.Mapping), placesOf(a.design, a.best.Mapping))
	return nil
}

// AddNone adds a point for which no mapping is feasible.
func (s *Sweep) AddNone(i int) {
	s.addNone(i, "no mapping is feasible")
}

func (s *Sweep) addNone(i int, why string) {
	s.Done.Points = append(s.Done.Points, result.SweptPoint{Values: s.Values(i), Mapping: -1, Proof: "-",
		Bottleneck: why})
}

// add adds a point with its mapping, where is the mapping's text.
func (s *Sweep) add(p result.SweptPoint, where string, places result.SweptMapping) {
	if p.Mapping = slices.Index(s.Done.Mappings, where); p.Mapping < 0 {
		p.Mapping = len(s.Done.Mappings)
		s.Done.Mappings, s.Done.Places = append(s.Done.Mappings, where), append(s.Done.Places, places)
	}
	s.Done.Points = append(s.Done.Points, p)
}

// point returns the result of a point.
func (s *Sweep) point(i int, existing proof, best *mapper.Candidate, x *figures) result.SweptPoint {
	p := result.SweptPoint{Values: s.Values(i), Throughput: x.throughput, Bottleneck: x.bottleneck,
		Possible: x.possible,
		Stale:    x.stale, Early: existing.early, Proof: existing.text(best.Throughput),
		Bound:    result.Number(existing.bound),
		Sureness: x.Sureness}
	if o := s.Search.Goal.First(); o != mapper.Throughput && s.Format != nil {
		p.Objective = s.Format(&result.Candidate{Throughput: x.throughput,
			Measures: &best.Measures}, o.String())
		p.Value = result.Number(best.Value)
	}
	return p
}

// figuresOf predicts the throughput and the other columns of a mapping.
func figuresOf(ctx context.Context, d *design.Design, m *flow.Mapping) (*figures, error) {
	// Compute the figures even after an interruption: the search may have found the mapping before.
	c, limiting, err := predict.Brief(context.WithoutCancel(ctx), d, m)
	if err != nil {
		return nil, err
	}
	var possible []string
	if len(c.Bottlenecks) > 0 {
		possible = c.Bottlenecks[0].Possible
	}
	return &figures{throughput: c.Throughput, bottleneck: strings.Join(limiting, ", "), possible: possible,
		stale: c.Stale,
		Sureness: result.Sureness{Figures: c.Figures, Disturbed: c.Disturbed, Interval: c.Interval,
			IntervalAssumed: c.IntervalAssumed}}, nil
}

// keepTied replaces the best mapping of an answer by a known mapping that ties with it. This is the mapping of the
// previous point, or the first mapping that was the best at another point. A mapping with copies is recreated only from
// the previous point.
func (s *Sweep) keepTied(ctx context.Context, i int, a *Answer) (kept bool) {
	for n, at := range s.preferred(i) {
		if at >= len(s.Done.Places) {
			continue // stored by an earlier version
		}
		x, d := &s.Done.Places[at], a.design
		switch {
		case maps.Equal(x.Turns, turnsOf(d)):
		case x.Turns == nil:
			d = a.plain
		case n == 0:
			d = s.recreate(ctx, a.plain, x)
		default:
			continue
		}
		if d == nil {
			continue
		}
		m := mappingOf(d, x)
		if m == nil {
			continue
		}
		if tied, ok := mapper.Tie(d.Problem, d.Constraints, s.Search.Goal, m, &a.best); ok {
			a.design, a.best = d, *tied
			return true
		}
	}
	return false
}

// preferred returns the mappings that are preferred in a tie at a point, in order, as indices of Places.
func (s *Sweep) preferred(i int) []int {
	var order []int
	if last := s.Varied[len(s.Varied)-1]; i%len(last.Values) > 0 && s.Done.Points[i-1].Mapping >= 0 {
		order = append(order, s.Done.Points[i-1].Mapping)
	}
	for m := range s.Done.Places {
		order = append(order, m)
	}
	return order
}
