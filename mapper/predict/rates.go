package predict

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper"
	"xopt/mapper/result"
)

// Plan is a mapping with its design.
type Plan struct {
	Design    *design.Design
	Mapping   *flow.Mapping
	FlowBound float64 // throughput with unlimited buffers in B/s; 0 if unknown
}

// PlansOf returns a plan for each candidate of a search.
func PlansOf(d *design.Design, found []mapper.Candidate) []Plan {
	plans := make([]Plan, len(found))
	for i := range found {
		plans[i] = Plan{Design: d, Mapping: found[i].Mapping, FlowBound: found[i].Throughput}
	}
	return plans
}

// InOrder returns the candidates of a search in the order of plans.
func InOrder(plans []Plan, found []mapper.Candidate) []mapper.Candidate {
	sorted := make([]mapper.Candidate, len(plans))
	for i, p := range plans {
		sorted[i] = found[slices.IndexFunc(found, func(c mapper.Candidate) bool { return c.Mapping == p.Mapping })]
	}
	return sorted
}

// Rates contains the simulated throughputs of plans with their recommended buffers, in B/s.
type Rates struct {
	Buffered []result.Number // throughputs of the first plans, B/s; nil if Why is not empty
	Sized    []*Sized        // sizes of the same plans; nil if ByForms is set
	// ByForms reports that the sizes are from closed forms, because there was no time to check them by simulation.
	ByForms bool
	Why     string // reason why there are no rates
}

// SizesOf returns the recommended buffers by mapping; nil if these buffers were not simulated. plans must be in the
// order of the rates.
func (r *Rates) SizesOf(plans []Plan) map[*flow.Mapping]*Sized {
	if r.Why != "" || r.Sized == nil {
		return nil
	}
	sized := make(map[*flow.Mapping]*Sized)
	for i, z := range r.Sized {
		sized[plans[i].Mapping] = z
	}
	return sized
}

// The reasons why a plan has no rate.
var (
	errTooLarge    = errors.New("the application is too large to simulate its buffers")
	errTimeUp      = errors.New("time limit reached, or the search was interrupted")
	errFormsStop   = errors.New("the simulation with closed-form buffer sizes deadlocks")
	errCheckedStop = errors.New("the simulation with recommended buffers deadlocks")
)

// RatesWithBuffers simulates plans with their recommended buffers: first with quick closed-form sizes, then with sizes
// checked by simulation. A plan whose simulation deadlocks has no rate, because not the plan but its sizes cause the
// deadlock.
func RatesWithBuffers(ctx context.Context, plans []Plan, seed uint64) *Rates {
	forms, err := ratesOf(ctx, plans, quickRate(seed))
	if err != nil && !errors.Is(err, errFormsStop) {
		return &Rates{Why: err.Error()}
	}
	checked, errChecked := ratesOf(ctx, plans, checkedRate(seed))
	switch {
	case errChecked == nil:
		return checked
	case errors.Is(errChecked, errCheckedStop):
		return &Rates{Why: errChecked.Error()}
	case err != nil:
		return &Rates{Why: err.Error()}
	}
	forms.ByForms, forms.Sized = true, nil
	return forms
}

// rater returns the sizes and the throughput of one plan.
type rater func(context.Context, Plan) (*Sized, result.Number, error)

// checkedRate returns a rater with buffer sizes that are checked by simulation.
func checkedRate(seed uint64) rater {
	return func(ctx context.Context, p Plan) (*Sized, result.Number, error) {
		z, err := Size(ctx, p.Design, p.Mapping)
		if err != nil {
			return nil, 0, err
		}
		if !z.Simulated() {
			return nil, 0, errTooLarge
		}
		w, err := z.WithBuffers(ctx, seed)
		if err != nil {
			return nil, 0, err
		}
		if w.Stopped != "" {
			return nil, 0, errCheckedStop
		}
		return z, w.Throughput, nil
	}
}

// inTime rates as many plans as the time permits. The first plan may use the entire time; without its rate, inTime
// returns an error. In the returned list, the rated plans precede the plans without a rate.
func inTime(ctx context.Context, plans []Plan, rate rater) ([]Plan, *Rates, error) {
	late, first := make([]bool, len(plans)), &plans[0]
	all, err := ratesOf(ctx, plans, func(part context.Context, p Plan) (*Sized, result.Number, error) {
		if p.Mapping == first.Mapping {
			return rate(ctx, p)
		}
		z, v, err := rate(part, p)
		if err != nil && part.Err() != nil {
			late[slices.IndexFunc(plans, func(x Plan) bool { return x.Mapping == p.Mapping })], err = true, nil
		}
		return z, v, err
	})
	if err != nil {
		return nil, nil, err
	}
	var rated, left []Plan
	r := &Rates{}
	for i, p := range plans {
		if late[i] {
			left = append(left, p)
			continue
		}
		rated = append(rated, p)
		r.Buffered, r.Sized = append(r.Buffered, all.Buffered[i]), append(r.Sized, all.Sized[i])
	}
	return append(rated, left...), r, nil
}

// quickRate returns a rater with closed-form buffer sizes and a short simulation.
func quickRate(seed uint64) rater {
	return func(ctx context.Context, p Plan) (*Sized, result.Number, error) {
		z, err := SizeByForms(ctx, p.Design, p.Mapping)
		if err != nil {
			return nil, 0, err
		}
		if !z.Simulated() {
			return nil, 0, errTooLarge
		}
		rate, err := z.RateWithBuffers(ctx, seed)
		if err == nil && rate == 0 {
			err = errFormsStop
		}
		return nil, result.Number(rate), err
	}
}

