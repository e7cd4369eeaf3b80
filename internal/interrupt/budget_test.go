package interrupt

import (
	"context"
	"testing"
	"time"
)

// TestBudget computes the reserved time by hand: two fifths of a short limit, 10 s of a long one, and half of the limit
// if loading was slow.
func TestBudget(t *testing.T) {
	for _, c := range []struct{ limit, loaded, computing time.Duration }{
		{10 * time.Second, 0, 6 * time.Second},
		{time.Minute, 0, 50 * time.Second},
		{20 * time.Second, 8 * time.Second, 10 * time.Second},
	} {
		b := Budget{time.Now().Add(-c.loaded), c.limit}
		if got := b.Deadline().Sub(b.Begun); got != c.computing {
			t.Errorf("limit %v, %v for loading: %v, want %v", c.limit, c.loaded, got, c.computing)
		}
		if got := b.Expiry().Sub(b.Begun); got != c.limit {
			t.Errorf("limit %v: ends after %v", c.limit, got)
		}
	}
}

// TestFinishing checks that completing a result gets a tenth of a limit that has passed, and no end without a limit.
func TestFinishing(t *testing.T) {
	late := Budget{time.Now().Add(-time.Hour), 100 * time.Second}
	ctx, cancel := late.Finishing(t.Context())
	defer cancel()
	deadline, ok := ctx.Deadline()
	if left := time.Until(deadline); !ok || left > 10*time.Second || left < time.Second {
		t.Errorf("%v are left, %v", left, ok)
	}
	if !(Budget{}).Deadline().IsZero() || !(Budget{}).Expiry().IsZero() {
		t.Error("a budget without a limit ends")
	}
	for _, open := range []func() (context.Context, context.CancelFunc){
		func() (context.Context, context.CancelFunc) { return Budget{}.Finishing(t.Context()) },
		func() (context.Context, context.CancelFunc) { return Until(t.Context(), time.Time{}) },
	} {
		ctx, cancel := open()
		if _, ok := ctx.Deadline(); ok || ctx.Err() != nil {
			t.Error("a context without a limit ends")
		}
		cancel()
	}
}
