package testkit

import (
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Eventually waits until something is true, and reports whether it became so. The limit only ends what never does:
// no machine is so busy that it decides.
func Eventually(f func() bool) bool {
	const limit, step = 5 * time.Minute, 10 * time.Millisecond
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(step) {
		if f() {
			return true
		}
	}
	return f()
}

// CPUTime returns the processor time that this process has used: it is the same however busy the machine is.
func CPUTime(t testing.TB) time.Duration { return cpuTime(t, syscall.RUSAGE_SELF) }

// ChildTime returns the processor time of the processes that this one started and that have ended.
func ChildTime(t testing.TB) time.Duration { return cpuTime(t, syscall.RUSAGE_CHILDREN) }

func cpuTime(t testing.TB, who int) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(who, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// Countdown is a context that is canceled when its error has been read a number of times. Work that reads it at
// bounded intervals thus ends after an amount of work, not after a time.
type Countdown struct {
	context.Context
	left   atomic.Int64
	cancel context.CancelFunc
}

// NewCountdown returns a context that is canceled at a number of looks.
func NewCountdown(t testing.TB, looks int64) *Countdown {
	c := &Countdown{}
	c.Context, c.cancel = context.WithCancel(context.Background())
	t.Cleanup(c.cancel)
	c.left.Store(looks)
	return c
}

// Err implements [context.Context].
func (c *Countdown) Err() error {
	if c.left.Add(-1) < 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// Late returns the number of looks since the context was canceled.
func (c *Countdown) Late() int64 { return max(0, -c.left.Load()) }
