package flow

import (
	"math/rand/v2"
	"testing"
)

// TestMoreBulkNeverCostsMore: with the bytes of a transfer, its cost per byte never rises. It is the cost of the
// complete elements that fit, and never less than that of all of its bytes.
func TestMoreBulkNeverCostsMore(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		element := float64(1 + rng.IntN(1000))
		before, size := 1e300, 0.0
		for range 20 {
			size += float64(1 + rng.IntN(500))
			l := Link{Sharing: Sharing{TransferCost: 1e-5, TransferBytes: size}}
			cost := l.TransferCost(element)
			if cost > before || cost < 1e-5/size*(1-1e-12) {
				t.Fatalf("elements of %g bytes in transfers of %g cost %g s/byte, after %g with less", element, size,
					cost, before)
			}
			if n := l.BulkElements(element); size >= element && !near(cost, 1e-5/(n*element), 0) {
				t.Fatalf("transfers of %g whole elements of %g bytes cost %g s/byte", n, element, cost)
			}
			before = cost
		}
	}
	for _, c := range []struct{ element, bulk, want float64 }{
		{256, 1000, 10e-6 / 768}, {256, 768, 10e-6 / 768}, {256, 1024, 10e-6 / 1024}, {256, 256, 10e-6 / 256},
		{256, 100, 30e-6 / 256}, {256, 0, 10e-6 / 256},
	} {
		l := Link{Sharing: Sharing{TransferCost: 10e-6, TransferBytes: c.bulk}}
		if got := l.TransferCost(c.element); !near(got, c.want, 0) {
			t.Errorf("elements of %g bytes with a bulk of %g cost %g s/byte, want %g", c.element, c.bulk, got, c.want)
		}
	}
}
