// Package interrupt stops computations when a context ends, immediately or after a grace period.
package interrupt

import (
	"context"
	"time"
)

// Do returns the result of compute, or the error of ctx as soon as ctx is done. After the error, compute continues in
// the background, usually until the program exits. Therefore compute must neither print nor modify data of the caller.
func Do[T any](ctx context.Context, compute func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	computed := make(chan outcome, 1)
	go func() {
		v, err := compute()
		computed <- outcome{v, err}
	}()
	select {
	case o := <-computed:
		return o.value, o.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// Outlive returns a context that ends one grace period after ctx ends, unless stays returns true at that time.
func Outlive(ctx context.Context, grace time.Duration, stays func() bool) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-longer.Done():
		case <-time.After(grace):
			if !stays() {
				cancel()
			}
		}
	})
	return longer, func() { stop(); cancel() }
}
