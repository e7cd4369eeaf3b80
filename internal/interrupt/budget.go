package interrupt

import (
	"context"
	"time"
)

// These constants define the part of a budget for the steps after the main computation, such as the check of a search's
// buffers. The part is 2/reservePart of the limit, but at most reserveMax. If the command loads its files slowly, the
// part is larger: reserveLoads times the loading time, but at most half of the limit.
const (
	reservePart  = 5
	reserveMax   = 10 * time.Second
	reserveLoads = 4
)

// FinishTime is the time to complete a command's result. It is the minimum time with a time limit, and the maximum time
// after a signal.
const FinishTime = time.Second

// Budget is the time limit of a command. A Limit of 0 means no limit.
type Budget struct {
	Begun time.Time
	Limit time.Duration
}

// Deadline returns the end of the main computation, which starts at the call; zero without a limit.
func (b Budget) Deadline() time.Time {
	if b.Limit <= 0 {
		return time.Time{}
	}
	reserve := max(min(2*b.Limit/reservePart, reserveMax), reserveLoads*time.Since(b.Begun))
	return b.Begun.Add(b.Limit - min(b.Limit/2, reserve))
}

// Expiry returns the end of the command; zero without a limit.
func (b Budget) Expiry() time.Time {
	if b.Limit <= 0 {
		return time.Time{}
	}
	return b.Begun.Add(b.Limit)
}

// Finishing returns a context for the completion of the result. The context ends FinishTime after ctx. With a limit,
// the context also ends at the limit, but not before FinishTime and a tenth of the limit have passed.
func (b Budget) Finishing(ctx context.Context) (context.Context, context.CancelFunc) {
	finish, cancel := Outlive(ctx, FinishTime, func() bool { return false })
	if b.Limit <= 0 {
		return finish, cancel
	}
	finish, stop := context.WithTimeout(finish, max(FinishTime, b.Limit/10, time.Until(b.Expiry())))
	return finish, func() { stop(); cancel() }
}

// Until returns a context that ends at the given time. If the time is zero, the context has no other deadline than ctx.
func Until(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	if deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline)
}
