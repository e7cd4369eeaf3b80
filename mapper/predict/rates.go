package predict

import (
	"context"
	"errors"
	"time"

	"xopt/flow"
	"xopt/flow/design"
	"xopt/mapper/result"
)

// Plan is a mapping of a design.
type Plan struct {
	Design  *design.Design
	Mapping *flow.Mapping
}

// Rates are the throughputs of plans with their recommended buffers, in B/s.
type Rates struct {
	Buffered []result.Number // by plan, B/s; nil if Why is not empty
	Sized    []*Sized        // by plan; nil if ByForms
	// ByForms is set if the sizes come from closed forms, because there was no time to check them by simulation.
	ByForms bool
	Why     string // the reason why there are no rates
}

// The reasons for which plans have no rates.
var (
	errTooLarge    = errors.New("the application is too large for a simulation of its buffers")
	errTimeUp      = errors.New("the time was up, or the search was interrupted")
	errFormsStop   = errors.New("with buffers of closed forms a simulation stops")
	errCheckedStop = errors.New("with recommended buffers a simulation stops")
)

// RatesWithBuffers simulates plans with their recommended buffers: first with quick closed-form sizes, then with
// sizes checked by simulation. A plan whose simulation deadlocks has no rate, because the sizes are at fault, not the
// plan.
func RatesWithBuffers(ctx context.Context, plans []Plan, seed uint64) *Rates {
	forms, err := ratesOf(ctx, plans, func(ctx context.Context, p Plan) (*Sized, result.Number, error) {
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
	})
	if err != nil && !errors.Is(err, errFormsStop) {
		return &Rates{Why: err.Error()}
	}
	checked, errChecked := ratesOf(ctx, plans, func(ctx context.Context, p Plan) (*Sized, result.Number, error) {
		z, err := Size(ctx, p.Design, p.Mapping)
		if err != nil {
			return nil, 0, err
		}
		w, err := z.WithBuffers(ctx, seed)
		if err != nil {
			return nil, 0, err
		}
		if w.Stopped != "" {
			return nil, 0, errCheckedStop
		}
		return z, w.Throughput, nil
	})
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

// ratesOf rates plans in turn, until one has no rate. Each plan has an equal share of the context's remaining time.
func ratesOf(ctx context.Context, plans []Plan,
	rate func(context.Context, Plan) (*Sized, result.Number, error)) (*Rates, error) {
	r := &Rates{}
	for i, p := range plans {
		part, cancel := PartOf(ctx, 1/float64(len(plans)-i))
		z, x, err := rate(part, p)
		if err != nil && part.Err() != nil {
			err = errTimeUp
		}
		if cancel(); err != nil {
			return nil, err
		}
		r.Buffered, r.Sized = append(r.Buffered, x), append(r.Sized, z)
	}
	return r, nil
}

// PartOf returns a context with a fraction of the remaining time.
func PartOf(ctx context.Context, part float64) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(part*float64(time.Until(end))))
}
