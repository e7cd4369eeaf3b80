package profile

import (
	"testing"
	"time"
)

// TestAwaitQuiet: the wait ends after four quiet looks in succession, at the limit, or if it is cancelled; it returns
// the last load, so that the caller can warn of a machine that stayed busy.
func TestAwaitQuiet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		loads       []float64 // by look; the last one repeats
		limit       time.Duration
		cancelAfter int // looks; 0 for never
		looks, busy int
		last        float64
	}{
		{"one look without a limit", []float64{1.5}, 0, 0, 1, 0, 1.5},
		{"a quiet machine", []float64{0.1}, time.Minute, 0, 4, 0, 0.1},
		{"busy, then quiet", []float64{1, 1, 0.1}, time.Minute, 0, 6, 2, 0.1},
		{"a pause of a compiler", []float64{1, 0, 0, 0, 1, 0}, time.Minute, 0, 9, 2, 0},
		{"always busy", []float64{2}, 3 * time.Second, 0, 10, 9, 2},
		{"cancelled", []float64{2}, time.Hour, 3, 4, 3, 0},
	} {
		looks, busy := 0, 0
		got := awaitQuiet(c.limit, func(f Foreign) {
			if busy++; f.Disturbance() == "" {
				t.Errorf("%s: busy was called for a load of %g", c.name, f.Others)
			}
		}, func() (Foreign, bool) {
			looks++
			if c.cancelAfter > 0 && looks > c.cancelAfter {
				return Foreign{}, false
			}
			return Foreign{Others: c.loads[min(looks, len(c.loads))-1], Text: "busy"}, true
		})
		if looks != c.looks || busy != c.busy || got.Others != c.last {
			t.Errorf("%s: %v, want %v", c.name, []any{looks, busy, got.Others}, []any{c.looks, c.busy, c.last})
		}
	}
}
