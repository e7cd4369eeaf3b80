package sweep

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/internal/units"
	"xopt/mapper"
	"xopt/mapper/predict"
	"xopt/mapper/replicate"
	"xopt/mapper/result"
)

// Answer is the outcome of the search at one point, as campaigns store it.
type Answer struct {
	None       bool                 `json:"none,omitempty"` // no mapping is feasible
	Mapping    *result.SweptMapping `json:"mapping,omitempty"`
	Where      string               `json:"where,omitempty"` // the mapping in words, where kernels run in copies
	Throughput result.Number        `json:"throughput"`
	Value      result.Number        `json:"value"` // of the objective
	Bound      result.Number        `json:"bound"` // B/s; 0 for none
	Optimal    bool                 `json:"optimal"`
	Resources  int                  `json:"resources"`
	Traffic    result.Number        `json:"traffic"`
	Cores      int                  `json:"cores"`
	Measures   []result.Number      `json:"measures"` // in the order of measureFields
	Summary    Summary              `json:"told"`
	// Note is why no copies were tried; "" for nothing to report.
	Note string `json:"-"`

	design *design.Design // of the mapping; nil for an answer that was stored
	best   mapper.Candidate
}

// Summary is the figures of a mapping that a table of a sweep shows.
type Summary struct {
	Throughput result.Number `json:"throughput"`
	Bottleneck string        `json:"bottleneck"`
	Stale      int           `json:"stale,omitempty"` // figures
}

// Answer searches a design, that of a point.
func (s *Sweep) Answer(ctx context.Context, d *design.Design, i int) (*Answer, error) {
	o, limited := s.Search, ctx
	if !s.End.IsZero() {
		o.MaxTime = share(time.Until(s.End), s.Points()-i)
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, o.MaxTime)
		defer cancel()
		if s.Policy.Tries(d.Program) {
			o.MaxTime = max(minTime, o.MaxTime/2)
		}
	}
	// A limit ends the search of a point, and does not make it longer: what the point leaves is for the others.
	policy := s.Policy
	policy.Restarts = replicate.RestartsUntimed
	found, err := mapper.Search(ctx, d.Problem, d.Constraints, o)
	var none *mapper.NoMappingError
	switch {
	case errors.As(err, &none):
		return &Answer{None: true}, nil
	case err != nil:
		return nil, fmt.Errorf("searching mappings: %w", err)
	}
	improved, err := replicate.Improve(limited, d, found, policy)
	if err != nil {
		return nil, err
	}
	a := &Answer{Note: improved.Note, design: improved.Design, best: found.Candidates[0],
		Bound: result.Number(found.Bound), Optimal: found.Optimal()}
	return a, a.store(ctx)
}

// store fills in the fields that campaigns store.
func (a *Answer) store(ctx context.Context) error {
	b := &a.best
	summary, err := summarize(ctx, a.design, b.Mapping)
	if err != nil {
		return err
	}
	places := placesOf(a.design, b.Mapping)
	if places.Turns != nil {
		a.Where = inWords(a.design, b.Mapping)
	}
	a.Mapping, a.Summary, a.Throughput, a.Value = &places, *summary, result.Number(b.Throughput), result.Number(b.Value)
	a.Resources, a.Traffic, a.Cores = b.Resources, result.Number(b.Traffic), b.Measures.Cores
	for _, f := range measureFields(&b.Measures) {
		a.Measures = append(a.Measures, result.Number(*f))
	}
	return nil
}

// measureFields lists the measures that are not whole numbers.
func measureFields(m *mapper.Measures) []*float64 {
	return []*float64{&m.Rate, &m.Latency, &m.Worst, &m.Buffers, &m.Buffer, &m.Area, &m.Power, &m.Energy, &m.Price}
}

// errOther is the error of an answer that does not fit the files.
var errOther = errors.New("the answer of a point is not of these files")

// restore fills in the best mapping of an answer that was stored. With copies its design stays nil: the program with
// the copies is not made again.
func (a *Answer) restore(d *design.Design) error {
	if a.design != nil {
		return nil
	}
	a.best = mapper.Candidate{Throughput: float64(a.Throughput), Value: float64(a.Value), Resources: a.Resources,
		Traffic: float64(a.Traffic), Measures: mapper.Measures{Cores: a.Cores}}
	fields := measureFields(&a.best.Measures)
	if a.Mapping == nil || len(a.Measures) != len(fields) {
		return errOther
	}
	for i, f := range fields {
		*f = float64(a.Measures[i])
	}
	if a.Mapping.Turns != nil || d == nil {
		return nil
	}
	if a.best.Mapping = mappingOf(d, a.Mapping); a.best.Mapping == nil {
		return errOther
	}
	a.design = d
	return nil
}

