package testkit

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Eventually calls f repeatedly until f returns true, for at most five minutes, and reports whether f returned true.
// The limit is so long that the load of the machine does not affect the result.
func Eventually(f func() bool) bool {
	const limit, step = 5 * time.Minute, 10 * time.Millisecond
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(step) {
		if f() {
			return true
		}
	}
	return f()
}

// CPUTime returns the processor time of this process. Unlike elapsed time, processor time does not depend on the load
// of the machine.
func CPUTime(t testing.TB) time.Duration { return cpuTime(t, syscall.RUSAGE_SELF) }

// ChildTime returns the processor time of this process's ended children.
func ChildTime(t testing.TB) time.Duration { return cpuTime(t, syscall.RUSAGE_CHILDREN) }

func cpuTime(t testing.TB, who int) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(who, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// Countdown is a context that is canceled after a given number of calls of Err. Work that checks its context regularly
// thus ends after a certain amount of work, not after a certain time.
type Countdown struct {
	context.Context
	max    int64
	looks  atomic.Int64
	cancel context.CancelFunc
}

// NewCountdown returns a context that is canceled after the given number of calls of Err.
func NewCountdown(t testing.TB, looks int64) *Countdown {
	c := &Countdown{max: looks}
	c.Context, c.cancel = context.WithCancel(context.Background())
	t.Cleanup(c.cancel)
	return c
}

// Err implements [context.Context].
func (c *Countdown) Err() error {
	if c.looks.Add(1) > c.max {
		c.cancel()
	}
	return c.Context.Err()
}

// Late returns the number of calls of Err since the context was canceled.
func (c *Countdown) Late() int64 { return max(0, c.looks.Load()-c.max) }

// Looks returns the number of calls of Err.
func (c *Countdown) Looks() int64 { return c.looks.Load() }

// EndsSoon calls work with contexts that are canceled after different numbers of calls of Err. The test fails if a call
// does not return the error of its context after a few more calls of Err. Complete work must call Err at least often
// times.
func EndsSoon(t *testing.T, often int64, work func(ctx context.Context) error) {
	t.Helper()
	const late = 50
	complete := NewCountdown(t, 1<<40)
	if err := work(complete); err != nil {
		t.Fatal(err)
	}
	looks := complete.Looks()
	if looks < often {
		t.Errorf("it checks its context %d times, want at least %d", looks, often)
	}
	for _, at := range []int64{0, 1, looks / 3, looks / 2, looks - 1} {
		c := NewCountdown(t, at)
		if err := work(c); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled at check %d of %d: error %v", at+1, looks, err)
		}
		if c.Late() > late {
			t.Errorf("canceled at check %d of %d: %d checks after that", at+1, looks, c.Late())
		}
	}
}

// Long skips a test in short test runs (make test), but not in complete test runs (make test-all). why is the reason
// for the duration of the test. The short run must include a quick test of the same feature.
func Long(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("only in the complete test run (make test-all): %s", why)
	}
}
