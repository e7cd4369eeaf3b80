package predict

import (
	"context"
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
	Buffered []result.Number // of each plan; nil if Why is not empty
	Sized    []*Sized        // of each plan; nil if ByForms
	// ByForms reports that the sizes are those of closed forms: there was no time to check them by simulation.
	ByForms bool
	Why     string // no rates are known
}

// RatesWithBuffers simulates plans with their recommended buffers: with sizes of closed forms first, which takes little
// time, and then with sizes that are checked by simulation. Each plan has an equal part of the time that the context
// has left. A plan whose simulation stops has no rate: the recommended sizes are at fault, not the plan.
func RatesWithBuffers(ctx context.Context, plans []Plan, seed uint64) *Rates {
	r := &Rates{ByForms: true}
	stopped := ""
	for i, p := range plans {
		part, cancel := PartOf(ctx, 1/float64(len(plans)-i))
		z, err := SizeByForms(part, p.Design, p.Mapping)
		if err == nil && !z.Simulated() {
			r.Why = "the application is too large for a simulation of its buffers"
		}
		rate := 0.0
		if err == nil && r.Why == "" {
			rate, err = z.RateWithBuffers(part, seed)
		}
		if err != nil {
			r.Why = err.Error()
		}
		if part.Err() != nil {
			r.Why = "the time was up, or the search was interrupted"
		}
		if cancel(); r.Why != "" {
			return &Rates{Why: r.Why}
		}
		if r.Buffered = append(r.Buffered, result.Number(rate)); rate == 0 {
			stopped = "with buffers of closed forms a simulation stops"
		}
	}
	checked := &Rates{}
	for i, p := range plans {
		part, cancel := PartOf(ctx, 1/float64(len(plans)-i))
		z, err := Size(part, p.Design, p.Mapping)
		var w *result.WithBuffers
		if err == nil {
			w, err = z.WithBuffers(part, seed)
		}
		if err == nil && w.Stopped != "" {
			stopped = "with recommended buffers a simulation stops"
		}
		if cancel(); err != nil || w.Stopped != "" {
			break
		}
		checked.Buffered, checked.Sized = append(checked.Buffered, w.Throughput), append(checked.Sized, z)
	}
	switch {
	case len(checked.Buffered) == len(plans):
		return checked
	case stopped != "":
		return &Rates{Why: stopped}
	}
	return r
}

// PartOf returns a context for a step that may use a part of the time that a context has left.
func PartOf(ctx context.Context, part float64) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(part*float64(time.Until(end))))
}
