package predict

import (
	"slices"
	"testing"

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
