package predict

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"xopt/flow"
	"xopt/mapper/result"
)

// TestOrder checks that plans are sorted by their rates, and that plans within the tolerance of the best of the others
// keep their order.
func TestOrder(t *testing.T) {
	for _, x := range []struct {
		rates []result.Number
		want  []int
	}{
		{[]result.Number{100, 90, 80}, []int{0, 1, 2}},
		{[]result.Number{99.5, 100, 80}, []int{0, 1, 2}},
		{[]result.Number{80, 99.5, 100, 81}, []int{1, 2, 3, 0}},
		{[]result.Number{80, 80.5, 100}, []int{2, 0, 1}},
	} {
		var plans []Plan
		for range x.rates {
			plans = append(plans, Plan{Mapping: &flow.Mapping{}})
		}
		r := &Rates{Buffered: slices.Clone(x.rates), Sized: make([]*Sized, len(x.rates))}
		for i, p := range r.order(plans, 0.01) {
			if p.Mapping != plans[x.want[i]].Mapping || r.Buffered[i] != x.rates[x.want[i]] {
				t.Errorf("%v: place %d has %g, want plan %d", x.rates, i, r.Buffered[i], x.want[i])
			}
		}
	}
}

// TestRatesInTime checks that a plan without time keeps no other one from being rated, that it is last, and that the
// first plan must be rated.
func TestRatesInTime(t *testing.T) {
	plans := make([]Plan, 4)
	for i := range plans {
		plans[i].Mapping = &flow.Mapping{Place: []int{i}}
	}
	rates := func(slow int) rater {
		return func(ctx context.Context, p Plan) (*Sized, result.Number, error) {
			if i := p.Mapping.Place[0]; i != slow {
				return &Sized{}, result.Number(100 + i), nil
			}
			<-ctx.Done()
			return nil, 0, ctx.Err()
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	sorted, r, err := inTime(ctx, plans, rates(1))
	if err != nil || len(r.Sized) != 3 || !slices.Equal(r.Buffered, []result.Number{100, 102, 103}) {
		t.Fatalf("rates %+v, error %v, want those of plans 0, 2 and 3", r, err)
	}
	for at, i := range []int{0, 2, 3, 1} {
		if sorted[at].Mapping != plans[i].Mapping {
			t.Errorf("place %d has plan %d, want %d", at, sorted[at].Mapping.Place[0], i)
		}
	}
	if _, _, err = inTime(ctx, plans, rates(0)); !errors.Is(err, errTimeUp) {
		t.Errorf("without the first plan: error %v, want that the time is up", err)
	}
}

// TestRankKeepsHighestBound checks that the plan with the highest flow bound is rated by a long simulation although
// short simulations rate it lower, and that plans keep the order of their flow bounds if there is no time to check.
func TestRankKeepsHighestBound(t *testing.T) {
	plans := make([]Plan, 5)
	for i := range plans {
		plans[i] = Plan{Mapping: &flow.Mapping{Place: []int{i}}, FlowBound: float64(200 - i)}
	}
	quick := func(_ context.Context, p Plan) (*Sized, result.Number, error) {
		return nil, result.Number(100 + p.Mapping.Place[0]*10), nil // the reverse of the flow bounds
	}
	checked := func(_ context.Context, p Plan) (*Sized, result.Number, error) {
		return &Sized{}, result.Number(p.FlowBound), nil
	}
	are := func(sorted []Plan, first, second int) bool {
		return len(sorted) == 2 && sorted[0].Mapping == plans[first].Mapping &&
			sorted[1].Mapping == plans[second].Mapping
	}
	sorted, r := rank(t.Context(), plans, 2, quick, checked)
	if r.Why != "" || !are(sorted, 0, 4) {
		t.Errorf("ranked %v with rates %+v, want plans 0 and 4", sorted, r)
	}
	only := func(ctx context.Context, p Plan) (*Sized, result.Number, error) {
		if p.Mapping == plans[0].Mapping {
			return &Sized{}, result.Number(p.FlowBound), nil
		}
		<-ctx.Done()
		return nil, 0, ctx.Err()
	}
	short, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	sorted, r = rank(short, plans, 2, quick, only)
	if r.Why != "" || len(r.Buffered) != 1 || !are(sorted, 0, 4) {
		t.Errorf("with time for one: %v with rates %+v, want plans 0 and 4, the first with a rate", sorted, r)
	}
	late := func(ctx context.Context, _ Plan) (*Sized, result.Number, error) {
		<-ctx.Done()
		return nil, 0, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	sorted, r = rank(ctx, plans, 2, quick, late)
	if r.Why == "" || !are(sorted, 0, 1) {
		t.Errorf("without time: %v with rates %+v, want plans 0 and 1 and a reason", sorted, r)
	}
}