// RankWithBuffers sorts plans by their throughput with recommended buffers, best first, and returns the given number of
// best plans with their rates. The plans must be in the order of their flow bounds. Plans within a tolerance of the
// best remaining plan keep their order. RankWithBuffers first compares plans by short simulations, and then the plans
// that it returns by long simulations. Plans without time for their long simulation are last, without rates. If there
// is no time for the first plan, all plans keep the order of their flow bounds, without rates.
func RankWithBuffers(ctx context.Context, plans []Plan, best int, seed uint64) ([]Plan, *Rates) {
	return rank(ctx, plans, best, quickRate(seed), checkedRate(seed))
}

// rank sorts plans like [RankWithBuffers], with the given raters for short and for long simulations.
func rank(ctx context.Context, plans []Plan, best int, quick, checked rater) ([]Plan, *Rates) {
	finalists := quickBest(ctx, plans, best, quick)
	rated, r, err := inTime(ctx, finalists, checked)
	if err != nil {
		return plans[:len(finalists)], &Rates{Why: err.Error()}
	}
	n := len(r.Buffered)
	return append(r.order(rated[:n], rateTolerance), rated[n:]...), r
}

// quickBest returns the best plans by short simulations. The plan with the highest flow bound is always among them,
// because the closed-form buffers of its short simulation may be too small.
func quickBest(ctx context.Context, plans []Plan, best int, quick rater) []Plan {
	ctx, cancel := PartOf(ctx, quickPart)
	defer cancel()
	n := min(best, len(plans))
	r, err := ratesOf(ctx, plans[:n], quick)
	if err != nil {
		return plans[:n]
	}
	minimum := slices.Min(r.Buffered)
	for n < len(plans) && plans[n].FlowBound > float64(minimum)*(1+quickTolerance) {
		m := min(n+best, len(plans))
		more, err := ratesOf(ctx, plans[n:m], quick)
		if err != nil {
			break
		}
		r.Buffered, r.Sized, n = append(r.Buffered, more.Buffered...), append(r.Sized, more.Sized...), m
		minimum = slices.Sorted(slices.Values(r.Buffered))[n-best]
	}
	return finalists(r.order(plans[:n], quickTolerance), plans[0], best)
}

// finalists returns the plan always, followed by the best of the other sorted plans. The first plan always has time for
// its long simulation.
func finalists(sorted []Plan, always Plan, best int) []Plan {
	others := slices.DeleteFunc(sorted, func(p Plan) bool { return p.Mapping == always.Mapping })
	return append([]Plan{always}, others[:min(best-1, len(others))]...)
}

// checkedPart is the fraction of the time of [RateBeside] for checking sizes by simulation.
const checkedPart = 0.6

// RateBeside rates a plan and other plans with their recommended buffers. It returns the plan, and the best other plans
// in the order of [RankWithBuffers]. If there is no time to check sizes by simulation, only the first two returned
// plans have rates. These rates are those of closed-form sizes.
func RateBeside(ctx context.Context, p Plan, others []Plan, best int, seed uint64) ([]Plan, *Rates) {
	checked, cancel := PartOf(ctx, checkedPart)
	defer cancel()
	ranked, rates := RankWithBuffers(checked, others, best, seed)
	plans := append([]Plan{p}, ranked...)
	if rates.Why == "" {
		if r, err := ratesOf(checked, plans[:1], checkedRate(seed)); err == nil {
			r.Buffered, r.Sized = append(r.Buffered, rates.Buffered...), append(r.Sized, rates.Sized...)
			return plans, r
		}
	}
	return plans, RatesWithBuffers(ctx, plans[:2], seed)
}

// quickPart is the fraction of the time for the short simulations of [RankWithBuffers]. The other two constants are the
// relative tolerances of throughputs from short and from long simulations.
const quickPart, quickTolerance, rateTolerance = 0.25, 0.02, 0.01

// order sorts plans and their rates in the order of [orderOf].
func (r *Rates) order(plans []Plan, tolerance float64) []Plan {
	order := orderOf(r.Buffered, tolerance)
	if r.Sized != nil {
		r.Sized = Selected(r.Sized, order)
	}
	r.Buffered = Selected(r.Buffered, order)
	return Selected(plans, order)
}

// orderOf returns the indices of rates in descending order. Rates within the tolerance keep their order: the next rate
// is always the first remaining rate within the tolerance of the best remaining rate.
func orderOf(rates []result.Number, tolerance float64) []int {
	left := make([]int, len(rates))
	for i := range left {
		left[i] = i
	}
	var order []int
	for len(left) > 0 {
		maximum := result.Number(0)
		for _, i := range left {
			maximum = max(maximum, rates[i])
		}
		at := slices.IndexFunc(left, func(i int) bool { return rates[i] >= maximum*result.Number(1-tolerance) })
		order, left = append(order, left[at]), slices.Delete(left, at, at+1)
	}
	return order
}

// ratesOf rates plans in parallel on all processors. It stops at the first error. Each plan has an equal share of the
// context's remaining time.
func ratesOf(ctx context.Context, plans []Plan, rate rater) (*Rates, error) {
	r := &Rates{Buffered: make([]result.Number, len(plans)), Sized: make([]*Sized, len(plans))}
	workers := runtime.GOMAXPROCS(0)
	group, all := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i, p := range plans {
		group.Go(func() error {
			part, cancel := PartOf(all, min(1, float64(workers)/float64(len(plans)-i)))
			defer cancel()
			var err error
			if r.Sized[i], r.Buffered[i], err = rate(part, p); err != nil && part.Err() != nil && all.Err() == nil {
				err = errTimeUp
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		if ctx.Err() != nil {
			err = errTimeUp
		}
		return nil, err
	}
	return r, nil
}

// PartOf returns a context that is done after a fraction of the time until ctx's deadline.
func PartOf(ctx context.Context, part float64) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(part*float64(time.Until(deadline))))
}