// AddMissing adds a point that was not computed.
func (s *Sweep) AddMissing(i int) {
	s.Done.Points = append(s.Done.Points, result.SweptPoint{Values: s.Values(i), Mapping: -1,
		Proof: result.NotComputed, Bottleneck: "-"})
}

// AddQuickly adds the answer of a point without its design, and reports whether that is possible: if there is no
// mapping, or if it is the mapping of the point before, which is preferred to all that tie with it.
func (s *Sweep) AddQuickly(i int, a *Answer) (bool, error) {
	if a.None {
		s.AddNone(i)
		return true, nil
	}
	if err := a.restore(nil); err != nil {
		return false, err
	}
	order := s.preferred(i)
	if len(order) == 0 || !reflect.DeepEqual(s.Done.Places[order[0]], *a.Mapping) {
		return false, nil
	}
	s.add(s.point(i, a, &a.best, &a.Summary), s.Done.Mappings[order[0]], *a.Mapping)
	return true, nil
}

// Add adds the answer of the next point, with its design. Of mappings that tie it chooses that of the point before, or
// the first that was the best anywhere: only what is better is another.
func (s *Sweep) Add(ctx context.Context, d *design.Design, a *Answer) error {
	i := len(s.Done.Points)
	if a.None {
		s.AddNone(i)
		return nil
	}
	if err := a.restore(d); err != nil {
		return err
	}
	if a.design == nil {
		s.add(s.point(i, a, &a.best, &a.Summary), a.Where, *a.Mapping)
		return nil
	}
	best := s.keepTied(a.design, i, &a.best)
	summary, err := summarize(ctx, a.design, best.Mapping)
	if err != nil {
		return err
	}
	s.add(s.point(i, a, best, summary), inWords(a.design, best.Mapping), placesOf(a.design, best.Mapping))
	return nil
}

// AddNone adds a point without a feasible mapping.
func (s *Sweep) AddNone(i int) {
	s.Done.Points = append(s.Done.Points, result.SweptPoint{Values: s.Values(i), Mapping: -1, Proof: "-",
		Bottleneck: "no mapping is feasible"})
}

// add adds a point with its mapping.
func (s *Sweep) add(p result.SweptPoint, where string, places result.SweptMapping) {
	if p.Mapping = slices.Index(s.Done.Mappings, where); p.Mapping < 0 {
		p.Mapping = len(s.Done.Mappings)
		s.Done.Mappings, s.Done.Places = append(s.Done.Mappings, where), append(s.Done.Places, places)
	}
	s.Done.Points = append(s.Done.Points, p)
}

// point returns the row of a point.
func (s *Sweep) point(i int, a *Answer, best *mapper.Candidate, x *Summary) result.SweptPoint {
	p := result.SweptPoint{Values: s.Values(i), Throughput: x.Throughput, Bottleneck: x.Bottleneck, Stale: x.Stale}
	if o := s.Search.Goal.First(); o != mapper.Throughput && s.Format != nil {
		p.Objective = s.Format(&result.Candidate{Throughput: x.Throughput,
			Measures: predict.MeasuresOf(&best.Measures)}, o.String())
		p.Value = result.Number(best.Value)
	}
	switch {
	case a.Optimal:
		p.Proof = "optimal"
	case a.Bound > 0:
		p.Proof = "within " + units.Percent(float64(a.Bound)/best.Throughput-1)
	default:
		p.Proof = "not proven"
	}
	return p
}

// summarize computes the figures of a mapping.
func summarize(ctx context.Context, d *design.Design, m *flow.Mapping) (*Summary, error) {
	n, err := flow.NewNetwork(d.Problem, m)
	if err != nil {
		return nil, err
	}
	s, err := flow.Fast{}.Solve(context.WithoutCancel(ctx), n) // what was found before an interruption counts, too
	if err != nil {
		return nil, err
	}
	x := &Summary{Throughput: result.Number(s.Throughput), Bottleneck: strings.Join(s.Limiting(n), ", ")}
	for _, c := range d.Citations(m) {
		if c.Stale != "" {
			x.Stale += c.Figures
		}
	}
	return x, nil
}

// keepTied returns the mapping of the point before, or the first of the mappings that were the best at other points,
// if it ties with the best of this point; else the best.
func (s *Sweep) keepTied(d *design.Design, i int, best *mapper.Candidate) *mapper.Candidate {
	for _, at := range s.preferred(i) {
		if at >= len(s.Done.Places) {
			continue // stored by an earlier version
		}
		m := mappingOf(d, &s.Done.Places[at])
		if m == nil {
			continue
		}
		if tied, ok := mapper.Tie(d.Problem, d.Constraints, s.Search.Goal, m, best); ok {
			return tied
		}
	}
	return best
}

// preferred returns the mappings that are preferred to others that tie with them at a point, the first most, as indices
// of Places.
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
