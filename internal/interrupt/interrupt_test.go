package interrupt

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// TestDo ends a context during a computation that does not check it.
func TestDo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release, ended := make(chan struct{}), make(chan struct{})
	_, err := Do(ctx, func() (int, error) {
		defer close(ended)
		cancel()
		<-release
		return 1, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	close(release)
	<-ended
	if v, err := Do(t.Context(), func() (int, error) { return 2, nil }); v != 2 || err != nil {
		t.Errorf("got %d, %v", v, err)
	}
}

// TestOutlive checks that an interrupted computation is awaited if it has a result, and not otherwise.
func TestOutlive(t *testing.T) {
	for _, has := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		var found atomic.Bool
		found.Store(has)
		patience, stop := Outlive(ctx, time.Millisecond, found.Load)
		cancel()
		got, err := Do(patience, func() (int, error) {
			if !has {
				<-patience.Done() // a preparation that does not look at ctx
			}
			return 1, nil
		})
		if has && (got != 1 || err != nil) || !has && !errors.Is(err, context.Canceled) {
			t.Errorf("a result found: %t; got %d, %v", has, got, err)
		}
		stop()
	}
}
